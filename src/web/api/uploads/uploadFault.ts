export class Fault extends Error {
  readonly sentence: string | undefined;
  /** The HTTP status; 0 without a response. */
  readonly status: number;

  constructor(status: number, sentence?: string) {
    super(`upload: ${status === 0 ? 'no answer' : status}`);
    this.name = 'Fault';
    this.status = status;
    this.sentence = sentence;
  }

  /** A retry would get the same answer. */
  get lasting(): boolean {
    const retryable = [408, 409, 425, 429];
    return this.status >= 400 && this.status < 500 && !retryable.includes(this.status);
  }
}
