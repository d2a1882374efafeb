/** How the worker answers a request: `leave` is not at all, so that the browser does as always. */
export type Strategy = 'page' | 'asset' | 'file' | 'leave';

type RoutedRequest = {
  method: string;
  /** `navigate` for pages. */
  mode: string;
  url: string;
  /** Players ask for parts of a file; a cached whole one is no answer to that. */
  partly: boolean;
};

/** What belongs to the server alone and is never cached. */
const servers =
  /^\/(?:api|v1|files|invoices|statements|transcripts|faktur|healthz|readyz|metrics|sw\.js)(?:\/|$)/;

/** How the worker answers a request: pages from the network first, hashed files from the cache. */
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
