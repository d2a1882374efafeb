import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CaptchaSources } from '#server/infra/security/captcha-providers.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { errorBody } from '#server/http/dialects/fonnte.ts';
import { sameBytes, sha256 } from '#server/infra/security/secrets.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';

const asBrotli = promisify(brotliCompress);
const asGzip = promisify(gzip);

type Coding = 'br' | 'gzip';

/** One file of the built web app, held in memory: the whole app is a few megabytes. */
type Asset = {
  type: string;
  etag: string;
  bytes: Buffer;
  /** Filled on first request; undefined for files that do not compress. */
  compressed: Map<Coding, Promise<Buffer>> | undefined;
  immutable: boolean;
};

export type WebApp = {
  build: string;
  page: Asset | undefined;
  files: ReadonlyMap<string, Asset>;
};

type Deps = {
  apiOrigin: string | undefined;
  mediaOrigin?: string | undefined;
  captcha?: CaptchaSources | undefined;
  simulator: boolean;
  /** Whether the component gallery is served: never in production. */
  gallery: boolean;
};

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const compressible = /^(text\/|application\/(json|manifest|wasm)|image\/svg|audio\/wav)/;

/** Other addresses show the web app's not-found page, with status 404. */
export const screens: ReadonlySet<string> = new Set([
  '/',
  '/auth',
  '/auth/forgot-password',
  '/auth/forgot-password/change',
  '/auth/forgot-password/otp',
  '/auth/forgot-password/phone',
  '/auth/login',
  '/auth/register',
  '/auth/verify-otp',
  '/billing',
  '/customer-service',
  '/docs',
  '/leaving',
  '/message-history',
  '/message-history/kiriman',
  '/message-history/ekspor',
  '/message-history/berhenti',
  '/operator',
  '/operator/audit',
  '/operator/harga',
  '/operator/isi-saldo',
  '/operator/kanal',
  '/operator/keamanan',
  '/operator/layanan',
  '/operator/mutasi-bank',
  '/operator/mutasi-bank/impor',
  '/operator/operator',
  '/operator/pelanggan',
  '/operator/penyesuaian',
  '/operator/pembukuan',
  '/operator/pengaturan',
  '/operator/pengumuman',
  '/operator/suspense',
  '/operator/token',
  '/profile',
  '/saldo',
  '/token',
  '/token/templat',
  '/token/webhook',
]);
const galleryPath = /^\/__galeri(?:\/[a-z0-9-]{1,64})?$/;
const scanPath = /^\/scan\/[A-Za-z0-9_.~-]{1,512}$/;

/**
 * Reads the built web app.
 *
 * Only the files found now are served, by their exact names: no address ever becomes a path.
 *
 * @param folder the build folder; a missing one gives an app without files.
 */
export async function readWebApp(folder: string): Promise<WebApp> {
  const files = await readAssets(folder);
  const page = files.get('/index.html');
  files.delete('/index.html');
  return { build: page ? page.etag.slice(3, 15) : 'none', page, files };
}

/**
 * Serves the web app: hashed files cached for a year, everything else revalidated, and the one page at every address
 * for people.
 */
export function openStatic(app: FastifyInstance, { page, files }: WebApp, deps: Deps): void {
  const policy = pagePolicy({
    scriptHashes: page ? inlineHashes(page.bytes.toString('utf8')) : [],
    apiOrigin: deps.apiOrigin,
    mediaOrigin: deps.mediaOrigin,
    captcha: deps.captcha,
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    if (request.method !== 'GET' && request.method !== 'HEAD') return answerProgram(request, reply);
    const file = files.get(path);
    if (path.startsWith('/scan')) reply.header('x-robots-tag', 'noindex');
    const known =
      screens.has(path) ||
      scanPath.test(path) ||
      (deps.simulator && path === '/simulator') ||
      (deps.gallery && galleryPath.test(path));
    if (!file && path.startsWith('/assets/')) return notFound(reply);
    if (!file && !(page && wantsPage(known, request))) return answerProgram(request, reply);
    reply.header('content-security-policy', policy);
    if (file) return sendAsset(request, reply, file, 200);
    return page ? sendAsset(request, reply, page, known ? 200 : 404) : notFound(reply);
  });
}

/** Answers in the dialect whose addresses begin at the root. */
function answerProgram(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const no = new Refusal('path_unknown', {});
  return reply
    .code(404)
    .header('cache-control', 'no-store')
    .header('x-kabari-error', no.code)
    .send(errorBody(no, { id: request.id, path: '' }));
}

function notFound(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .header('cache-control', 'no-store')
    .type('text/plain; charset=utf-8')
    .send('Tidak ditemukan.');
}

/** Browsers accept HTML explicitly; programs accept anything. */
function wantsPage(isScreen: boolean, { headers: { accept } }: FastifyRequest): boolean {
  if (accept?.includes('text/html')) return true;
  return isScreen && (accept === undefined || accept.includes('*/*'));
}

async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  status: number,
): Promise<FastifyReply> {
  reply.headers({
    'content-type': asset.type,
    'cache-control': asset.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: asset.etag,
    vary: 'Accept-Encoding',
  });
  if (status === 200 && request.headers['if-none-match'] === asset.etag)
    return reply.code(304).send();
  const range = status === 200 ? rangeOf(request.headers.range, asset.bytes.length) : undefined;
  if (range) {
    const [from, to] = range;
    reply.header('content-range', `bytes ${from}-${to}/${asset.bytes.length}`);
    return reply.code(206).send(asset.bytes.subarray(from, to + 1));
  }
  const coding = asset.compressed && codingFor(request.headers['accept-encoding']);
  if (!coding) return reply.code(status).header('accept-ranges', 'bytes').send(asset.bytes);
  return reply
    .code(status)
    .header('content-encoding', coding)
    .send(await compressed(asset, coding));
}

function rangeOf(header: string | undefined, length: number): [number, number] | undefined {
  const [, first, last] = /^bytes=(\d{1,9})-(\d{0,9})$/.exec(header ?? '') ?? [];
  if (first === undefined) return undefined;
  const from = Number(first);
  const to = last ? Math.min(Number(last), length - 1) : length - 1;
  return from <= to ? [from, to] : undefined;
}

function codingFor(accepted: string | undefined): Coding | undefined {
  if (accepted === undefined) return undefined;
  if (/\bbr\b/.test(accepted)) return 'br';
  return /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
}

function compressed(asset: Asset, coding: Coding): Promise<Buffer> {
  const known = asset.compressed?.get(coding);
  if (known) return known;
  // 9 instead of 11: a tenth of the time for 2 % more bytes, once per file and start.
  const made =
    coding === 'br'
      ? asBrotli(asset.bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: 9,
            [constants.BROTLI_PARAM_SIZE_HINT]: asset.bytes.length,
          },
        })
      : asGzip(asset.bytes, { level: 9 });
  asset.compressed?.set(coding, made);
  return made;
}

async function readAssets(folder: string): Promise<Map<string, Asset>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const named = files
    .map((file) => ({ file, path: `/${relative(folder, file).split(sep).join('/')}` }))
    .filter(({ path }) => !path.includes('/.'));
  const assets = await Promise.all(
    named.map(async ({ file, path }) => [path, assetOf(path, await readFile(file))] as const),
  );
  return new Map(assets);
}

function assetOf(path: string, bytes: Buffer): Asset {
  const type = types[extname(path)] ?? 'application/octet-stream';
  return {
    type,
    etag: `W/"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`,
    bytes,
    compressed: compressible.test(type) && bytes.length > 500 ? new Map() : undefined,
    immutable: path.startsWith('/assets/'),
  };
}

/** The hashes of a page's inline scripts, for the content security policy. */
export function inlineHashes(html: string): string[] {
  const scripts = html.matchAll(/<script(?<attributes>[^>]*)>(?<code>[\s\S]*?)<\/script>/g);
  return [...scripts]
    .filter(({ groups }) => !/\ssrc\s*=/.test(groups?.['attributes'] ?? ''))
    .map(({ groups }) =>
      createHash('sha256')
        .update(groups?.['code'] ?? '')
        .digest('base64'),
    )
    .map((hash) => `'sha256-${hash}'`);
}

/** The policy of pages without our code: it allows nothing. */
const STRICT_POLICY =
  "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Permissions-Policy: features that our pages use, and those denied to all. */
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
/** Message sounds, full-screen images, voice messages, the current location, passkeys. */
const OWN: ReadonlySet<string> = new Set([
  'autoplay',
  'fullscreen',
  'geolocation',
  'microphone',
  'publickey-credentials-create',
  'publickey-credentials-get',
]);
/** Also used by the simulated phone: its camera uses the device's camera or a shared screen. */
const OWN_SIMULATING: ReadonlySet<string> = new Set([...OWN, 'camera', 'display-capture']);

export type Headers = Readonly<Record<string, string>>;

/** The headers of every response (docs/threats.md, T46). */
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

/** Sets the headers on every response before other hooks run, including 404s and errors. */
export function putHeaders(app: FastifyInstance, headers: Headers): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...headers, 'x-request-id': request.id });
  });
}

/** The headers set so far, for a response written without Fastify. */
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
  apiOrigin: string | undefined;
  mediaOrigin?: string | undefined;
  captcha?: CaptchaSources | undefined;
};

/**
 * The policy of the web app's pages (docs/threats.md, T9): our own files only, no inline code but the theme script,
 * no code from text.
 */
function pagePolicy(parts: PolicyParts): string {
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

/** Resolves if a required dependency is healthy, and throws otherwise. */
export type Check = () => Promise<void>;

type HealthDeps = {
  checks: Readonly<Record<string, Check>>;
  /** Checks that are shown but do not affect readiness: most functions work without them. */
  shown?: Readonly<Record<string, Check>>;
  /** Extra facts in `/readyz`, which do not affect readiness. */
  facts?: () => Readonly<Record<string, unknown>>;
  /** False once the application begins to close. */
  open: () => boolean;
  metricsText: () => Promise<string>;
  metricsToken: string | undefined;
};

const CHECK_MS_MAX = 2_000;
/** Results are shared for this long, so that requests cannot overload the database. */
const REMEMBER_MS = 500;

type Verdict = { ready: boolean; checks: Record<string, 'ok' | 'failing'> };

const closing: Verdict = { ready: false, checks: {} };

export function openHealth(app: FastifyInstance, deps: HealthDeps): void {
  const config = { isServedLate: true, traced: false };
  let known: { verdict: Promise<Verdict>; until: number } | undefined;
  const verdict = (): Promise<Verdict> => {
    if (!known || performance.now() > known.until) {
      known = { verdict: judge(deps), until: performance.now() + REMEMBER_MS };
    }
    return known.verdict;
  };

  app.get('/healthz', { config }, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );
  app.get('/readyz', { config }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    // Answers at once, without running the checks: the load balancer has only a few seconds.
    const { ready, checks } = deps.open() ? await verdict() : closing;
    const well = ready && deps.open();
    reply.code(well ? 200 : 503);
    if (!well) reply.header('retry-after', '5');
    return {
      status: well ? 'ready' : deps.open() ? 'failing' : 'closing',
      checks,
      ...deps.facts?.(),
    };
  });
  app.get('/metrics', { config }, async (request, reply) => {
    if (!mayRead(request, deps.metricsToken)) return reply.callNotFound();
    return reply
      .header('cache-control', 'no-store')
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(await deps.metricsText());
  });
}

async function judge({
  checks,
  shown = {},
}: Pick<HealthDeps, 'checks' | 'shown'>): Promise<Verdict> {
  const judged = await Promise.all(
    Object.entries({ ...checks, ...shown }).map(async ([name, check]) => {
      const passes = check().then(
        () => true,
        () => false,
      );
      const ok = await withTimeout(passes, CHECK_MS_MAX, () => false);
      return [name, ok ? 'ok' : 'failing'] as const;
    }),
  );
  const ready = judged.every(([name, how]) => how === 'ok' || name in shown);
  return { ready, checks: Object.fromEntries(judged) };
}

const loopback = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

/** Allows this machine itself, but no caller behind a proxy on it, and callers with the token. */
function mayRead(request: FastifyRequest, token: string | undefined): boolean {
  if (token !== undefined) {
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    return given !== undefined && sameBytes(sha256(given), sha256(token));
  }
  const { headers } = request;
  const proxied = 'x-forwarded-for' in headers || 'forwarded' in headers || 'via' in headers;
  return !proxied && loopback.test(request.socket.remoteAddress ?? '');
}
