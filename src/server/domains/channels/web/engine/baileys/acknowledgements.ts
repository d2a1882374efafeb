import type { BinaryNode, WASocket } from 'baileys';

type Waiting = { resolve: (code: number | undefined) => void; reject: (error: Error) => void };

/**
 * What the network's server says to each message that left: the library tells of refusals only, and of those
 * without waiting.
 */
export class Acknowledgements {
  readonly #waiting = new Map<string, Waiting>();

  constructor(sock: Pick<WASocket, 'ws'>) {
    sock.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => {
      const one = attrs['id'] === undefined ? undefined : this.#waiting.get(attrs['id']);
      if (!one) return;
      this.#waiting.delete(attrs['id'] ?? '');
      const { error } = attrs;
      one.resolve(error === undefined ? undefined : Number.parseInt(error, 10) || 0);
    });
  }

  /** Resolves with the code of a refusal, or undefined; rejects when the connection ends before. */
  next(wireId: string): Promise<number | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    this.#waiting.set(wireId, { resolve, reject });
    promise.catch(() => undefined);
    return promise;
  }

  /** Nothing more comes. */
  close(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('the connection ended'));
    this.#waiting.clear();
  }
}
