import { expect } from 'vitest';

/** For `vi.waitFor`, whose second is too short for a busy machine: waits as long as `soon` does. */
export const patient = { timeout: 15_000 };

/** Waits until what is looked at satisfies the expectation: looks as often as it takes. */
export const soon = <T>(look: () => Promise<T> | T) =>
  expect.poll(look, { ...patient, interval: 50 });
