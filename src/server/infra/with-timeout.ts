/**
 * The result of `work`, or of `onTimeout` when `work` takes longer than `ms`. The work goes on all the
 * same; what it settles with later is ignored.
 *
 * @param onTimeout returns the result of a time-out, or throws its error.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number, onTimeout: () => T): Promise<T> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  try {
    return await Promise.race([work, late.promise.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
