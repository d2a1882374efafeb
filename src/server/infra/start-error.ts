/**
 * Why the application cannot start, in one sentence for the person who started it.
 *
 * `main` prints the message without a stack and exits with 1. Other errors during the start are bugs and keep their
 * stack.
 */
export class StartError extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'StartError';
  }
}
