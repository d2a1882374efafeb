import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import { Refusal } from '#contract/base/refusals.ts';
import { API_LIMITS, API_PREFIX } from '#contract/rest/limits.ts';
import { type ApiEndpoint, apiEndpoints } from '#contract/rest.ts';
import type { Endpoint } from '#contract/rest/endpoint.ts';
import { type Access, type ApiSender, bearerOf } from '#server/http/access.ts';
import { type KnownNumbers, plusAgain, readKnowing } from '#server/http/input.ts';
import { publicOrigin } from '#server/http/public-origin.ts';
import { answerNo, answerOther, takesMethod } from './answers.ts';
import {
  type Call,
  type Handlers,
  idempotencyKey,
  isObject,
  languageIn,
  malformed,
} from './call.ts';
import { type AccountCalls, accountHandlers } from './endpoints/account.ts';
import { type MediaCalls, mediaHandlers } from './endpoints/media.ts';
import { type MessageCalls, messageHandlers } from './endpoints/messages.ts';
import { type OptoutCalls, optoutHandlers } from './endpoints/opt-outs.ts';
import { type EventCalls, eventHandlers } from './endpoints/events.ts';
import { type TemplateCalls, templateHandlers } from './endpoints/templates.ts';
import { type WebhookCalls, deliveryHandlers, webhookHandlers } from './endpoints/webhooks.ts';
import { readFields } from './fields.ts';
import { OPENAPI_PATH, openApiDocument } from './openapi.ts';
import { type FirstAnswers, remember } from './remember.ts';

/** What the application hands to these endpoints: they know no domain. */
export type ApiDeps = {
  access: Access;
  messages: MessageCalls;
  media: MediaCalls;
  account: AccountCalls;
  optouts: OptoutCalls;
  knownNumbers: KnownNumbers;
  templates: TemplateCalls;
  webhooks: WebhookCalls & EventCalls;
  firstAnswer: FirstAnswers;
  /** The address people use; undefined for a local installation, which answers under any name. */
  publicUrl: string | undefined;
  report: (bug: unknown, requestId: string) => void;
};

/**
 * The public API, native dialect. Register it in a scope of its own under `API_PREFIX`: what lies there
 * and is no endpoint is answered here too, as problem details like every "no".
 */
export function openApi(app: FastifyInstance, deps: ApiDeps): void {
  app.decorateRequest('apiSender', undefined);
  deps.access.keepRejected(app, 'kabari');
  readJsonOnly(app);
  app.addHook('onRequest', async (request, reply) => {
    // API responses are never cached.
    void reply.header('cache-control', 'no-store');
    if (request.is404 || !takesMethod(request)) return answerOther(request, reply);
    if (request.routeOptions.url === OPENAPI_PATH) return undefined;
    await deps.access.admit(request, reply, bearerOf(request));
    return undefined;
  });
  app.setErrorHandler((error, request, reply) => answerNo(deps.report, error, request, reply));
  app.setNotFoundHandler((request, reply) => answerOther(request, reply));
  app.get(OPENAPI_PATH.slice(API_PREFIX.length), async (request) =>
    openApiDocument(publicOrigin(deps, request), languageIn(request)),
  );
  const handlers: Handlers = {
    ...messageHandlers(deps),
    ...mediaHandlers(deps),
    ...accountHandlers(deps.account),
    ...optoutHandlers(deps.optouts),
    ...templateHandlers(deps.templates),
    ...webhookHandlers(deps.webhooks),
    ...deliveryHandlers(deps.webhooks),
    ...eventHandlers(deps.webhooks),
  };
  const names = Object.keys(apiEndpoints) as ApiEndpoint[];
  const open = (scope: FastifyInstance, name: ApiEndpoint) =>
    openEndpoint(scope, deps, name, handlers[name] as unknown as AnyHandler);
  for (const name of names) if (!takesFile(name)) open(app, name);
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(multipart);
    for (const name of names) if (takesFile(name)) open(scope, name);
  });
}

const takesFile = (name: ApiEndpoint): boolean =>
  (apiEndpoints[name] satisfies Endpoint as Endpoint).takesFile ?? false;

/** What a handler of any endpoint is, once its call was read by the endpoint's own schemas. */
type AnyHandler = (call: Call<never>) => Promise<unknown>;

/** Teaches a scope JSON, and no other body. */
export function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: API_LIMITS.bodyBytes },
    (request, body, done) => {
      if (body.length === 0) return done(null);
      const text = textOf(body as Buffer);
      if (text === undefined) return done(malformed(request, 'notUtf8'));
      try {
        done(null, JSON.parse(text));
      } catch {
        done(malformed(request, 'json'));
      }
    },
  );
}

function openEndpoint(
  app: FastifyInstance,
  deps: ApiDeps,
  name: ApiEndpoint,
  handler: AnyHandler,
): void {
  const endpoint: Endpoint = apiEndpoints[name];
  const { method, path, scope, status, query, body } = endpoint;
  /** Where the handler reads the body by itself it keeps its answers by itself too. */
  const remembers = method === 'POST' && !endpoint.bodies && !takesFile(name);
  app.route({
    method,
    url: path.slice(API_PREFIX.length),
    config: { longBody: takesFile(name) },
    // Before the body is read.
    onRequest: async (request) => deps.access.allow(senderOf(request), scope),
    handler: async (request, reply) => {
      const sender = senderOf(request);
      const call = {
        sender,
        request,
        reply,
        reader: { language: languageIn(request), origin: publicOrigin(deps, request) },
        id: (request.params as { id?: string }).id ?? '',
        query: query && (await readPart(deps, query(), request, true)),
        body: body && (await readPart(deps, body(), request, false)),
      } as unknown as Call<never>;
      const key = remembers ? idempotencyKey(request) : undefined;
      if (key === undefined) {
        const answer = await handler(call);
        return reply.sent || answer === reply ? reply : reply.code(status).send(answer);
      }
      const input = JSON.stringify([request.url, request.body ?? null]);
      const asked = { tokenId: sender.tokenId, key, endpoint: `${method} ${path}`, input };
      const text = await remember(deps.firstAnswer, asked, reply, () => handler(call));
      return reply.code(status).type('application/json; charset=utf-8').send(text);
    },
  });
}

function senderOf({ apiSender }: FastifyRequest): ApiSender {
  if (!apiSender) throw new Error('a call without its sender');
  return apiSender;
}

/** @throws Refusal `input_invalid` with a sentence for each field */
async function readPart(
  { knownNumbers }: ApiDeps,
  schema: z.ZodMiniType,
  request: FastifyRequest,
  fromAddress: boolean,
): Promise<unknown> {
  const input = fromAddress ? withPlus(request.query) : (request.body ?? {});
  const options = { language: languageIn(request), fromAddress };
  const { accountId } = senderOf(request);
  const { read } = await readKnowing(knownNumbers, accountId, () =>
    readFields(schema, input, options),
  );
  if (read instanceof Refusal) throw read;
  return read;
}

/** A query whose numbers have the `+` again that an address without `%2B` turned into a blank. */
const withPlus = (query: unknown): unknown =>
  isObject(query)
    ? Object.fromEntries(
        Object.entries(query).map(([name, value]) => [
          name,
          typeof value === 'string' ? plusAgain(value) : value,
        ]),
      )
    : query;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body; nothing for bytes that are no UTF-8: read anyway, they would become other words. */
function textOf(body: Buffer): string | undefined {
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}
