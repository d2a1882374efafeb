/** A step of an upload went wrong. */
export class Fault extends Error {
  /** The server's own words about it. */
  readonly sentence: string | undefined;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;

  constructor(status: number, sentence?: string) {
    super(`upload: ${status === 0 ? 'no answer' : status}`);
    this.name = 'Fault';
    this.status = status;
    this.sentence = sentence;
  }

  /** Doing the same again would only be answered the same. */
  get lasting(): boolean {
    const again = [408, 409, 425, 429];
    return this.status >= 400 && this.status < 500 && !again.includes(this.status);
  }
}
