import { expect } from 'vitest';

/**
 * How long a test waits for a state before it says that it never came. It ends what hangs; it measures
 * nothing: a machine with other work may take many times as long as it does alone.
 */
export const PATIENCE_MS = 60_000;

/** For `vi.waitFor`, whose own second is too short for a busy machine. */
export const patient = { timeout: PATIENCE_MS };

/** Waits until what is looked at satisfies the expectation: looks as often as it takes. */
export const soon = <T>(look: () => Promise<T> | T) => {
  return expect.poll(look, { timeout: PATIENCE_MS, interval: 50 });
};

/** What a machine may stand still for while a test counts seconds of the database's clock. */
export const STALL_SECONDS = 15;
