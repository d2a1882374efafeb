import type { FastifyRequest } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';
import { malformed } from './v1/send.ts';

export type Origins = {
  /** The portal's own origin; undefined for a local installation without PUBLIC_URL. */
  own: string | undefined;
  /** Other origins that serve the portal: the only ones that CORS allows. */
  portals: readonly string[];
  /** Locally, the host in the browser's address bar is accepted under any name. */
  trustsHost: boolean;
};

export type Source = { origin: string | undefined; site: string | undefined; host: string };

export const sourceOf = (request: FastifyRequest): Source => {
  const site = request.headers['sec-fetch-site'];
  return {
    origin: request.headers.origin,
    site: typeof site === 'string' ? site : undefined,
    host: `${request.protocol}://${request.host}`,
  };
};

/** True for a page served from one of `PORTAL_ORIGINS`. */
export const isPortal = ({ portals }: Origins, { origin }: Source): boolean =>
  origin !== undefined && portals.includes(origin);

/**
 * Refuses calls that another site's page makes in a user's browser (docs/threats.md, T8).
 *
 * Browsers send the source of a call; programs do not. A call without a source may read, and may act with a
 * session's token, which no other site has; changes that need no token (`secretless`) are refused.
 *
 * @throws Refusal `origin_foreign`
 */
export function checkSource(origins: Origins, source: Source, secretless: boolean): void {
  const { origin, site, host } = source;
  if (isPortal(origins, source)) return;
  if (origin !== undefined) {
    if (origin !== origins.own && !(origins.trustsHost && origin === host)) foreign();
    if (site !== undefined && site !== 'same-origin' && site !== 'none') foreign();
    return;
  }
  if (site === 'same-origin' || site === 'none') return;
  if (site !== undefined || secretless) foreign();
}

function foreign(): never {
  throw new Refusal('origin_foreign', {});
}

/**
 * The origin for links in a response: PUBLIC_URL, or without it the requested host.
 *
 * @throws Refusal `request_malformed` for an invalid host.
 */
export function publicOrigin(
  { publicUrl }: { publicUrl: string | undefined },
  request: FastifyRequest,
): string {
  if (publicUrl !== undefined) return publicUrl;
  const origin = `${request.protocol}://${request.host}`;
  // Refuses a host with a path or a user, although the whole parses as an address.
  const isHost = URL.canParse(origin) && /^[^/?#@\\\s]+$/.test(request.host);
  if (!isHost) throw malformed(request, 'host');
  return origin;
}
