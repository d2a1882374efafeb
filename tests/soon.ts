import { expect } from 'vitest';

/** For `vi.waitFor`, whose own second is too short for a busy machine. */
export const patient = { timeout: 15_000 };

/** Waits until what is looked at satisfies the expectation: looks as often as it takes. */
export const soon = <T>(look: () => Promise<T> | T) => {
  return expect.poll(look, { timeout: 20_000, interval: 50 });
};
