import type { FastifyInstance } from 'fastify';

export type FilesDeps = {
  /** Whose file a signed address shows; undefined when we did not sign it or its time is over. */
  verify: (signed: {
    id: string;
    key: string;
  }) => { accountId: string; fileId: string } | undefined;
  read: (
    accountId: string,
    fileId: string,
  ) => Promise<{ name: string; mime: string; bytes: Buffer } | undefined>;
};

/** Shown where they stand; everything else is only ever saved to disk. */
const shown = /^(image\/(png|jpeg|webp|gif)|audio\/ogg|video\/mp4)$/;
const CACHE_SECONDS = 3_000;

/**
 * Kept files by their signed, short-lived addresses (`rulings.md`, 33). Their bytes came from strangers:
 * nothing in them runs, whatever they are.
 */
export function openFilesDoor(app: FastifyInstance, { verify, read }: FilesDeps): void {
  app.get<{ Params: { id: string }; Querystring: { k?: unknown } }>(
    '/files/:id',
    async (request, reply) => {
      const { k } = request.query;
      const claim = typeof k === 'string' ? verify({ id: request.params.id, key: k }) : undefined;
      const file = claim && (await read(claim.accountId, claim.fileId));
      if (!file) return reply.callNotFound();
      const open = shown.test(file.mime);
      return reply
        .headers({
          'content-type': open ? file.mime : 'application/octet-stream',
          'content-disposition': `${open ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded(file.name)}`,
          'content-security-policy': "sandbox; default-src 'none'",
          'cache-control': `private, max-age=${CACHE_SECONDS}`,
        })
        .send(file.bytes);
    },
  );
}

/** RFC 8187: what may not stand in a header's value is escaped. */
const encoded = (name: string): string =>
  encodeURIComponent(name.slice(0, 200)).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
