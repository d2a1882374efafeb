/**
 * How long a test waits for a state before it says that it never came. It ends what hangs; it measures
 * nothing: a machine with other work may take many times as long as it does alone.
 */
export const PATIENCE_MS = 60_000;

/** What a machine may stand still for while a test counts seconds of the database's clock. */
export const STALL_SECONDS = 15;

const PAUSE_MS = 25;
// Kept from before a test puts its own clock in the place of this one.
const { setTimeout } = globalThis;
const now = performance.now.bind(performance);

type Options = {
  /** What is waited for, as the error calls it. */
  what?: string;
  /** More than the usual patience, where processes are killed and lease times have to pass. */
  patienceMs?: number;
};

/**
 * Waits for a state: looks again until the look neither throws nor answers `false`.
 *
 * @returns what the look answered.
 * @throws what the last look threw, when patience ends: of an assertion, how it was not met.
 */
export async function waitFor<T>(
  look: () => T | Promise<T>,
  { what = look.toString(), patienceMs = PATIENCE_MS }: Options = {},
): Promise<Exclude<T, false>> {
  const end = now() + patienceMs;
  for (;;) {
    const isLast = now() > end;
    try {
      const found = await look();
      if (found !== false) return found as Exclude<T, false>;
      if (isLast) throw new Error(`not within ${patienceMs / 1000} s: ${what}`);
    } catch (error) {
      if (isLast) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
