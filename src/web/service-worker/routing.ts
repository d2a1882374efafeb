/** The worker's handling of a request: `leave` passes it to the browser. */
export type Strategy = 'page' | 'asset' | 'file' | 'leave';

type RoutedRequest = {
  method: string;
  /** `navigate` for pages. */
  mode: string;
  url: string;
  /** Players request ranges of a file; a cached complete file cannot answer them. */
  partly: boolean;
};

const servers =
  /^\/(?:api|v1|files|invoices|statements|transcripts|faktur|healthz|readyz|metrics|sw\.js)(?:\/|$)/;

/** The strategy for a request: pages network first, hashed files from the cache. */
export function strategyOf(
  { method, mode, url, partly }: RoutedRequest,
  origin: string,
  files: readonly string[],
): Strategy {
  if (method !== 'GET' || partly || !URL.canParse(url)) return 'leave';
  const { origin: requestOrigin, pathname } = new URL(url);
  if (requestOrigin !== origin || servers.test(pathname)) return 'leave';
  if (mode === 'navigate') return 'page';
  if (pathname.startsWith('/assets/')) return 'asset';
  return files.includes(pathname) ? 'file' : 'leave';
}
