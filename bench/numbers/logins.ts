export class Logins {
  readonly #open = new Map<string, number>();
  readonly #ended = new Set<string>();
  readonly #doubled = new Set<string>();
  #times: { number: string; atMs: number }[] = [];

  login(number: string): void {
    const open = (this.#open.get(number) ?? 0) + 1;
    this.#open.set(number, open);
    if (open > 1) this.#doubled.add(number);
    this.#times.push({ number, atMs: performance.now() });
  }

  logout(number: string): void {
    this.#open.set(number, (this.#open.get(number) ?? 0) - 1);
    this.#ended.add(number);
  }

  restart(): void {
    this.#times = [];
    this.#ended.clear();
  }

  get times(): readonly number[] {
    return this.#times.map(({ atMs }) => atMs);
  }

  /** Logins of phones whose connection had not ended before. */
  get unasked(): number {
    return this.#times.filter(({ number }) => !this.#ended.has(number)).length;
  }

  get ended(): readonly string[] {
    return [...this.#ended];
  }

  isOpen(number: string): boolean {
    return (this.#open.get(number) ?? 0) > 0;
  }

  /** Phones that ever had two connections at once. */
  get doubled(): number {
    return this.#doubled.size;
  }
}

const SECOND_MS = 1_000;

export const mostInSecond = (times: readonly number[]): number =>
  Math.max(
    0,
    ...times.map((from) => times.filter((at) => at >= from && at < from + SECOND_MS).length),
  );
