import { once } from 'node:events';
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Random } from '#tests/chaos/faults/random.ts';
import type { Sender } from '#tests/chaos/load/senders.ts';
import { waitFor } from '#tests/support/wait-for.ts';

export type Post = {
  tokenId: string;
  /** Delivery id, the same in every try. */
  id: string;
  seq: number;
  /** Number of the conversation; empty for events of none. */
  peer: string;
  genuine: boolean;
  /** The program has processed it, whether or not its answer arrived. */
  taken: boolean;
};

export type Receiver = {
  /** A value of WEBHOOK_ORIGINS. */
  origin: string;
  posts: Post[];
  subscribe: (address: string, senders: readonly Sender[]) => Promise<void>;
  close: () => Promise<void>;
};

const LATE_MS = 600;
/** Per token: the next try is 5 s later, and later events of that conversation wait. */
const TROUBLES_MAX = 6;

type Body = { type: string; data: { seq: number; peer?: string } };

/**
 * Opens the programs on a free port. A few of the events that come for the first time are refused, cut off, unread or
 * answered after they were processed, or answered late; all are accepted the second time.
 */
export async function openReceiver(random: Random): Promise<Receiver> {
  const posts: Post[] = [];
  const secrets = new Map<string, string>();
  const known = new Set<string>();
  const troubles = new Map<string, number>();

  const receive = (tokenId: string, headers: IncomingHttpHeaders, text: string) => {
    const { type, data } = JSON.parse(text) as Body;
    if (type === 'webhook.test') return undefined;
    const id = String(headers['webhook-id']);
    const genuine = isGenuine(secrets.get(tokenId), headers, text);
    const post: Post = { tokenId, id, seq: data.seq, peer: data.peer ?? '', genuine, taken: false };
    posts.push(post);
    return post;
  };
  const luckOf = ({ id, tokenId }: Post): number => {
    const had = troubles.get(tokenId) ?? 0;
    if (known.has(id) || had >= TROUBLES_MAX) return 1;
    known.add(id);
    const luck = random.next();
    if (luck < 0.12) troubles.set(tokenId, had + 1);
    return luck;
  };
  const answer = (post: Post | undefined, response: ServerResponse) => {
    const luck = post ? luckOf(post) : 1;
    if (luck < 0.04) return void response.writeHead(503).end();
    if (luck < 0.08) return void response.destroy();
    if (post) post.taken = true;
    if (luck < 0.12) return void response.destroy();
    setTimeout(() => response.writeHead(204).end(), luck < 0.16 ? LATE_MS : 0);
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    // A request that a killed application began never ends.
    request.on('error', () => undefined);
    request.once('end', () => {
      const tokenId = request.url?.slice(1) ?? '';
      answer(receive(tokenId, request.headers, Buffer.concat(parts).toString('utf8')), response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    posts,
    subscribe: async (address, senders) => {
      for (const { tokenId, key } of senders) {
        secrets.set(tokenId, await saveWebhook(address, key, `${origin}/${tokenId}`));
      }
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function isGenuine(secret: string | undefined, headers: IncomingHttpHeaders, text: string) {
  const own = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  try {
    new Webhook(secret ?? '').verify(text, Object.fromEntries(own));
    return true;
  } catch {
    return false;
  }
}

/** Saves it, with retries while a loaded machine answers busy. @returns its secret */
async function saveWebhook(address: string, key: string, url: string): Promise<string> {
  const save = () =>
    fetch(`${address}/v1/webhook`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    });
  const answer = await waitFor(async () => {
    const response = await save();
    return response.status !== 503 && response;
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`saving a webhook: ${answer.status} ${text}`);
  return (JSON.parse(text) as { secret: string }).secret;
}
