import { safeTarget, withCallback } from '#web/browser/redirect.ts';
import { readParams } from '#web/browser/router/search.ts';

const one = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : '';

/** The target of the parameter `from` for a signed-in user; null if there is none. */
export function returnTarget(
  query: string,
  origin: string,
  allowedOrigins: readonly string[],
): string | null {
  const params = readParams(query);
  const from = one(params.get('from'));
  // Lists use `from` for the first day of a range; only an address is a target.
  if (!/^(?:\/|https?:\/\/)/i.test(from)) return null;
  const target = safeTarget(from, origin, allowedOrigins);
  const callback = safeTarget(one(params.get('callbackUrl')), origin, allowedOrigins);
  return target === null ? null : withCallback(target, callback);
}
