/** The server sends something every 15 s; a connection silent for longer than this is dead. */
const SILENT_MS = 40_000;
/** On focus or reconnect, a connection silent for this long is reopened. */
const UNTRUSTED_MS = 20_000;
const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * The delay before the stream is reopened: doubles from ½ s to 30 s, ±30 %, so that browsers do not all return to a
 * restarted server at once.
 *
 * @param tries failures in a row, from 0.
 * @param random 0 ≤ random < 1; tests pass a fixed one.
 * @returns whole milliseconds
 */
export const reopenDelayMs = (tries: number, random = Math.random()): number =>
  Math.round(Math.min(FIRST_MS * 2 ** tries, LONGEST_MS) * (0.7 + 0.6 * random));

type StreamOptions = {
  /** Opens the stream after a position; throws when it fails. */
  open: (since: number | undefined, signal: AbortSignal) => Promise<Response>;
  /** The position to continue at; `undefined` for the newest. */
  since: () => number | undefined;
  onOpen?: (response: Response) => void;
  onFrame: (frame: Frame) => void;
  /** Called for each chunk from the server, also between frames. */
  onReceive?: () => void;
  /** Called when a connection is given up because nothing arrives on it. */
  onSilent?: () => void;
  /** The minimum delay after an error; `undefined` if a retry is pointless. */
  retryAfterMs: (error: unknown) => number | undefined;
  /** Calls back when an immediate retry makes sense: on reconnect or focus. */
  onWake: (wake: () => void) => () => void;
  signal: AbortSignal;
};

/** Follows the stream until `signal` aborts or a retry is pointless; reopens it whenever it ends. */
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

async function readStream(
  { open, since, onOpen, onFrame, onReceive, onSilent, onWake, signal }: StreamOptions,
  live: () => void,
) {
  const line = new AbortController();
  const cut = () => line.abort();
  signal.addEventListener('abort', cut, { once: true });
  if (signal.aborted) cut();
  let lastReceivedAt = Date.now();
  const giveUp = () => {
    onSilent?.();
    cut();
  };
  let silenceTimer = setTimeout(giveUp, SILENT_MS);
  const received = () => {
    lastReceivedAt = Date.now();
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(giveUp, SILENT_MS);
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
      onReceive?.();
      live();
      for (const frame of read(piece.value)) onFrame(frame);
    }
  } finally {
    clearTimeout(silenceTimer);
    forgetWake();
    signal.removeEventListener('abort', cut);
    // Always closes the connection at the end.
    cut();
  }
}

/** Waits; a wake-up shortens it, but not below the server's delay. */
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

export type Frame = {
  /** The account's position after it; `undefined` when the frame carries none. */
  position: number | undefined;
  event: string;
  data: string;
};

/** A longer line is not from our server: the stream is dropped instead of buffered. */
const LINE_MAX = 262_144;

/**
 * Parses `text/event-stream` incrementally: takes chunks split anywhere, returns the completed frames. Comments are
 * ignored.
 *
 * @throws RangeError when a line has no end (over 256 kB).
 */
export function frameReader(): (text: string) => Frame[] {
  let rest = '';
  let frame = emptyFrame();
  return (text) => {
    rest += text;
    const frames: Frame[] = [];
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(rest);
      if (!end) break;
      const line = rest.slice(0, end.index);
      rest = rest.slice(end.index + end[0].length);
      if (line !== '') addLine(frame, line);
      else {
        if (frame.lines.length > 0) frames.push(wholeFrame(frame));
        frame = emptyFrame();
      }
    }
    if (rest.length > LINE_MAX) throw new RangeError('event stream: line too long');
    return frames;
  };
}

type Building = { position: number | undefined; event: string; lines: string[] };

const emptyFrame = (): Building => ({ position: undefined, event: 'message', lines: [] });

const wholeFrame = ({ position, event, lines }: Building): Frame => ({
  position,
  event,
  data: lines.join('\n'),
});

function addLine(frame: Building, line: string): void {
  const colon = line.indexOf(':');
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (field === 'event') frame.event = value;
  else if (field === 'data') frame.lines.push(value);
  else if (field === 'id' && /^\d{1,15}$/.test(value)) frame.position = Number(value);
}
