import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isTransient } from '#server/infra/postgres/database.ts';

type Received = 'stored' | 'known' | 'forged' | 'malformed' | 'unserved';

type Report = (bug: unknown, requestId: string) => void;

export type CallbacksDeps = {
  providers: readonly string[];
  /** Stores a notification before it is interpreted. */
  receive: (
    provider: string,
    notice: { headers: Readonly<Record<string, string | string[] | undefined>>; raw: Buffer },
  ) => Promise<Received>;
  report: Report;
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
 * The endpoint for payment gateways' notifications (docs/money.md#gateways). Takes the raw body of any
 * content type. Answers 503 while it cannot be stored, so that the gateway retries.
 */
export function registerCallbacks(app: FastifyInstance, deps: CallbacksDeps): void {
  void app.register(async (scope) => {
    takeRawBodies(scope, BODY_BYTES_MAX);
    for (const provider of deps.providers) {
      scope.post(
        `/callbacks/${provider}`,
        { bodyLimit: BODY_BYTES_MAX },
        async (request, reply) => {
          reply.header('cache-control', 'no-store').type('application/json; charset=utf-8');
          try {
            const notice = { headers: request.headers, raw: rawBody(request) };
            const received = await deps.receive(provider, notice);
            return await reply.code(statuses[received]).send({ received });
          } catch (error) {
            return answerLater(reply, error, { report: deps.report, seconds: RETRY_SECONDS });
          }
        },
      );
    }
  });
}

type CloudCallbackDeps = {
  callbacks: {
    handshake: (
      callbackKey: string,
      asked: {
        mode?: string | undefined;
        token?: string | undefined;
        challenge?: string | undefined;
      },
    ) => Promise<string | undefined>;
    receive: (
      callbackKey: string,
      posted: { raw: Buffer; signature: string | readonly string[] | undefined },
    ) => Promise<Exclude<Received, 'known'>>;
  };
  report: Report;
};

/** The longest body that Meta posts. */
const CLOUD_BODY_BYTES_MAX = 3 * 1_048_576;
const CLOUD_RETRY_SECONDS = 30;

const PATH = '/callbacks/cloud/:key';

/**
 * The endpoint for Meta's message statuses and incoming messages (docs/channels.md#cloud-callbacks). Takes the raw
 * body, which the signature covers. Answers 200 once all of it is stored; 503 while it cannot be, so that Meta
 * retries.
 */
export function registerCloudCallbacks(
  app: FastifyInstance,
  { callbacks, report }: CloudCallbackDeps,
): void {
  const retry = { report, seconds: CLOUD_RETRY_SECONDS };
  void app.register(async (scope) => {
    takeRawBodies(scope, CLOUD_BODY_BYTES_MAX);
    scope.get<{ Params: { key: string }; Querystring: Record<string, unknown> }>(
      PATH,
      async ({ params, query }, reply) => {
        reply.header('cache-control', 'no-store');
        try {
          const challenge = await callbacks.handshake(params.key, {
            mode: textIn(query['hub.mode']),
            token: textIn(query['hub.verify_token']),
            challenge: textIn(query['hub.challenge']),
          });
          if (challenge === undefined) return await reply.code(403).send({ received: 'forged' });
          return await reply.type('text/plain; charset=utf-8').send(challenge);
        } catch (error) {
          return answerLater(reply, error, retry);
        }
      },
    );
    scope.post<{ Params: { key: string } }>(
      PATH,
      { bodyLimit: CLOUD_BODY_BYTES_MAX },
      async (request, reply) => {
        reply.header('cache-control', 'no-store').type('application/json; charset=utf-8');
        const raw = rawBody(request);
        const signature = request.headers['x-hub-signature-256'];
        try {
          const received = await callbacks.receive(request.params.key, { raw, signature });
          return await reply.code(statuses[received]).send({ received });
        } catch (error) {
          return answerLater(reply, error, retry);
        }
      },
    );
  });
}

function takeRawBodies(scope: FastifyInstance, bodyLimit: number): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
    done(null, body),
  );
}

const rawBody = ({ body }: FastifyRequest): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.alloc(0);

/** Answers 503, so that the sender retries, and reports errors other than a lost database. */
function answerLater(
  reply: FastifyReply,
  error: unknown,
  { report, seconds }: { report: Report; seconds: number },
): FastifyReply {
  if (!isTransient(error)) report(error, reply.request.id);
  return reply.code(503).header('retry-after', String(seconds)).send({ received: 'later' });
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
