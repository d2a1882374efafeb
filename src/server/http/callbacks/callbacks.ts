import type { FastifyInstance } from 'fastify';
import { isTransient } from '#server/infra/postgres/database.ts';

/** What became of a notice; see the application, which decides. */
type Received = 'stored' | 'known' | 'forged' | 'malformed' | 'unserved';

export type CallbacksDeps = {
  /** Whose notices are taken: `/callbacks/<provider>`. */
  providers: readonly string[];
  /** Stores a notice, before anything of it is believed. */
  receive: (
    provider: string,
    notice: { headers: Readonly<Record<string, string | string[] | undefined>>; raw: Buffer },
  ) => Promise<Received>;
  report: (bug: unknown, requestId: string) => void;
};

const BODY_BYTES_MAX = 65_536;
const RETRY_SECONDS = 60;

const statuses: Readonly<Record<Received, number>> = {
  stored: 200,
  known: 200,
  forged: 401,
  malformed: 400,
  unserved: 404,
};

/**
 * Where payment gateways tell us what happened (docs/money.md#gateways). The body is taken as it comes,
 * whatever it says it is. 503, so that it is sent again, while it cannot be stored.
 */
export function registerCallbacks(app: FastifyInstance, deps: CallbacksDeps): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX },
      (_request, body, done) => done(null, body),
    );
    for (const provider of deps.providers) {
      scope.post(
        `/callbacks/${provider}`,
        { bodyLimit: BODY_BYTES_MAX },
        async (request, reply) => {
          reply.header('cache-control', 'no-store').type('application/json; charset=utf-8');
          const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          try {
            const received = await deps.receive(provider, { headers: request.headers, raw });
            return await reply.code(statuses[received]).send({ received });
          } catch (error) {
            if (!isTransient(error)) deps.report(error, request.id);
            return reply
              .code(503)
              .header('retry-after', String(RETRY_SECONDS))
              .send({ received: 'later' });
          }
        },
      );
    }
  });
}
