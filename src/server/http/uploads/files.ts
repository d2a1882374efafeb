import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Span = { start: number; end: number };

/** A stored file, as these endpoints need it. */
export type ServedFile = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  stream(span?: Span): Promise<Readable>;
};

export type FilesDeps = {
  /** Whose file a signed address shows; undefined when we did not sign it or its time is over. */
  verify: (signed: {
    id: string;
    key: string;
  }) => { accountId: string; fileId: string } | undefined;
  open: (accountId: string, fileId: string) => Promise<ServedFile | undefined>;
};

/** Shown where they stand; everything else is only ever saved to disk. */
const shown = /^(image\/(png|jpeg|webp|gif)|audio\/(ogg|mp4|mpeg|aac|webm)|video\/(mp4|3gpp))$/;
const CACHE_SECONDS = 3_000;

const FILES = '/files/';

/**
 * Kept files by their signed, short-lived addresses (docs/wire.md#uploads). Their bytes came from strangers:
 * nothing in them runs, whatever they are.
 *
 * @param mediaOrigin where they are shown, and nothing else is, when that is not the portal's own
 *   address.
 */
export function registerFiles(app: FastifyInstance, deps: FilesDeps, mediaOrigin?: string): void {
  if (mediaOrigin !== undefined) keepApart(app, new URL(mediaOrigin).host);
  serveSigned(app, { url: `${FILES}:id`, cache: `private, max-age=${CACHE_SECONDS}` }, deps);
}

/** Files under one host, everything else under the others: neither is found where the other is. */
function keepApart(app: FastifyInstance, mediaHost: string): void {
  app.addHook('onRequest', async (request, reply) => {
    const here = request.host === mediaHost;
    if (here !== request.url.startsWith(FILES)) {
      return reply
        .code(404)
        .header('cache-control', 'no-store')
        .type('text/plain; charset=utf-8')
        .send('Tidak ditemukan.');
    }
    // The portal stands at another site; the address itself is what opens a file.
    if (here) reply.header('cross-origin-resource-policy', 'cross-origin');
    return undefined;
  });
}

/** Archives of an account's data by their signed addresses: for one day, and kept by no cache. */
export const registerArchives = (app: FastifyInstance, deps: FilesDeps): void =>
  serveSigned(app, { url: '/exports/:id', cache: 'private, no-store' }, deps);

/** Files of rows by their signed addresses: for one day, and kept by no cache. */
export const registerRowExports = (app: FastifyInstance, deps: FilesDeps): void =>
  serveSigned(app, { url: '/row-exports/:id', cache: 'private, no-store' }, deps);

/** Documents of invoices by their signed addresses: for minutes, and kept by no cache. */
export const registerInvoices = (app: FastifyInstance, deps: FilesDeps): void =>
  serveSigned(app, { url: '/invoices/:id', cache: 'private, no-store' }, deps);

function serveSigned(
  app: FastifyInstance,
  { url, cache }: { url: string; cache: string },
  { verify, open }: FilesDeps,
): void {
  app.route<{ Params: { id: string }; Querystring: { k?: unknown } }>({
    method: ['GET', 'HEAD'],
    url,
    handler: async (request, reply) => {
      const { k } = request.query;
      const claim = typeof k === 'string' ? verify({ id: request.params.id, key: k }) : undefined;
      const file = claim && (await open(claim.accountId, claim.fileId));
      if (!file) return reply.callNotFound();
      return sendFile(request, reply, { ...file, cache });
    },
  });
}

/**
 * Sends a file as its kind allows: pictures, sound and film in place, everything else as a download of
 * unknown type, all of it in a sandbox. A player may ask for a span (`Range`), as seeking does.
 */
export async function sendFile(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile & { cache?: string },
): Promise<FastifyReply> {
  const ifRange = headers['if-range'];
  const etag = `"${file.fileId}"`;
  const wanted = ifRange === undefined || ifRange === etag ? headers.range : undefined;
  const span = spanOf(wanted, file.sizeBytes);
  // Before a header is set: none of them belongs to the answer that it cannot be had now.
  const bytes = method === 'HEAD' || span === 'none' ? undefined : await file.stream(span);
  const open = shown.test(file.mime);
  reply.headers({
    ...(file.cache !== undefined && { 'cache-control': file.cache }),
    'content-type': open ? file.mime : 'application/octet-stream',
    'content-disposition': `${open ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded(file.name)}`,
    'content-security-policy': "sandbox; default-src 'none'",
    'accept-ranges': 'bytes',
    etag,
  });
  if (span === 'none') {
    return reply.code(416).header('content-range', `bytes */${file.sizeBytes}`).send('');
  }
  if (span) {
    reply.code(206);
    reply.header('content-range', `bytes ${span.start}-${span.end}/${file.sizeBytes}`);
  }
  reply.header('content-length', span ? span.end - span.start + 1 : file.sizeBytes);
  return reply.send(bytes);
}

/**
 * The one span a `Range` header names; undefined for the whole file (also when several are named, which
 * nobody needs), `none` when it lies beyond the file.
 */
function spanOf(range: string | undefined, size: number): Span | 'none' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  return start > end ? 'none' : { start, end };
}

/** RFC 8187: what may not stand in a header's value is escaped. */
export const encoded = (name: string): string =>
  encodeURIComponent(name.toWellFormed().slice(0, 400).toWellFormed()).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
