import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Ack, type Channel, PATH, openBrowsers, openChannel } from './browsers.ts';

export type Post = {
  endpoint: string;
  /** Status of the answer; 0 if there was none. */
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
};

export type Trouble = {
  status: number;
  retryAfter?: string;
  location?: string;
  bytes?: number;
  hangs?: true;
  /** Only posts to this endpoint; all by default. */
  endpoint?: string;
  /** Number of affected posts; unlimited by default. */
  times?: number;
};

/**
 * Our own push service on 127.0.0.1: RFC 8030 with VAPID (RFC 8292) for application servers, the protocol of Firefox's
 * push service (`dom.push.serverURL`) for Firefox.
 */
export type PushService = {
  origin: string;
  socketUrl: string;
  posts: readonly Post[];
  acks: readonly Ack[];
  onPost(listener: (post: Post) => void): () => void;
  /** As a browser's `subscribe`. @param vapidKey who may post to it; anyone by default. */
  subscribe(vapidKey?: string): string;
  endpoints(): readonly string[];
  /** Answers posts to this endpoint with 410 from now on. */
  forget(endpoint: string): void;
  trouble(how: Trouble): void;
  calm(): void;
  /** Drops browsers' connections; at the next one they are unknown and lose their endpoints. */
  rotate(): void;
  /** While off, browsers cannot connect, and posts wait for them. */
  reach(on: boolean): void;
  close(): Promise<void>;
};

const BODY_MAX = 4_096;
const JWT_SECONDS_MAX = 86_400;

export async function startPushService(): Promise<PushService> {
  const channels = new Map<string, Channel>();
  const posts: Post[] = [];
  const listeners = new Set<(post: Post) => void>();
  const browsers = openBrowsers(channels, () => origin);
  let troubles: Trouble[] = [];

  const troubleFor = (endpoint: string): Trouble | undefined => {
    const found = troubles.find((one) => one.endpoint === undefined || one.endpoint === endpoint);
    if (found?.times !== undefined) {
      found.times -= 1;
      if (found.times <= 0) troubles = troubles.filter((one) => one !== found);
    }
    return found;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    const endpoint = `${origin}${request.url ?? ''}`;
    const channel = channels.get((request.url ?? '').slice(PATH.length));
    const trouble = troubleFor(endpoint);
    const status = trouble?.status ?? judge(request, body, { channel, origin });
    const post = { endpoint, status: trouble?.hangs ? 0 : status, headers: request.headers, body };
    posts.push(post);
    if (!trouble && status === 201 && channel) browsers.deliver(channel, request.headers, body);
    if (!trouble?.hangs) say(response, status, trouble);
    for (const listener of listeners) listener(post);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.on('upgrade', browsers.connect);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  return {
    origin,
    socketUrl: `ws://127.0.0.1:${port}/`,
    posts,
    acks: browsers.acks,
    onPost(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    subscribe: (vapidKey) =>
      origin +
      PATH +
      openChannel(channels, { uaid: undefined, channelID: randomUUID(), key: vapidKey }),
    endpoints: () => [...channels.keys()].map((id) => origin + PATH + id),
    forget: (endpoint) => void channels.delete(endpoint.slice(origin.length + PATH.length)),
    trouble: (how) => void troubles.push({ ...how }),
    calm: () => {
      troubles = [];
    },
    rotate: browsers.rotate,
    reach: browsers.reach,
    async close() {
      browsers.cut();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function say(response: ServerResponse, status: number, trouble: Trouble | undefined): void {
  if (trouble?.retryAfter !== undefined) response.setHeader('retry-after', trouble.retryAfter);
  if (trouble?.location !== undefined) response.setHeader('location', trouble.location);
  if (status === 201) response.setHeader('location', `/m/${randomUUID()}`);
  response.writeHead(status);
  response.end('x'.repeat(trouble?.bytes ?? 0));
}

function judge(
  request: IncomingMessage,
  body: Buffer,
  { channel, origin }: { channel: Channel | undefined; origin: string },
): number {
  const { headers, method, url = '' } = request;
  if (!url.startsWith(PATH)) return 404;
  if (method !== 'POST') return 405;
  if (!channel) return 410;
  if (body.length > BODY_MAX) return 413;
  const { ttl, topic, urgency } = headers;
  const isWellFormed =
    typeof ttl === 'string' &&
    /^\d+$/.test(ttl) &&
    (topic === undefined || (typeof topic === 'string' && /^[A-Za-z0-9_-]{1,32}$/.test(topic))) &&
    (urgency === undefined || /^(very-low|low|normal|high)$/.test(String(urgency)));
  if (!isWellFormed || headers['content-encoding'] !== 'aes128gcm') return 400;
  return isAllowed(headers.authorization ?? '', origin, channel.key) ? 201 : 401;
}

const bare = (key: string): string => key.replace(/=+$/, '');

/** Whether the VAPID token is for us, unexpired, and signed with the subscription's key. */
function isAllowed(authorization: string, origin: string, key: string | undefined): boolean {
  const found = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]+=*)$/.exec(authorization);
  if (!found) return false;
  const [, head = '', claims = '', signature = '', signer = ''] = found;
  if (key !== undefined && bare(signer) !== bare(key)) return false;
  const point = Buffer.from(signer, 'base64url');
  if (point.length !== 65) return false;
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((n) => n.toString('base64url'));
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    {
      key: createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } as never }),
      dsaEncoding: 'ieee-p1363',
    },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) return false;
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    [claim: string]: unknown;
  };
  const now = Date.now() / 1000;
  const lives = typeof exp === 'number' && exp > now && exp <= now + JWT_SECONDS_MAX;
  return lives && aud === origin && typeof sub === 'string' && /^(mailto:|https:)./.test(sub);
}
