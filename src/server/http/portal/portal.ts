import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, refusals } from '#contract/base/refusals.ts';
import type { ActEndpoint } from './acts.ts';
import { type Answer, asRefusal, no } from '#server/http/answer.ts';
import { fieldsOfBody, readForms } from '#server/http/body.ts';
import { deviceOf } from './device.ts';
import type { LiveStreams } from '#server/http/live/live.ts';
import { type Origins, isPortal, sourceOf } from '#server/http/origin.ts';
import { cutAfter } from '#server/http/body-timeout.ts';

type Deps = {
  endpoint: ActEndpoint;
  streams: LiveStreams;
  origins: Origins;
  production: boolean;
  report: (bug: unknown, about: { requestId: string; act: string }) => void;
};

const PREFLIGHT_SECONDS = 600;
const AGENT_MAX = 300;

/** The portal's one address: `POST /api` (docs/wire.md#envelope). */
export function openPortal(app: FastifyInstance, deps: Deps): void {
  void app.register(async (scope) => {
    readForms(scope);
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      allowPortal(deps.origins, request, reply);
      refuseAddress(request);
    });
    scope.setErrorHandler((error, request, reply) => {
      const refusal = asRefusal(error, request.id);
      if (!(error instanceof Refusal) && refusals[refusal.code].status >= 500)
        deps.report(error, { requestId: request.id, act: 'unknown' });
      // What is left of the body is not worth reading: a gigabyte would be read to its end.
      if (!request.raw.complete) cutAfter(reply);
      if ('allow' in refusal.facts) reply.header('allow', refusal.facts.allow);
      return send(reply, no(refusal));
    });
    scope.post('/api', (request, reply) => answerCall(deps, request, reply));
    scope.options('/api', (_request, reply) => reply.code(204).send());
    scope.route({
      method: ['GET', 'PUT', 'PATCH', 'DELETE'],
      url: '/api',
      handler: () => {
        throw new Refusal('method_not_allowed', { allow: 'OPTIONS, POST' });
      },
    });
  });
}

async function answerCall(
  { endpoint, streams, origins, production }: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const fields = await fieldsOfBody(request);
  const answer = await endpoint({
    fields,
    source: sourceOf(request),
    ip: request.ip,
    device: deviceOf(request, reply, { origins, production }),
    agent: (request.headers['user-agent'] ?? '').slice(0, AGENT_MAX),
    requestId: request.id,
  });
  if ('status' in answer) return send(reply, answer);
  streams.open(reply, answer);
  return reply;
}

function send(reply: FastifyReply, { status, body, retryAfter }: Answer): FastifyReply {
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return reply.code(status).type('application/json; charset=utf-8').send(body);
}

/** CORS for the portals of PORTAL_ORIGINS and nobody else; the session's token travels in the body. */
function allowPortal(origins: Origins, request: FastifyRequest, reply: FastifyReply): void {
  if (origins.portals.length > 0) reply.header('vary', 'Origin');
  const source = sourceOf(request);
  if (source.origin === undefined || !isPortal(origins, source)) return;
  reply.headers({
    'access-control-allow-origin': source.origin,
    'access-control-expose-headers': 'Retry-After, X-Request-Id',
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (request.method === 'OPTIONS') {
    reply.headers({
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': PREFLIGHT_SECONDS,
    });
  }
}

/** Nothing travels in the address: addresses are kept in histories, logs and referrers. */
function refuseAddress(request: FastifyRequest): void {
  if (request.url.includes('?')) malformed('isian tidak boleh berada di alamat');
}

function malformed(why: string): never {
  throw new Refusal('request_malformed', { why });
}
