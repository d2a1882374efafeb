import { safeTarget, withCallback } from '#web/browser/redirect.ts';
import { readParams } from '#web/browser/router/search.ts';

const one = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : '';

/** Where the parameter `from` sends someone who is signed in; null when nowhere. */
export function returnTarget(
  query: string,
  origin: string,
  allowedOrigins: readonly string[],
): string | null {
  const params = readParams(query);
  const from = one(params.get('from'));
  // Lists use `from` for the first day of a range; only an address is a place to go.
  if (!/^(?:\/|https?:\/\/)/i.test(from)) return null;
  const target = safeTarget(from, origin, allowedOrigins);
  const callback = safeTarget(one(params.get('callbackUrl')), origin, allowedOrigins);
  return target === null ? null : withCallback(target, callback);
}
