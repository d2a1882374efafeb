import type { FastifyRequest } from 'fastify';
import { malformed } from '#server/http/v1/call.ts';

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
