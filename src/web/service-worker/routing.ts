/** How the worker answers a request: `leave` is not at all, so that the browser does as always. */
export type Way = 'page' | 'asset' | 'file' | 'leave';

type Asked = {
  method: string;
  /** `navigate` for pages. */
  mode: string;
  url: string;
  /** Players ask for parts of a file; a kept whole one is no answer to that. */
  partly: boolean;
};

/** What belongs to the server alone and is never kept. */
const servers = /^\/(?:api|v1|files|healthz|readyz|metrics|sw\.js)(?:\/|$)/;

/** How the worker answers a request: pages from the network first, hashed files from what is kept. */
export function wayOf(
  { method, mode, url, partly }: Asked,
  origin: string,
  files: readonly string[],
): Way {
  if (method !== 'GET' || partly || !URL.canParse(url)) return 'leave';
  const { origin: asked, pathname } = new URL(url);
  if (asked !== origin || servers.test(pathname)) return 'leave';
  if (mode === 'navigate') return 'page';
  if (pathname.startsWith('/assets/')) return 'asset';
  return files.includes(pathname) ? 'file' : 'leave';
}
