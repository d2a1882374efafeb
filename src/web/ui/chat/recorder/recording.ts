import { readWebm, writeOgg } from '#web/ui/chat/recorder/oggOpus.ts';

export const RECORDING_MS_MAX = 5 * 60_000;

/**
 * Recording formats by preference. Phones accept Ogg as a voice message, and the server draws a waveform of it; WebM is
 * converted to Ogg.
 */
const FORMATS = [
  ['audio/ogg;codecs=opus', 'ogg'],
  ['audio/webm;codecs=opus', 'webm'],
  ['audio/mp4;codecs=mp4a.40.2', 'm4a'],
  ['audio/mp4', 'm4a'],
] as const;

/** The recording format of this browser; `undefined` if it cannot record. */
export const recordingFormat = () =>
  'MediaRecorder' in globalThis
    ? FORMATS.find(([mime]) => MediaRecorder.isTypeSupported(mime))
    : undefined;

const refusals: Readonly<Record<string, string>> = {
  NotAllowedError:
    'Browser tidak mengizinkan mikrofon. Izinkan mikrofon untuk situs ini di bilah alamat, lalu coba lagi.',
  NotFoundError: 'Tidak ada mikrofon. Sambungkan mikrofon, lalu coba lagi.',
  NotReadableError: 'Mikrofon sedang dipakai aplikasi lain. Tutup aplikasi itu, lalu coba lagi.',
};

/** The message for a recording error, with an instruction. */
export function recordingRefusal(error: unknown): string {
  if (!globalThis.isSecureContext) {
    return 'Rekaman suara memerlukan alamat https. Buka Kabari lewat https, atau kirim berkas suara.';
  }
  const name = error instanceof DOMException ? error.name : '';
  return (
    refusals[name] ?? 'Browser ini tidak dapat merekam suara. Kirim berkas suara sebagai lampiran.'
  );
}

export type Recording = {
  stop: () => Promise<File>;
  discard: () => void;
  /** The current level, 0 to 1; 0 if unknown. */
  level: () => number;
};

/**
 * Requests the microphone and records until stopped.
 *
 * @throws the browser's error about the microphone; see `recordingRefusal`.
 */
export async function startRecording(): Promise<Recording> {
  const format = recordingFormat();
  if (!format) throw new Error('no supported recording format');
  const [mimeType, end] = format;
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: 32_000 });
  const pieces: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
  const meter = meterOf(stream);
  const release = () => {
    for (const track of stream.getTracks()) track.stop();
    meter.close();
  };
  recorder.start(1_000);
  const ended = new Promise<void>((resolve) => {
    recorder.addEventListener('stop', () => resolve(), { once: true });
  });
  const stop = async () => {
    if (recorder.state !== 'inactive') recorder.stop();
    await ended;
    release();
    const type = mimeType.split(';')[0] ?? mimeType;
    const sound = new Blob(pieces, { type });
    return end === 'webm' ? asOgg(sound) : new File([sound], `pesan-suara.${end}`, { type });
  };
  return { stop, discard: () => void stop().catch(() => undefined), level: meter.level };
}

/** Converts WebM to Ogg; returns anything but Opus unchanged. */
async function asOgg(sound: Blob): Promise<File> {
  const track = readWebm(new Uint8Array(await sound.arrayBuffer()));
  return track
    ? new File([writeOgg(track)], 'pesan-suara.ogg', { type: 'audio/ogg' })
    : new File([sound], 'pesan-suara.webm', { type: sound.type });
}

/** A level meter for a stream; without Web Audio it reports nothing. */
function meterOf(stream: MediaStream): { level: () => number; close: () => void } {
  try {
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Uint8Array(analyser.fftSize);
    return {
      level: () => {
        analyser.getByteTimeDomainData(samples);
        const power = samples.reduce((sum, one) => sum + ((one - 128) / 128) ** 2, 0);
        return Math.min(1, Math.sqrt(power / samples.length) * 4);
      },
      close: () => void context.close().catch(() => undefined),
    };
  } catch {
    return { level: () => 0, close: () => undefined };
  }
}
