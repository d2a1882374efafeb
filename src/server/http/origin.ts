import type { FastifyRequest } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';
import { malformed } from './v1/send.ts';

/** Which pages may call the portal's acts. */
export type Origins = {
  /** Where the portal itself is served; undefined for a local installation without PUBLIC_URL. */
  own: string | undefined;
  /** Other places it is served from: the only ones CORS lets in. */
  portals: readonly string[];
  /** Locally, the address in the browser's bar is ours whatever it is called. */
  trustsHost: boolean;
};

/** Where a call says it comes from. */
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
 * Refuses calls that another site's page makes in somebody's browser (docs/threats.md, T8).
 *
 * Browsers say where a call comes from; programs say nothing. Those may ask, and act with a session's
 * token, which no other site has; what anyone may change without one (`secretless`) they may not.
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
 * Where the links of an answer begin: at PUBLIC_URL, or without it at the host that was asked.
 *
 * @throws Refusal `request_malformed` for a host that no address can have.
 */
export function publicOrigin(
  { publicUrl }: { publicUrl: string | undefined },
  request: FastifyRequest,
): string {
  if (publicUrl !== undefined) return publicUrl;
  const origin = `${request.protocol}://${request.host}`;
  // A host with a path or a user in it is none, though the whole can be read as an address.
  const isHost = URL.canParse(origin) && /^[^/?#@\\\s]+$/.test(request.host);
  if (!isHost) throw malformed(request, 'host');
  return origin;
}
