/**
 * Time that a test waits for a state before it fails. It ends hangs and measures nothing: a machine with other work may
 * take many times as long as it does alone.
 */
export const PATIENCE_MS = 60_000;

/** Time that a machine may stall while a test counts seconds of the database's clock. */
export const STALL_SECONDS = 15;

const PAUSE_MS = 25;
// Saved before a test replaces the clock.
const { setTimeout } = globalThis;
const now = performance.now.bind(performance);

type Options = {
  what?: string;
  /** Longer than usual, where processes are killed and leases have to expire. */
  patienceMs?: number;
};

/**
 * Waits for a state: repeats `look` until it neither throws nor returns `false`.
 * @returns the result of `look`.
 * @throws the last error of `look` on timeout, such as a failed assertion.
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
