import { setTimeout as pause } from 'node:timers/promises';
import type { Transport, HttpAnswer } from '#tests/chaos/load/clients.ts';
import type { Random } from './random.ts';
import type { Node } from '#tests/chaos/node.ts';

const PATIENCE_MS = 30_000;

export type RequestRouter = Transport & {
  underWay: (node: Node) => number;
  answeredSince: (node: Node, at: number) => boolean;
};

/** Sends each request to a random running node; waits a little while none runs. */
export function createRequestRouter(nodes: readonly Node[], random: Random): RequestRouter {
  const underWay = new Map<Node, number>();
  const answered = new Map<Node, number>();
  const count = (node: Node, by: number) => underWay.set(node, (underWay.get(node) ?? 0) + by);

  const post: Transport['post'] = async (path, { bearer, key, body }) => {
    const open = nodes.filter((node) => node.address() !== undefined);
    if (open.length === 0) {
      await pause(20);
      throw new Error('no node answers');
    }
    const node = random.pick(open);
    const began = performance.now();
    count(node, 1);
    try {
      const response = await postJson(`${node.address()}${path}`, { bearer, key, body });
      if (response.status < 500) answered.set(node, Math.max(began, answered.get(node) ?? 0));
      return response;
    } finally {
      count(node, -1);
    }
  };
  return {
    post,
    underWay: (node) => underWay.get(node) ?? 0,
    answeredSince: (node, at) => (answered.get(node) ?? 0) >= at,
  };
}

/** One POST over HTTP. @throws if the connection ends before the answer, or after half a minute. */
export async function postJson(
  url: string,
  { bearer, key, body }: { bearer: string; key?: string | undefined; body: object },
): Promise<HttpAnswer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const replayed = answer.headers.get('idempotent-replayed') === 'true';
  return { status: answer.status, replayed, body: await answer.json() };
}
