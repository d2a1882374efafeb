/**
 * One sentence on why the application cannot start; `main` prints it without a stack. Other errors are bugs.
 */
export class StartError extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'StartError';
  }
}
