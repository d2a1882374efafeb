/** The deadline for a device that is never idle. */
const LATEST_MS = 10_000;

/** Runs work when the browser is idle. @returns the cancel function */
export function whenIdle(work: () => void): () => void {
  // Not all browsers have requestIdleCallback.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: LATEST_MS });
  return () => cancelIdleCallback(handle);
}
