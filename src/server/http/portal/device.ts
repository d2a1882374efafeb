import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Origins, isPortal, sourceOf } from '#server/http/origin.ts';

const YEAR_SECONDS = 31_536_000;
const shape = /^[A-Za-z0-9_-]{43}$/;

type Deps = { origins: Origins; production: boolean };

/**
 * Which browser is calling: 256 random bits in a cookie that no script can read and that stays when
 * people sign out. A browser without one gets one with this answer.
 *
 * It says nothing about who is there. A sign-in asks for a code where it is new, reauthentication with the password
 * holds only beside it, and a session's token without it only reads (`docs/decisions/025-copied-tokens.md`).
 *
 * @returns '' for portals served elsewhere: their calls carry no cookies.
 */
export function deviceOf(request: FastifyRequest, reply: FastifyReply, deps: Deps): string {
  const known = knownDevice(request, deps);
  if (known !== undefined) return known;
  const { production } = deps;
  const name = nameOf(production);
  const newDevice = randomBytes(32).toString('base64url');
  const rest = `Path=/; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Strict${production ? '; Secure' : ''}`;
  reply.header('set-cookie', `${name}=${newDevice}; ${rest}`);
  return newDevice;
}

const nameOf = (production: boolean) => (production ? '__Host-kabari-device' : 'kabari-device');

/** The browser as `deviceOf` names it; undefined where it has no cookie of ours, and gets none here. */
export function knownDevice(
  request: FastifyRequest,
  { origins, production }: Deps,
): string | undefined {
  const source = sourceOf(request);
  if (isPortal(origins, source) && source.origin !== origins.own) return '';
  return cookie(request.headers.cookie, nameOf(production));
}

/** The value of our cookie; undefined when there is none, or it is not one that we made. */
function cookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at === -1 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    if (shape.test(value)) return value;
  }
  return undefined;
}
