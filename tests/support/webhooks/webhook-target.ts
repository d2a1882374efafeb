import { once } from 'node:events';
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Post = { headers: IncomingHttpHeaders; body: string; event: TargetEvent };
type TargetEvent = { type: string; data: { seq: number; peer?: string } };

/** Answers a post by a status, or directly. */
type Answer = (post: Post, response: ServerResponse) => number | Promise<number> | void;

export type WebhookTarget = {
  /** A value of WEBHOOK_ORIGINS. */
  origin: string;
  url: string;
  posts: Post[];
  tests: Post[];
  /** Answers from now on; initially 200. */
  answer: (answer: Answer | number) => void;
  connections: () => number;
  close: () => Promise<void>;
};

export async function startTarget(): Promise<WebhookTarget> {
  const posts: Post[] = [];
  const tests: Post[] = [];
  let answer: Answer = () => 200;
  let connections = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const post = { headers: request.headers, body, event: JSON.parse(body) as TargetEvent };
      const isTest = post.event.type === 'webhook.test';
      (isTest ? tests : posts).push(post);
      void Promise.resolve(answer(post, response)).then((status) => {
        if (status !== undefined) response.writeHead(status).end('ya');
      });
    });
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/kabari`,
    posts,
    tests,
    answer: (given) => {
      answer = typeof given === 'number' ? () => given : given;
    },
    connections: () => connections,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
