import { once } from 'node:events';
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Post = { headers: IncomingHttpHeaders; body: string; event: TargetEvent };
type TargetEvent = { type: string; data: { seq: number; peer?: string } };

/** Answers a post: by a status, or by itself. */
type Answer = (post: Post, response: ServerResponse) => number | Promise<number> | void;

/** An endpoint of a customer, on this machine. */
export type WebhookTarget = {
  /** A value of WEBHOOK_ORIGINS. */
  origin: string;
  url: string;
  /** What came, tests of the address left out. */
  posts: Post[];
  tests: Post[];
  /** How it answers from now on; 200 at first. */
  answer: (answer: Answer | number) => void;
  /** How many connections it was offered. */
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
