import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { encoded } from '#server/http/uploads/files.ts';

export type StatementsDeps = {
  /** The file of a signed address; undefined when we did not sign it, or its time is over. */
  open: (address: {
    id: string;
    key: string;
  }) => Promise<{ name: string; stream: Readable } | undefined>;
  /** @throws Refusal `too_many_requests`: it is read anew each time. */
  allow: (ip: string) => Promise<void>;
};

/** Statements of the saldo by their signed addresses, written as they are read; kept by no cache. */
export const registerStatements = (app: FastifyInstance, deps: StatementsDeps): void =>
  serveWritten(app, '/statements/:id', deps);

/** Threads of customer service as text, by their signed addresses; the same way. */
export const registerTranscripts = (app: FastifyInstance, deps: StatementsDeps): void =>
  serveWritten(app, '/transcripts/:id', deps);

/** Lines of the audit log as CSV, by their signed addresses; the same way. */
export const registerAuditExports = (app: FastifyInstance, deps: StatementsDeps): void =>
  serveWritten(app, '/audit-exports/:id', deps);

function serveWritten(app: FastifyInstance, url: string, { open, allow }: StatementsDeps): void {
  app.route<{ Params: { id: string }; Querystring: { k?: unknown } }>({
    method: 'GET',
    url,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      await allow(request.ip);
      const { k } = request.query;
      const found =
        typeof k === 'string' ? await open({ id: request.params.id, key: k }) : undefined;
      if (!found) return reply.callNotFound();
      reply.headers({
        'cache-control': 'private, no-store',
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${encoded(found.name)}`,
        'content-security-policy': "sandbox; default-src 'none'",
      });
      return reply.send(found.stream);
    },
  });
}
