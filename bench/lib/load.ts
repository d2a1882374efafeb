import { type Socket, connect } from 'node:net';

/**
 * One kept-alive HTTP/1.1 connection that sends prepared bytes and reads whole answers. Far cheaper than
 * a full client: on two cores the load's own cost would otherwise be measured with the service.
 */
export class Wire {
  readonly #port: number;
  #socket: Socket;
  #buffer = '';
  #waiting: ((status: number) => void) | undefined;
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

  /** Sends one request and answers its status. */
  ask(request: string): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
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
    // A server that has answered enough on one connection says so, and expects a new one.
    const over = /connection: close/i.test(this.#buffer.slice(0, head));
    this.#buffer = this.#buffer.slice(head + 4 + length);
    if (over) {
      const old = this.#socket;
      this.#socket = this.#open();
      old.destroy();
    }
    this.#waiting?.(status);
  }
}

export type Load = { perSecond: number; p50Ms: number; p99Ms: number; refused: number };

/** Runs `one` on so many connections for so long. */
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
  const seconds = (performance.now() - began) / 1000;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return {
    perSecond: (times.length - refused) / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    refused,
  };
}
