/**
 * Why the application cannot start, in one sentence for whoever started it.
 *
 * `main` prints the message alone, without a stack, and exits with 1. Anything else thrown while
 * starting is a bug and keeps its stack.
 */
export class StartError extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'StartError';
  }
}
