import { setTimeout as pause } from 'node:timers/promises';

/** Looks until something is there. @throws Error naming `what` when it is not in time. */
export async function until<T>(
  what: string,
  withinMs: number,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
    await pause(20);
  }
}
