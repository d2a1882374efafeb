import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { Answer, Ask } from './midtrans-wire.ts';

const BODY_BYTES_MAX = 65_536;

/** What is answered: JSON, the page that a customer would see, or nothing at all. */
export type Reply = Answer | 'page' | 'drop';

/** A server on a free loopback port that answers requests of JSON. */
export async function openLoopback(
  now: () => Date,
  answer: (ask: Ask) => Promise<Reply>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = await answer(await readAsk(request, now()));
    if (reply === 'drop') request.socket.destroy();
    else send(response, reply);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readAsk(request: IncomingMessage, now: Date): Promise<Ask> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('the body is too large');
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString('utf8');
  const body: unknown = text === '' ? {} : JSON.parse(text);
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: typeof body === 'object' && body !== null ? (body as Ask['body']) : {},
    now,
  };
}

const PAGE = `<!doctype html><html lang="id"><meta charset="utf-8"><title>Gerbang simulasi</title>
<h1>Gerbang simulasi</h1><p>Di sini tidak ada uang sungguhan. Bayar lewat halaman Simulator.</p></html>`;

function send(response: ServerResponse, reply: Answer | 'page'): void {
  if (reply === 'page') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
    return;
  }
  response
    .writeHead(reply.status, { 'content-type': 'application/json' })
    .end(JSON.stringify(reply.body));
}
