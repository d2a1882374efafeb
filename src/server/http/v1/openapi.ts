import * as z from 'zod/mini';
import type { InBoth, Language } from '#contract/language/language.ts';
import { oncePer } from '#contract/base/once.ts';
import { type RefusalCode, refusals } from '#contract/base/refusals.ts';
import { API_LIMITS, API_PREFIX } from '#contract/rest/limits.ts';
import { type Endpoint, alwaysRefused } from '#contract/rest/endpoint.ts';
import { problems } from '#contract/rest/problem.ts';
import { apiEndpoints } from '#contract/rest.ts';
import { fieldNotes } from '#contract/rest/notes.ts';
import { eventSummary } from '#contract/rest/webhooks.ts';
import { WebhookEvent } from '#contract/webhooks/events.ts';

/** Where the document is read; no key is asked for it. */
export const OPENAPI_PATH = `${API_PREFIX}/openapi.json`;

type Schema = Record<string, unknown>;

/**
 * The API as an OpenAPI 3.1 document, printed from the registry.
 *
 * @param origin the address at which the caller found it
 */
export const openApiDocument = (origin: string, language: Language): Schema => ({
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

/** `format: binary` is what generators of clients know as a file. */
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
  const yes = {
    description: 'OK',
    ...(shapes.length > 0 && { content: { 'application/json': { schema: oneOf(shapes) } } }),
  };
  const codes = new Map<number, RefusalCode[]>();
  for (const code of new Set<RefusalCode>([...refuses, ...alwaysRefused])) {
    const { status: no } = refusals[code];
    codes.set(no, [...(codes.get(no) ?? []), code]);
  }
  const schema = { $ref: `#/components/schemas/${problem ?? 'Problem'}` };
  const nos = [...codes].map(([no, all]) => [
    String(no),
    { description: all.join(', '), content: { 'application/problem+json': { schema } } },
  ]);
  return { [String(status)]: yes, ...Object.fromEntries(nos) };
}

const oneOf = (shapes: readonly Schema[]): Schema =>
  shapes.length === 1 ? (shapes[0] ?? {}) : { oneOf: shapes };

/** What we send to the webhook of a token: an operation for each event, under its type. */
function webhooksIn(language: Language): Schema {
  const operations = WebhookEvent().def.options.map((event) => {
    const [type] = event.shape.type.def.values;
    const operation = {
      summary: type && eventSummary[type][language],
      description: inKabarisShape[language],
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

const inKabarisShape: InBoth = {
  id: 'Isi dalam format `kabari`. Format `cloud`, `fonnte`, dan `wablas` mengirim peristiwa yang sama dalam bentuk layanan itu: lihat /docs.',
  en: 'The body in the format `kabari`. The formats `cloud`, `fonnte` and `wablas` send the same events in the shapes of those services: see /docs.',
};

const signatureHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string' },
}));

/** What a caller gives, with what our notes say of it. */
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

/** What we answer. */
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
