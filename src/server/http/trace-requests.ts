import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestTrace, Tracing } from '#server/infra/observability/tracing/tracing.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False: its requests are in no trace. */
    traced?: boolean;
  }
}

/**
 * Records the requests of every route, except files of the web app and routes that say so. Of a request a trace has
 * the route, never the address: that may hold phone numbers and ids.
 */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const traces = new WeakMap<FastifyRequest, RequestTrace>();
  app.addHook('onRequest', async (request) => {
    if (routeOf(request) === undefined) return;
    const { traceparent } = request.headers;
    traces.set(request, tracing.begin(typeof traceparent === 'string' ? traceparent : undefined));
  });
  // After the body was read, which happens outside of the context that hooks before it began.
  app.addHook('preHandler', (request, _reply, done) => {
    const trace = traces.get(request);
    if (trace) tracing.answering(trace, done);
    else done();
  });
  app.addHook('onResponse', async (request, reply) => {
    const [trace, route] = [traces.get(request), routeOf(request)];
    if (!trace || route === undefined) return;
    const { method, protocol: scheme, id: requestId } = request;
    tracing.answered(trace, { method, route, scheme, status: reply.statusCode, requestId });
  });
}

/** The route as it is called in figures, too; undefined for what is not recorded. */
function routeOf({ is404, routeOptions }: FastifyRequest): string | undefined {
  const { url, config } = routeOptions;
  if (is404 || config.traced === false || url === undefined || url.endsWith('*')) return undefined;
  return config.named ?? url;
}
