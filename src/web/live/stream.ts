import { frameReader, type Frame } from '#web/live/frames.ts';

/** The server says something every 15 s; after this long without a word the line is dead. */
const SILENT_MS = 40_000;
/** Somebody looks again, or the network is back: a line silent for this long is not trusted. */
const UNTRUSTED_MS = 20_000;
const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * How long to wait before the stream is opened again: doubles from ½ s to 30 s, give or take 30 %, so
 * that a server that comes back is not met by every browser at once.
 *
 * @param tries how often it failed in a row, from 0.
 * @param dice 0 ≤ dice < 1; tests pass a fixed one.
 * @returns whole milliseconds
 */
export const reopenDelayMs = (tries: number, random = Math.random()): number =>
  Math.round(Math.min(FIRST_MS * 2 ** tries, LONGEST_MS) * (0.7 + 0.6 * random));

type StreamOptions = {
  /** Opens the stream after a position; throws when it cannot be had. */
  open: (since: number | undefined, signal: AbortSignal) => Promise<Response>;
  /** Where to go on; `undefined` for the newest. */
  since: () => number | undefined;
  onOpen?: (response: Response) => void;
  onFrame: (frame: Frame) => void;
  /** How long to wait after an error at least; `undefined` when it is no use to try again. */
  retryAfterMs: (error: unknown) => number | undefined;
  /** Calls back when trying at once is worth it: the network is back, somebody looks at the tab. */
  onWake: (wake: () => void) => () => void;
  signal: AbortSignal;
};

/** Follows the stream until `signal` aborts or there is no use: opens it again whenever it ends. */
export async function followStream(options: StreamOptions): Promise<void> {
  const { signal, retryAfterMs } = options;
  let tries = 0;
  const live = () => {
    tries = 0;
  };
  while (!signal.aborted) {
    let least = 0;
    try {
      await readStream(options, live);
    } catch (error) {
      const leastDelay = signal.aborted ? undefined : retryAfterMs(error);
      if (leastDelay === undefined) return;
      least = leastDelay;
    }
    await pause(Math.max(least, reopenDelayMs(tries)), options, least);
    tries += 1;
  }
}

/** Reads one connection to its end; a silence that is too long is an end too. */
async function readStream(
  { open, since, onOpen, onFrame, onWake, signal }: StreamOptions,
  live: () => void,
) {
  const line = new AbortController();
  const cut = () => line.abort();
  signal.addEventListener('abort', cut, { once: true });
  if (signal.aborted) cut();
  let lastReceivedAt = Date.now();
  let silenceTimer = setTimeout(cut, SILENT_MS);
  const received = () => {
    lastReceivedAt = Date.now();
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(cut, SILENT_MS);
  };
  const forgetWake = onWake(() => {
    if (Date.now() - lastReceivedAt > UNTRUSTED_MS) cut();
  });
  try {
    const response = await open(since(), line.signal);
    received();
    onOpen?.(response);
    const read = frameReader();
    const text = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const piece = await text?.read();
      if (!piece || piece.done) return;
      received();
      live();
      for (const frame of read(piece.value)) onFrame(frame);
    }
  } finally {
    clearTimeout(silenceTimer);
    forgetWake();
    signal.removeEventListener('abort', cut);
    // Whatever ended the reading, the connection must not stay open behind it.
    cut();
  }
}

/** Waits; shorter when woken, but never less than what the server asked for. */
function pause(ms: number, { signal, onWake }: StreamOptions, leastMs: number): Promise<void> {
  return new Promise((resolve) => {
    const began = Date.now();
    const go = () => {
      clearTimeout(timer);
      forgetWake();
      signal.removeEventListener('abort', go);
      resolve();
    };
    let timer = setTimeout(go, ms);
    const forgetWake = onWake(() => {
      clearTimeout(timer);
      timer = setTimeout(go, Math.max(0, began + leastMs - Date.now()));
    });
    signal.addEventListener('abort', go, { once: true });
    if (signal.aborted) go();
  });
}
