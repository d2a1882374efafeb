import * as z from 'zod/mini';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal, type RefusalCode, refusals } from '#contract/base/refusals.ts';
import {
  API_LIMITS,
  API_PREFIX,
  type Endpoint,
  alwaysRefused,
  fieldNotes,
  problems,
} from '#contract/rest/endpoint.ts';
import { type ApiEndpoint, apiEndpoints, type AnswerOf } from '#contract/rest.ts';
import { type Files, type Library, apiMediaOf } from '#server/domains/media/media.ts';
import type { ApiMessages } from '#server/domains/messages/messages.ts';
import type { ApiCall, ApiHandlers, KeyHolder, ApiReader } from '#server/infra/endpoints.ts';
import { type Access, bearerOf } from '#server/http/access.ts';
import { restorePlus, readWithKnownNumbers, refuseUnstorable } from '#server/http/input.ts';
import { publicOrigin } from '#server/http/origin.ts';
import { sendError, answerOther, takesMethod, phrases } from './answers.ts';
import {
  type HttpCall,
  idempotencyKey,
  isObject,
  languageIn,
  malformed,
  messageReceiver,
  type RunIdempotent,
  answerIdempotent,
  readFields,
} from './send.ts';
import type { Bilingual, Language } from '#contract/language/language.ts';
import { oncePer } from '#contract/base/schema.ts';
import { eventSummary, WebhookEvent } from '#contract/webhooks.ts';
import { FILE_NAME_MAX } from '#contract/uploads.ts';
import { withinPace } from '#server/http/connections.ts';
import {
  LARGEST,
  bytesIn,
  fileFormOf,
  FORM_BYTES,
  PACE,
  openBodyLimiter,
} from '#server/http/uploads.ts';

import multipart from '@fastify/multipart';

/** Endpoints that read the body themselves. */
type Receiving = 'sendMessage' | 'addMedia';

export type ApiDeps = {
  access: Access;
  endpoints: ApiHandlers<Exclude<ApiEndpoint, Receiving>>;
  messages: ApiMessages;
  library: Library;
  files: Files;
  runIdempotent: RunIdempotent;
  /** The public address; undefined for a local installation, which answers under any host name. */
  publicUrl: string | undefined;
  report: (bug: unknown, requestId: string) => void;
};

/**
 * The public API, the native dialect. Register it in a separate scope under `API_PREFIX`: unknown addresses there
 * are answered here too, as problem details.
 */
export function openApi(app: FastifyInstance, deps: ApiDeps): void {
  app.decorateRequest('apiSender', undefined);
  deps.access.recordRejectedCall(app, 'kabari');
  readJsonOnly(app);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    if (request.is404 || !takesMethod(request)) return answerOther(request, reply);
    if (request.routeOptions.url === OPENAPI_PATH) return undefined;
    await deps.access.admit(request, reply, bearerOf(request));
    return undefined;
  });
  app.setErrorHandler((error, request, reply) => sendError(deps.report, error, request, reply));
  app.setNotFoundHandler((request, reply) => answerOther(request, reply));
  app.get(OPENAPI_PATH.slice(API_PREFIX.length), async (request) =>
    openApiDocument(publicOrigin(deps, request), languageIn(request)),
  );
  const receivers: Record<Receiving, Handler> = {
    sendMessage: messageReceiver(deps.messages),
    addMedia: mediaReceiver(deps),
  };
  const handlers = { ...deps.endpoints, ...receivers } as Record<ApiEndpoint, Handler>;
  const names = Object.keys(apiEndpoints) as ApiEndpoint[];
  const open = (scope: FastifyInstance, name: ApiEndpoint) =>
    openEndpoint(scope, deps, name, handlers[name]);
  for (const name of names) if (!takesFile(name)) open(app, name);
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(multipart);
    for (const name of names) if (takesFile(name)) open(scope, name);
  });
}

const takesFile = (name: ApiEndpoint): boolean =>
  (apiEndpoints[name] satisfies Endpoint as Endpoint).takesFile ?? false;

type Handler = (call: ApiCall<never> & HttpCall) => Promise<unknown>;

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
  handler: Handler,
): void {
  const endpoint: Endpoint = apiEndpoints[name];
  const { method, path, scope, status, query, body } = endpoint;
  /** A handler that parses the body itself also stores its answers itself. */
  const isIdempotent = method === 'POST' && !endpoint.bodies && !takesFile(name);
  app.route({
    method,
    url: path.slice(API_PREFIX.length),
    config: { longBody: takesFile(name) },
    onRequest: async (request) => deps.access.allow(senderOf(request), scope),
    handler: async (request, reply) => {
      const sender = senderOf(request);
      const call = {
        sender,
        request,
        reply,
        agent: request.headers['user-agent'] ?? '',
        reader: { language: languageIn(request), origin: publicOrigin(deps, request) },
        id: (request.params as { id?: string }).id ?? '',
        query: query && (await readPart(deps, query(), request, true)),
        body: body && (await readPart(deps, body(), request, false)),
      } as unknown as Parameters<Handler>[0];
      const key = isIdempotent ? idempotencyKey(request) : undefined;
      if (key === undefined) {
        const answer = await handler(call);
        return answer === reply ? reply : reply.code(status).send(answer);
      }
      const input = JSON.stringify([request.url, request.body ?? null]);
      const idempotentCall = { tokenId: sender.tokenId, key, endpoint: `${method} ${path}`, input };
      const text = await answerIdempotent(deps.runIdempotent, idempotentCall, reply, () =>
        handler(call),
      );
      return reply.code(status).type('application/json; charset=utf-8').send(text);
    },
  });
}

function senderOf({ apiSender }: FastifyRequest): KeyHolder {
  if (!apiSender) throw new Error('the call has no sender');
  return apiSender;
}

/** @throws Refusal `input_invalid` with a sentence for each field */
async function readPart(
  { messages }: ApiDeps,
  schema: z.ZodMiniType,
  request: FastifyRequest,
  fromAddress: boolean,
): Promise<unknown> {
  const input = fromAddress ? withPlus(request.query) : (request.body ?? {});
  const options = { language: languageIn(request), fromAddress };
  const { accountId } = senderOf(request);
  const { read } = await readWithKnownNumbers(messages.known, accountId, () =>
    readFields(schema, input, options),
  );
  if (read instanceof Refusal) throw read;
  return read;
}

/** A query with the `+` restored before numbers, where it was not written as `%2B`. */
const withPlus = (query: unknown): unknown =>
  isObject(query)
    ? Object.fromEntries(
        Object.entries(query).map(([name, value]) => [
          name,
          typeof value === 'string' ? restorePlus(value) : value,
        ]),
      )
    : query;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined for bytes that are not UTF-8, which would otherwise be decoded to other characters. */
function textOf(body: Buffer): string | undefined {
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

const OPENAPI_PATH = `${API_PREFIX}/openapi.json`;

type Schema = Record<string, unknown>;

/**
 * The API as an OpenAPI 3.1 document, generated from the endpoint registry.
 *
 * @param origin the origin of the request
 */
const openApiDocument = (origin: string, language: Language): Schema => ({
  ...documentIn(language),
  servers: [{ url: origin }],
});

const documentIn = oncePer((language: Language) => ({
  openapi: '3.1.0',
  info: {
    title: 'Kabari',
    version: '1',
    description: {
      id: 'API HTTP Kabari. Penjelasan lengkap, contoh, dan arti setiap penolakan ada di /docs.',
      en: 'The HTTP API of Kabari. Everything is explained, with examples and refusals, at /docs.',
    }[language],
    license: { name: 'MIT', identifier: 'MIT' },
  },
  security: [{ key: [] }],
  paths: pathsIn(language),
  webhooks: webhooksIn(language),
  components: {
    securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    schemas: Object.fromEntries(
      Object.entries(problems).map(([name, shape]) => [name, written(shape())]),
    ),
  },
}));

function pathsIn(language: Language): Schema {
  const paths: Record<string, Schema> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(apiEndpoints)) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = operationOf(name, endpoint, language);
  }
  return paths;
}

function operationOf(name: string, endpoint: Endpoint, language: Language): Schema {
  const { summary, scope, path, query, method } = endpoint;
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, id]) => ({
      name: id,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...(query ? queryParameters(query(), language) : []),
    ...(method === 'POST' ? [repeatKey] : []),
  ];
  return {
    operationId: name,
    summary: summary[language],
    tags: [path.split('/')[2]],
    'x-scope': scope,
    ...(parameters.length > 0 && { parameters }),
    ...requestOf(endpoint, language),
    responses: responsesOf(endpoint),
  };
}

const repeatKey = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: API_LIMITS.idempotencyKeyMax },
};

function queryParameters(query: z.ZodMiniType, language: Language): Schema[] {
  const { properties = {}, required = [] } = read(query, language) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

/** Client generators treat `format: binary` as a file. */
const fileForm = {
  type: 'object',
  properties: { file: { type: 'string', format: 'binary' }, name: { type: 'string' } },
  required: ['file'],
};

function requestOf({ body, bodies, takesFile }: Endpoint, language: Language): Schema {
  if (takesFile) {
    return {
      requestBody: { required: true, content: { 'multipart/form-data': { schema: fileForm } } },
    };
  }
  const shapes = (bodies ?? (body ? [body] : [])).map((shape) => read(shape(), language));
  if (shapes.length === 0) return {};
  const content = { 'application/json': { schema: oneOf(shapes) } };
  return { requestBody: { required: true, content } };
}

function responsesOf({ status, answer, answers, problem, refuses }: Endpoint): Schema {
  const shapes = (answers ?? (answer ? [answer] : [])).map((shape) => written(shape()));
  const success = {
    description: 'OK',
    ...(shapes.length > 0 && { content: { 'application/json': { schema: oneOf(shapes) } } }),
  };
  const codes = new Map<number, RefusalCode[]>();
  for (const code of new Set<RefusalCode>([...refuses, ...alwaysRefused])) {
    const { status: no } = refusals[code];
    codes.set(no, [...(codes.get(no) ?? []), code]);
  }
  const schema = { $ref: `#/components/schemas/${problem ?? 'Problem'}` };
  const errors = [...codes].map(([no, all]) => [
    String(no),
    { description: all.join(', '), content: { 'application/problem+json': { schema } } },
  ]);
  return { [String(status)]: success, ...Object.fromEntries(errors) };
}

const oneOf = (shapes: readonly Schema[]): Schema =>
  shapes.length === 1 ? (shapes[0] ?? {}) : { oneOf: shapes };

function webhooksIn(language: Language): Schema {
  const operations = WebhookEvent().def.options.map((event) => {
    const [type] = event.shape.type.def.values;
    const operation = {
      summary: type && eventSummary[type][language],
      description: inKabariFormat[language],
      tags: ['webhooks'],
      security: [],
      parameters: signatureHeaders,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: written(event) } },
      },
      responses: { '2XX': { description: 'OK' } },
    };
    return [type, { post: operation }] as const;
  });
  return Object.fromEntries(operations);
}

const inKabariFormat: Bilingual = {
  id: 'Isi dalam format `kabari`. Format `cloud`, `fonnte`, dan `wablas` mengirim peristiwa yang sama dalam bentuk layanan itu: lihat /docs.',
  en: 'The body in the format `kabari`. The formats `cloud`, `fonnte` and `wablas` send the same events in the shapes of those services: see /docs.',
};

const signatureHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string' },
}));

function read(schema: z.ZodMiniType, language: Language): Schema {
  return bare(
    z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const { expected, example } = fieldNotes.get(zodSchema as unknown as z.ZodMiniType) ?? {};
        if (expected) jsonSchema.description = expected[language];
        if (example !== undefined) jsonSchema.examples = [example];
      },
    }),
  );
}

function written(schema: z.ZodMiniType): Schema {
  return bare(
    z.toJSONSchema(schema, {
      io: 'output',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        if (zodSchema._zod.def.type !== 'date') return;
        Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
      },
    }),
  );
}

/** The document names its dialect of JSON Schema once, for all. */
function bare({ $schema: _, ...schema }: Schema): Schema {
  return schema;
}

type Deps = {
  library: Pick<Library, 'takeOnce'>;
  files: Pick<Files, 'offer'>;
  runIdempotent: RunIdempotent;
};

/** `POST /v1/media`: stores a file from a form, once per key. */
function mediaReceiver(deps: Deps): (call: HttpCall) => Promise<unknown> {
  const turns = openBodyLimiter();
  return (call) =>
    turns(call.sender.tokenId, () => withinPace(call.request, PACE, () => receive(deps, call)));
}

async function receive({ library, files, runIdempotent }: Deps, call: HttpCall) {
  const { sender, reader, request, reply } = call;
  const { accountId, tokenId } = sender;
  const key = idempotencyKey(request);
  const given = bytesIn(request, 'Content-Length');
  if (given !== undefined && given > LARGEST + FORM_BYTES) {
    throw new Refusal('upload_too_large', { bytesMax: LARGEST });
  }
  const form = await fileFormOf(request, {
    checkName: (name, isFile) => checkPart(name, isFile, reader),
    why: { broken: phrases.form[reader.language], manyFiles: phrases.manyFiles[reader.language] },
  });
  const declared = () => ({ name: form.text('name') ?? form.filename, type: form.mimetype });
  const media = { accountId, declared, bytes: form.bytes, source: 'api' } as const;
  return library.takeOnce(media, async (sha256, take) => {
    checkNameField(form.text('name'), reader);
    const input = JSON.stringify([sha256.toString('hex'), declared()]);
    const idempotentCall = { tokenId, key, endpoint: 'POST /v1/media', input };
    const text = await answerIdempotent(
      runIdempotent,
      idempotentCall,
      reply,
      async (): Promise<AnswerOf<'addMedia'>> => {
        const file = await take();
        return apiMediaOf(file, files.offer(accountId, file.fileId), reader);
      },
    );
    return reply.code(201).type('application/json; charset=utf-8').send(text);
  });
}

/** @throws Refusal `input_invalid` for an unknown part */
function checkPart(name: string, isFile: boolean, { language }: ApiReader): void {
  if (isFile ? name === 'file' : name === 'name') return;
  const shown = name === 'file' ? name : name.slice(0, 100);
  const sentence = name === 'file' ? phrases.notAFile : phrases.unknownPart;
  throw (
    refuseUnstorable(shown, language, 'name') ??
    new Refusal('input_invalid', { fields: { [shown]: sentence[language] } })
  );
}

/** @throws Refusal `input_invalid` */
function checkNameField(name: string | undefined, { language }: ApiReader): void {
  if (name === undefined) return;
  const no = refuseUnstorable(name, language, 'name');
  if (no) throw no;
  const isName = name.trim() !== '' && [...name].length <= FILE_NAME_MAX;
  if (!isName) {
    throw new Refusal('input_invalid', { fields: { name: phrases.fileName[language] } });
  }
}
