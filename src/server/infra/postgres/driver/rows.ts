// oxlint-disable-next-line typescript/no-explicit-any -- a row without a declared type, as read.
export type Row = Record<string, any>;

/** The rows of a statement, the number of rows it returned or changed, and the command's tag. */
export class Rows<T> extends Array<T> {
  /** Makes `map` and `filter` return plain arrays. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
  #count = 0;
  #command = '';
  get count(): number {
    return this.#count;
  }
  get command(): string {
    return this.#command;
  }
  complete(tag: string): void {
    const [command = '', ...numbers] = tag.split(' ');
    this.#command = command;
    this.#count = Number(numbers.at(-1) ?? 0);
  }
}
