import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, refusals } from '#contract/base/refusals.ts';
import { API_LIMITS } from '#contract/rest/limits.ts';
import { type Access, bearerOf } from '#server/http/access.ts';
import { refuseUnstorable } from '#server/http/input.ts';
import { publicOrigin } from '#server/http/public-origin.ts';
import { isObject, languageIn, malformed } from '#server/http/v1/call.ts';
import { refusalOfCall } from '#server/http/v1/answers.ts';
import { problemOf } from '#server/http/v1/problem.ts';
import { type McpCall, type McpServerDeps, createMcp } from './server.ts';

/** Where the MCP server answers. */
export const MCP_PATH = '/mcp';

export type McpDeps = McpServerDeps & {
  access: Access;
  /** The address people use; undefined for a local installation. */
  publicUrl: string | undefined;
};

/**
 * The MCP server (docs/mcp.md). Register it in a scope of its own under `MCP_PATH`. Who calls is known before
 * anything of the request is read; every "no" is a JSON-RPC error with the fitting HTTP status.
 */
export function openMcp(app: FastifyInstance, deps: McpDeps): void {
  const mcp = createMcp(deps);
  app.decorateRequest('apiSender', undefined);
  deps.access.keepRejected(app, 'mcp');
  readJsonRpc(app);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    if (request.is404) throw new Refusal('path_unknown', {});
    checkOrigin(deps.publicUrl, request);
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', ALLOW).send();
    // There are no sessions, so there is no stream to open and nothing to end.
    if (request.method !== 'POST') throw new Refusal('method_not_allowed', { allow: ALLOW });
    await deps.access.admit(request, reply, bearerOf(request));
    return undefined;
  });
  app.setErrorHandler((error, request, reply) => answerError(deps, error, request, reply));
  app.setNotFoundHandler(() => {
    throw new Refusal('path_unknown', {});
  });
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/',
    config: { named: 'mcp' },
    handler: async (request, reply) => {
      const message = messageIn(request);
      const { fetch } = await mcp();
      const extra = callOf(deps, request) as unknown as Record<string, unknown>;
      const answer = await fetch(asWebRequest(request), {
        authInfo: { token: '', clientId: '', scopes: [], extra },
        parsedBody: message,
      });
      if (answer.status >= 500) {
        deps.report(new Error(`the MCP server answered ${answer.status}`), request.id);
      }
      void reply.code(answer.status);
      const type = answer.headers.get('content-type');
      if (type !== null) void reply.type(type);
      // The answer of one request ends with it, also where it is written as a stream.
      return reply.send(await answer.text());
    },
  });
}

const ALLOW = 'OPTIONS, POST';

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readJsonRpc(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: API_LIMITS.bodyBytes },
    (request, body, done) => {
      let text: string;
      try {
        text = utf8.decode(body as Buffer);
      } catch {
        return done(malformed(request, 'notUtf8'));
      }
      try {
        done(null, JSON.parse(text));
      } catch {
        done(malformed(request, 'json'));
      }
    },
  );
}

/**
 * The one message of a request. Several at once are refused: they would pass the rate of the key, and the
 * protocol has done without since 2025-06-18 (docs/decisions/048-mcp.md).
 *
 * @throws Refusal `request_malformed`, `input_invalid`
 */
function messageIn(request: FastifyRequest): Record<string, unknown> {
  const { body } = request;
  if (!isObject(body)) throw malformed(request, 'notOneMessage');
  const no = refuseUnstorable(body, languageIn(request));
  if (no) throw no;
  return body;
}

const callOf = (deps: McpDeps, request: FastifyRequest): McpCall => {
  const sender = request.apiSender;
  if (!sender) throw new Error('a call without its sender');
  return {
    sender,
    reader: { language: languageIn(request), origin: publicOrigin(deps, request) },
    requestId: request.id,
    allow: (scope) => deps.access.allow(sender, scope),
    onRefused: (no) => {
      request.apiRefusals = [no];
    },
  };
};

const shownHeaders = new Set(['accept', 'content-type']);

/** What the SDK looks at: never the key. */
function asWebRequest({ headers }: FastifyRequest): Request {
  const shown = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && (name.startsWith('mcp-') || shownHeaders.has(name))
      ? [[name, value] as [string, string]]
      : [],
  );
  return new Request(`http://kabari.invalid${MCP_PATH}`, { method: 'POST', headers: shown });
}

/**
 * Refuses what a web page sends, wherever it is from: assistants are programs. So no page reaches a local
 * installation either, whose name it took over (DNS rebinding); only the installation's own pages may ask.
 *
 * @throws Refusal `origin_foreign`
 */
function checkOrigin(publicUrl: string | undefined, { headers, protocol, host }: FastifyRequest) {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin === undefined && (site === undefined || site === 'none')) return;
  const own = publicUrl ?? (isLoopback(host) ? `${protocol}://${host}` : undefined);
  const isOwn = origin === undefined ? site === 'same-origin' : origin === own;
  if (!isOwn) throw new Refusal('origin_foreign', {});
}

const isLoopback = (host: string): boolean =>
  /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host);

const PARSE_ERROR = -32_700;
/** It is JSON, but not one message. */
const INVALID_REQUEST = -32_600;
/** JSON-RPC's own codes for what it has a code for; else the one for servers' reasons. */
const codes: Partial<Record<Refusal['code'], number>> = {
  request_malformed: PARSE_ERROR,
  input_invalid: -32_602,
  our_fault: -32_603,
};
const SERVER_REASON = -32_000;

/** Clients ask whether there is a stream to open, or a session to end: no fault of theirs, nor of their owner. */
const isTriedByProtocol = (method: string): boolean => method === 'GET' || method === 'DELETE';

async function answerError(
  { report }: McpDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const no = await refusalOfCall(report, error, request, reply);
  if (isTriedByProtocol(request.method)) request.apiRefusals = undefined;
  const { detail, code, retryable, fields } = problemOf(no, request.id, languageIn(request));
  const isRead = no.code === 'request_malformed' && request.body !== undefined;
  const rpcCode = isRead ? INVALID_REQUEST : (codes[no.code] ?? SERVER_REASON);
  const data = { code, retryable, request_id: request.id, ...(fields && { fields }) };
  return reply
    .code(refusals[no.code].status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send({
      jsonrpc: '2.0',
      id: null,
      error: { code: rpcCode, message: detail, data },
    });
}
