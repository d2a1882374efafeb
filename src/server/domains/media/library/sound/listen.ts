import { Worker } from 'node:worker_threads';
import { Refusal } from '#contract/base/refusals.ts';
import { TURN_WAIT_MS, semaphore } from '#server/infra/semaphore.ts';

/** Loudness of a sound in 64 parts of equal length, 0 to 100, and its length. */
export type Sound = { waveform: readonly number[]; seconds: number };

export type SoundRequest = { path: string; mime: string };

/** Types that the decoders support (docs/decisions/010-media-and-uploads.md). */
const decodedTypes: ReadonlySet<string> = new Set(['audio/ogg', 'audio/mpeg']);

const SECONDS_MAX = 10;
const MEMORY_MB_MAX = 96;
/** Files in the queue; more are stored without a waveform. */
const WAITING_MAX = 24;
const WAITING_EACH_MAX = 8;

const enter = semaphore(1, WAITING_MAX, {
  waitMs: TURN_WAIT_MS,
  waitingEachMax: WAITING_EACH_MAX,
});

/**
 * Computes the waveform of a sound in a worker thread, so that a file that crashes its decoder does not harm the
 * process.
 *
 * @param mime type found by inspection; @param accountId its owner.
 * @returns undefined for a type that is not decoded (AAC, AMR, WebM, Vorbis), a broken file, one that takes longer than
 * ten seconds, or a full queue. Never throws: a sound may be sent without a waveform.
 */
export async function computeWaveform(
  path: string,
  mime: string,
  accountId: string,
): Promise<Sound | undefined> {
  if (!decodedTypes.has(mime)) return undefined;
  try {
    return await enter(() => decodeInWorker({ path, mime }), { owner: accountId });
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

let idle: Worker | undefined;

function decodeInWorker(request: SoundRequest): Promise<Sound | undefined> {
  const worker = idle ?? openWorker();
  idle = undefined;
  const { promise, resolve } = Promise.withResolvers<Sound | undefined>();
  const ended = (sound: Sound | undefined) => {
    idle = worker;
    resolve(sound);
  };
  const broken = () => resolve(undefined);
  const timer = setTimeout(broken, SECONDS_MAX * 1_000);
  worker.ref();
  worker.once('message', ended).once('exit', broken);
  worker.postMessage(request);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', ended).off('exit', broken);
    worker.unref();
    if (idle !== worker) void worker.terminate();
  });
}

/** Reused for the next file; it does not keep the process alive. */
function openWorker(): Worker {
  const worker = new Worker(new URL('decode.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX, maxYoungGenerationSizeMb: 16 },
    stdout: true,
    stderr: true,
  });
  // A worker that runs out of memory emits an error before its exit; handling the exit is enough.
  return worker
    .on('error', () => undefined)
    .on('exit', () => {
      if (idle === worker) idle = undefined;
    });
}
