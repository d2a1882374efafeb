import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, GraphError } from './errors.ts';
import { type Failure, type FailureBook, refusalOf } from './failures.ts';
import { MEDIA_PATH } from './media.ts';
import { type Fields, isFields } from './messages/fields.ts';
import { type GraphRequest, type Services, answerRequest, checkToken } from './routes.ts';

const BODY_BYTES_MAX = 110 * 1024 ** 2;

/** A request and the status of its answer; 0 if unanswered. */
export type Call = { method: string; path: string; status: number };

type ServerOptions = {
  services: Services;
  failures: FailureBook;
  calls: Call[];
  port: number;
};

/** A server on this machine that answers as the Graph API, or fails on request. */
export async function openGraphServer(
  options: ServerOptions,
): Promise<{ url: string; close: () => Promise<void> }> {
  const timers = new Set<NodeJS.Timeout>();
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        resolve();
      }, ms);
      timers.add(timer);
    });
  const server = createServer((request, response) => {
    handle(request, response, { ...options, sleep }).catch(() => response.destroy());
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Context = ServerOptions & { sleep: (ms: number) => Promise<void> };

async function handle(
  incoming: IncomingMessage,
  response: ServerResponse,
  context: Context,
): Promise<void> {
  const { services, failures, calls } = context;
  const { state } = services;
  const read = await readRequest(incoming);
  if (read.path.startsWith(MEDIA_PATH)) return sendFile(response, read, services);
  const traceId = `A${state.digits(20)}`;
  const { path, method } = read;
  const settle = (answer: Answer): void => {
    calls.push({ method, path, status: answer.status });
    sendJson(response, answer, traceId);
  };
  let failure: Failure | undefined;
  let answer: Answer;
  try {
    checkToken(state, read);
    const request = { ...read, body: bodyOf(read) };
    failure = failures.take(path, recipientIn(request));
    if (failure?.kind === 'error') throw refusalOf(failure);
    if (failure?.kind === 'blank') return settle({ status: 200, body: { status: 'ok' } });
    if (failure && isRejected(failure)) {
      calls.push({ method, path, status: failure.kind === 'html' ? 502 : 0 });
      return breakOff(response, failure);
    }
    answer = await answerRequest(request, services, failure);
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    return settle(error.answer(traceId));
  }
  if (failure?.kind === 'slow') await context.sleep(failure.delayMs);
  if (failure?.kind === 'reset' || failure?.kind === 'hang') {
    calls.push({ method, path, status: 0 });
    return breakOff(response, failure);
  }
  if (failure?.kind !== 'cut') return settle(answer);
  calls.push({ method, path, status: answer.status });
  const whole = JSON.stringify(answer.body);
  const headers = { 'content-type': 'application/json' };
  response.writeHead(200, headers).end(whole.slice(0, whole.length / 2));
}

const isRejected = (failure: Failure): boolean =>
  failure.kind === 'html' || ('isAccepted' in failure && !failure.isAccepted);

const BAD_GATEWAY =
  '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

/** Anything but a Graph API answer. A hanging one ends with the server, or with its client. */
function breakOff(response: ServerResponse, failure: Failure): void {
  if (failure.kind === 'html') {
    response.writeHead(502, { 'content-type': 'text/html' }).end(BAD_GATEWAY);
  } else if (failure.kind === 'reset') response.socket?.resetAndDestroy();
}

function recipientIn({ path, body }: GraphRequest): string | undefined {
  if (!path.endsWith('/messages') || body['status'] === 'read') return undefined;
  const { to } = body;
  return typeof to === 'string' || typeof to === 'number'
    ? String(to).replaceAll(/\D/g, '')
    : undefined;
}

async function readRequest(incoming: IncomingMessage): Promise<GraphRequest> {
  const { method = 'GET', headers } = incoming;
  const origin = `http://${headers.host}`;
  const url = new URL(incoming.url ?? '/', origin);
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > BODY_BYTES_MAX) throw new Error('the body is too large');
    parts.push(part);
  }
  const path = url.pathname.replace(/^\/v\d+\.\d+(?=\/)/, '').replace(/(?<=.)\/$/, '');
  const bytes = Buffer.concat(parts);
  return { method, path, query: url.searchParams, headers, body: {}, bytes, origin };
}

/** Fields of a body (JSON or a form) and of the query. @throws GraphError 100 */
function bodyOf({ headers, bytes, query }: GraphRequest): Fields {
  const type = headers['content-type'] ?? '';
  const given = Object.fromEntries(query);
  if (bytes.length === 0 || type.startsWith('multipart/')) return given;
  const text = bytes.toString('utf8');
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return { ...given, ...Object.fromEntries(new URLSearchParams(text)) };
  }
  try {
    const body: unknown = JSON.parse(text);
    if (isFields(body)) return { ...given, ...body };
  } catch {
    // Reported below, like a body that is no object.
  }
  throw new GraphError(100, { message: 'Invalid JSON payload.' });
}

function sendJson(response: ServerResponse, answer: Answer, traceId: string): void {
  response
    .writeHead(answer.status, {
      'content-type': 'application/json; charset=UTF-8',
      'x-fb-trace-id': traceId,
      ...answer.headers,
    })
    .end(JSON.stringify(answer.body));
}

/** A download, for the same token and five minutes. Anything else is 404. */
function sendFile(response: ServerResponse, request: GraphRequest, services: Services): void {
  const file = services.store.atPath(request.path);
  try {
    checkToken(services.state, request);
  } catch {
    response.writeHead(401).end();
    return;
  }
  if (!file) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': file.mimeType }).end(file.bytes);
}
