import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Arrived = { method: string; body: string; headers: Record<string, string> };

export type Handle = (request: Request) => Promise<Response>;

export type Receiver = {
  /** A value of WEBHOOK_ORIGINS. */
  origin: string;
  url: string;
  posts: Arrived[];
  /** Sets the handler of later requests; initially all are refused. */
  handle: (handle: Handle) => void;
};

export async function startReceiver(): Promise<Receiver & { close: () => Promise<void> }> {
  const posts: Arrived[] = [];
  let handle: Handle = async () => new Response(null, { status: 403 });
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = 'GET', url = '/' } = request;
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      const body = Buffer.concat(parts).toString('utf8');
      if (method === 'POST') posts.push({ method, body, headers });
      const whole = new Request(new URL(url, 'http://127.0.0.1'), {
        method,
        headers: new Headers(headers),
        ...(method === 'POST' && { body }),
      });
      void handle(whole).then(async (answer) => {
        response.writeHead(answer.status).end(await answer.text());
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/webhook`,
    posts,
    handle: (next) => {
      handle = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
