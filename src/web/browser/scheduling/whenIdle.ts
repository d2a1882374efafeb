/** Does something when the browser has nothing better to do. @returns takes it back */
export function whenIdle(work: () => void): () => void {
  // Some browsers do not tell when that is.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work);
  return () => cancelIdleCallback(handle);
}
