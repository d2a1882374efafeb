import { type Socket, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from './rounds.ts';

/** A response of the server; the body as bytes, one per character. */
export type Answer = { status: number; body: string };

/**
 * One kept-alive HTTP/1.1 connection that sends prepared bytes and reads whole responses. Far cheaper than a full
 * client: on two cores the load's own cost would otherwise be measured with the service.
 */
export class Wire {
  readonly #port: number;
  #socket: Socket;
  #buffer = '';
  #waiting: ((answer: Answer) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  constructor(port: number) {
    this.#port = port;
    this.#socket = this.#open();
  }

  #open(): Socket {
    const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true });
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#read(chunk));
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => {
      if (socket === this.#socket) this.#failed?.(new Error('the connection was closed'));
    });
    return socket;
  }

  /** Sends one request after the previous response. Rejects when the connection is closed. */
  ask(request: string): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (this.#socket.destroyed) reject(new Error('the connection was closed'));
    this.#waiting = resolve;
    this.#failed = reject;
    this.#socket.write(request);
    return promise;
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #read(chunk: string) {
    this.#buffer += chunk;
    const head = this.#buffer.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#buffer.slice(0, head))?.[1] ?? 0);
    if (this.#buffer.length < head + 4 + length) return;
    const status = Number(this.#buffer.slice(9, 12));
    // A server announces when it closes a connection; the next request needs a new one.
    const over = /connection: close/i.test(this.#buffer.slice(0, head));
    const body = this.#buffer.slice(head + 4, head + 4 + length);
    this.#buffer = this.#buffer.slice(head + 4 + length);
    if (over) {
      const old = this.#socket;
      this.#socket = this.#open();
      old.destroy();
    }
    this.#waiting?.({ status, body });
  }
}

export type Load = {
  accepted: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  refused: number;
};

function loadOf(times: readonly number[], refused: number, began: number): Load {
  const seconds = (performance.now() - began) / 1000;
  const accepted = times.length - refused;
  return {
    accepted,
    perSecond: accepted / seconds,
    p50Ms: times.length > 0 ? percentile(times, 0.5) : 0,
    p99Ms: times.length > 0 ? percentile(times, 0.99) : 0,
    refused,
  };
}

export async function loadWith(
  connections: number,
  forMs: number,
  one: (connection: number) => Promise<boolean>,
): Promise<Load> {
  const times: number[] = [];
  let refused = 0;
  const began = performance.now();
  const end = began + forMs;
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      while (performance.now() < end) {
        const sentAt = performance.now();
        const ok = await one(connection);
        times.push(performance.now() - sentAt);
        if (!ok) refused += 1;
      }
    }),
  );
  return loadOf(times, refused, began);
}

type ClockLoad = {
  port: number;
  perSecond: number;
  forMs: number;
  request: (n: number) => string;
  /** Called with each response and its time, as `performance.now` counts. */
  onAnswer?: (answer: Answer, atMs: number) => void;
};

/** Servers close connections after 5 s idle; one idle for longer than this is not reused. */
const IDLE_MS_MAX = 2_000;

/**
 * Sends at a fixed rate, regardless of response times: a request that finds no idle connection opens another one. A
 * server that falls behind gets no relief, and each response time is measured on its own.
 */
export async function loadByClock(load: ClockLoad): Promise<Load> {
  const { port, perSecond, forMs, request, onAnswer } = load;
  const times: number[] = [];
  const idle: { wire: Wire; sinceMs: number }[] = [];
  let refused = 0;
  /** Returns the connection that answered last, so that superfluous ones grow old. */
  const idleWire = () => {
    for (let last = idle.pop(); last; last = idle.pop()) {
      if (performance.now() - last.sinceMs < IDLE_MS_MAX) return last.wire;
      last.wire.close();
    }
    return undefined;
  };
  const send = async (bytes: string) => {
    const wire = idleWire() ?? new Wire(port);
    const sentAt = performance.now();
    const answer = await wire.ask(bytes);
    const atMs = performance.now();
    times.push(atMs - sentAt);
    if (answer.status !== 202) refused += 1;
    idle.push({ wire, sinceMs: atMs });
    onAnswer?.(answer, atMs);
  };
  const sending: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < Math.round((perSecond * forMs) / 1000); n++) {
    const waitMs = began + (n * 1000) / perSecond - performance.now();
    if (waitMs > 0) await pause(Math.ceil(waitMs));
    sending.push(send(request(n)));
  }
  await Promise.all(sending);
  for (const { wire } of idle) wire.close();
  return loadOf(times, refused, began);
}
