import { once } from 'node:events';
import {
  Agent,
  type IncomingMessage,
  type ServerResponse,
  createServer,
  request as ask,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A simple round-robin balancer over ready nodes, with keep-alive and without retries. */
export type Balancer = {
  address: string;
  /** Watches a node from now on; it gets requests while its `/readyz` answers 200. */
  add: (node: string) => void;
  isReady: (node: string) => boolean;
  /** Requests without an answer, with a 5xx, or without a ready node. */
  failures: readonly string[];
  answered: (node: string) => number;
  ended: (node: string) => number;
  close: () => Promise<void>;
};

/** As rare as an ordinary balancer's checks: meanwhile a closing node gets requests. */
const LOOK_MS = 500;

type Node = { agent: Agent; isReady: boolean; answered: number; ended: number };

export async function openBalancer(): Promise<Balancer> {
  const nodes = new Map<string, Node>();
  const failures: string[] = [];
  let turn = 0;
  const look = () => {
    for (const [address, node] of nodes) {
      fetch(`${address}/readyz`, { headers: { connection: 'close' } }).then(
        ({ ok }) => (node.isReady = ok),
        () => (node.isReady = false),
      );
    }
  };
  const timer = setInterval(look, LOOK_MS);
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const ready = [...nodes].filter(([, { isReady }]) => isReady);
    const [address, node] = ready[turn++ % ready.length] ?? [];
    const fail = (why: string) => {
      failures.push(`${request.method} ${request.url} at ${address ?? 'nowhere'}: ${why}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    };
    if (address === undefined || node === undefined) return fail('no node is ready');
    forward({ request, response }, address, node).catch((error: unknown) => {
      // A closed tab is no failure.
      if (!response.destroyed) fail(String(error));
    });
  });
  const forward = async (
    { request, response }: { request: IncomingMessage; response: ServerResponse },
    address: string,
    node: Node,
  ) => {
    const { method, headers } = request;
    const onward = ask(`${address}${request.url}`, { method, headers, agent: node.agent });
    const [[answer]] = await Promise.all([
      once(onward, 'response') as Promise<[IncomingMessage]>,
      pipeline(request, onward),
    ]);
    node.answered += 1;
    if (answer.headers.connection === 'close') node.ended += 1;
    const status = answer.statusCode ?? 0;
    if (status >= 500) failures.push(`${method} ${request.url} at ${address}: ${status}`);
    const { connection, 'keep-alive': keepAlive, ...rest } = answer.headers;
    void connection;
    void keepAlive;
    response.writeHead(status, rest);
    response.flushHeaders();
    response.once('close', () => answer.destroy());
    await pipeline(answer, response);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (node) =>
      void nodes.set(node, {
        agent: new Agent({ keepAlive: true }),
        isReady: false,
        answered: 0,
        ended: 0,
      }),
    isReady: (node) => nodes.get(node)?.isReady ?? false,
    failures,
    answered: (node) => nodes.get(node)?.answered ?? 0,
    ended: (node) => nodes.get(node)?.ended ?? 0,
    close: async () => {
      clearInterval(timer);
      for (const { agent } of nodes.values()) agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
