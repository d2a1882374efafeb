import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CaptchaSources } from '#server/infra/security/captcha-providers.ts';

/** What a page may do that carries none of our code: nothing. */
const STRICT_POLICY =
  "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Powers of the browser that our pages name: those they use, and those that nobody may. */
const PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'usb',
  'xr-spatial-tracking',
];
/** Used by our own pages: the sound of a message, pictures shown large, voice messages, one's own place to send, passkeys. */
const OWN: ReadonlySet<string> = new Set([
  'autoplay',
  'fullscreen',
  'geolocation',
  'microphone',
  'publickey-credentials-create',
  'publickey-credentials-get',
]);
/** Used by the simulated phone too: its camera may look through the device's, or at a shared screen. */
const OWN_SIMULATING: ReadonlySet<string> = new Set([...OWN, 'camera', 'display-capture']);

export type Headers = Readonly<Record<string, string>>;

/** The headers that every answer carries, whatever it is (docs/threats.md, T46). */
export const safetyHeaders = ({
  production,
  SIMULATOR,
}: {
  production: boolean;
  SIMULATOR: boolean;
}): Headers => ({
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': STRICT_POLICY,
  'permissions-policy': permissions(SIMULATOR ? OWN_SIMULATING : OWN),
  ...(production && { 'strict-transport-security': 'max-age=63072000; includeSubDomains' }),
});

const permissions = (own: ReadonlySet<string>): string =>
  PERMISSIONS.map((one) => `${one}=(${own.has(one) ? 'self' : ''})`).join(', ');

/** Puts the headers on every answer before anybody else touches it, 404 and errors included. */
export function putHeaders(app: FastifyInstance, headers: Headers): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...headers, 'x-request-id': request.id });
  });
}

/** What has been set so far, for an answer that is written without Fastify. */
export function headersOf(reply: FastifyReply): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) set[name] = String(value);
  }
  return set;
}

type PolicyParts = {
  /** `'sha256-…'` of each inline script in index.html. */
  scriptHashes: readonly string[];
  /** Where acts are sent when that is not our own origin. */
  apiOrigin: string | undefined;
  /** Where files are shown when that is not our own origin. */
  mediaOrigin?: string | undefined;
  /** What a captcha from elsewhere needs; nothing of it is allowed when none was chosen. */
  captcha?: CaptchaSources | undefined;
};

/**
 * The policy of the web app's pages, built from the settings (docs/threats.md, T9): our own files only, no
 * inline code but the theme script, no code from text.
 */
export function pagePolicy(parts: PolicyParts): string {
  const { scriptHashes, apiOrigin, mediaOrigin, captcha } = parts;
  const more = (sources: readonly (string | undefined)[] = []) =>
    sources.map((source) => (source === undefined ? '' : ` ${source}`)).join('');
  return [
    "default-src 'none'",
    `script-src 'self'${more(scriptHashes)}${more(captcha?.script)}`,
    `style-src 'self'${more(captcha?.style)}`,
    `img-src 'self' blob: data:${more([mediaOrigin])}`,
    `media-src 'self' blob:${more([mediaOrigin])}`,
    `connect-src 'self'${more([apiOrigin])}${more(captcha?.connect)}`,
    ...(captcha ? [`frame-src${more(captcha.frame)}`] : []),
    "font-src 'self'",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types app${more(captcha?.policies)}`,
  ].join('; ');
}
