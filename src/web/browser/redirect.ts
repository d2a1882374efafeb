const LENGTH_MAX = 2_000;

/**
 * Checks a redirect target: own pages become a path, addresses of `allowedOrigins` stay whole. Null for anything else,
 * anything disguised and our own `/auth` pages.
 *
 * @param raw from the address bar or the storage: untrusted.
 */
export function safeTarget(
  raw: string | null | undefined,
  origin: string,
  allowedOrigins: readonly string[] = [],
): string | null {
  if (!raw || raw.length > LENGTH_MAX) return null;
  // Browsers drop control characters and read a backslash as a slash before they parse the host.
  if (/[\p{Cc}\\]/u.test(raw) || raw !== raw.trim()) return null;
  if (!URL.canParse(raw, origin)) return null;
  const url = new URL(raw, origin);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  if (url.username !== '' || url.password !== '') return null;
  if (url.origin !== origin) return allowedOrigins.includes(url.origin) ? url.href : null;
  // `//host` names another host; such a path would become one when it is used again.
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
 * Appends the return address as the parameter `callbackUrl`, before the fragment. The target's own query stays byte for
 * byte, so that a signature over it remains valid.
 */
export function withCallback(target: string, callbackUrl: string | null | undefined): string {
  if (!callbackUrl) return target;
  const at = target.indexOf('#');
  const [address, fragment] = at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at)];
  const join = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${join}callbackUrl=${encodeURIComponent(callbackUrl)}${fragment}`;
}
