/** A device that is never idle does it all the same after so long. */
const LATEST_MS = 10_000;

/** Does something when the browser has nothing better to do. @returns takes it back */
export function whenIdle(work: () => void): () => void {
  // Some browsers do not tell when that is.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: LATEST_MS });
  return () => cancelIdleCallback(handle);
}
