const LENGTH_MAX = 2_000;

/**
 * Where the browser may be sent: our own pages as a path, and the addresses of `allowedOrigins` in
 * whole. Anything else, anything disguised and our own `/auth` pages: null.
 *
 * @param raw from the address bar or the storage: anybody may have written it.
 */
export function safeTarget(
  raw: string | null | undefined,
  origin: string,
  allowedOrigins: readonly string[] = [],
): string | null {
  if (!raw || raw.length > LENGTH_MAX) return null;
  // Browsers drop control characters and read a backslash as a slash before they look at the host.
  if (/[\p{Cc}\\]/u.test(raw) || raw !== raw.trim()) return null;
  if (!URL.canParse(raw, origin)) return null;
  const url = new URL(raw, origin);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  if (url.username !== '' || url.password !== '') return null;
  if (url.origin !== origin) return allowedOrigins.includes(url.origin) ? url.href : null;
  // `//host` names another host; a path that begins so would become one when it is used again.
  if (url.pathname.startsWith('//')) return null;
  if (/^\/auth(?:\/|$)/i.test(decodedPath(url.pathname))) return null;
  return url.pathname + url.search + url.hash;
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * A target with the address to come back to appended as its parameter `callbackUrl`, before the fragment.
 * What the target's own query says stays as it was written: a signature over it must go on holding.
 */
export function withCallback(target: string, callbackUrl: string | null | undefined): string {
  if (!callbackUrl) return target;
  const at = target.indexOf('#');
  const [address, fragment] = at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at)];
  const join = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${join}callbackUrl=${encodeURIComponent(callbackUrl)}${fragment}`;
}
