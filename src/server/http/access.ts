import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';
import type { ChannelName, TokenStatus, Scope } from '#contract/tokens.ts';

/** The owner of an API key, as far as those who answer calls need to know. */
export type ApiSender = {
  accountId: string;
  tokenId: string;
  accountStatus: 'active' | 'suspended' | 'closed';
  /** Whether a phone is linked to its token. */
  status: TokenStatus;
  simulated: boolean;
  channel: ChannelName;
  /** When this was read, by `performance.now()`. */
  readAtMs: number;
  /** What the token may do. */
  scopes: readonly Scope[];
  /** Addresses and ranges that calls may come from; none: from anywhere. */
  allowedAddresses: readonly string[];
  /** Its last day, `YYYY-MM-DD` in WIB; null: it does not expire. */
  expiresOn: string | null;
  /** Whether calls may carry the key in their address. */
  keyInAddress: boolean;
};

/** Who may call, for every dialect alike. */
export type Access = {
  /**
   * Who calls with a key, when they may call now. Sets the rate-limit headers of every answer.
   *
   * @throws Refusal `token_missing`, `token_invalid`, `token_expired`, `address_not_allowed`,
   *   `key_in_address`, `too_many_requests`, `account_suspended`
   */
  admit: (
    request: FastifyRequest,
    reply: FastifyReply,
    key: string | undefined,
  ) => Promise<ApiSender>;
  /** Whether a token may do this. @throws Refusal `scope_missing` */
  allow: (sender: ApiSender, scope: Scope) => void;
  /**
   * Keeps the refused calls of a dialect for their owner, once they are answered: whoever says no sets
   * `request.apiRefusals`, also of single items in a call that was taken. Register it in the dialect's own scope.
   *
   * @param keyOf the key of a call that was refused before anybody looked at it
   */
  recordRejectedCall: (
    app: FastifyInstance,
    dialect: Dialect,
    keyOf?: (request: FastifyRequest) => string | undefined,
  ) => void;
};

/** Ways of calling: Kabari's own, and those of others. */
export type Dialect = 'kabari' | 'cloud' | 'fonnte' | 'wablas' | 'mcp';

/** A refused call, as it is kept for its owner. */
type Rejected = {
  sender: ApiSender;
  dialect: Dialect;
  method: string;
  /** The address of the endpoint, as it was registered; undefined where there is none. */
  route: string | undefined;
  url: string;
  address: string;
  /** What was answered: some dialects say no with 200, and a call may be taken without some of its items. */
  status: number;
  no: Refusal;
};

type AccessDeps = {
  keys: {
    find: (key: string) => Promise<ApiSender | undefined>;
    check: (sender: ApiSender, address: string) => void;
    allow: (sender: ApiSender, scope: Scope) => void;
    touch: (sender: ApiSender) => void;
  };
  ratePerSecond: number;
  /** Keeps a refused call; never throws, and takes no time. */
  reject: (rejected: Rejected) => void;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls the API, once their key is known. */
    apiSender: ApiSender | undefined;
    /** Why the call was refused, or what was in it. */
    apiRefusals: readonly Refusal[] | undefined;
  }
}

/** Its rates are counted over all dialects together: make one for a server. */
export function createAccess({ keys, ratePerSecond, reject }: AccessDeps): Access {
  const rateLimiter = createRateLimiter(ratePerSecond);
  return {
    async admit(request, reply, key) {
      if (key === undefined) throw new Refusal('token_missing', {});
      const sender = await keys.find(key);
      if (!sender) throw new Refusal('token_invalid', {});
      request.apiSender = sender;
      // Before the rate is counted: who may not use the token uses up nothing of it.
      keys.check(sender, request.ip);
      if (!sender.keyInAddress && isInAddress(request, key))
        throw new Refusal('key_in_address', {});
      if (sender.simulated) void reply.header('X-Kabari-Simulated', 'true');
      const { left, waitSeconds } = rateLimiter.take(sender.tokenId);
      void reply.header('RateLimit-Policy', rateLimiter.policy);
      void reply.header('RateLimit', `"api";r=${left};t=1`);
      if (waitSeconds > 0) throw new Refusal('too_many_requests', { seconds: waitSeconds });
      if (sender.accountStatus !== 'active') throw new Refusal('account_suspended', {});
      keys.touch(sender);
      return sender;
    },
    allow: keys.allow,
    recordRejectedCall(app, dialect, keyOf = bearerOf) {
      app.decorateRequest('apiRefusals', undefined);
      app.addHook('onResponse', async (request, reply) => {
        const refused = request.apiRefusals ?? [];
        if (refused.length === 0) return;
        const sender =
          request.apiSender ?? (await keys.find(keyOf(request) ?? '').catch(() => undefined));
        if (!sender) return;
        const { method, url, ip: address, routeOptions } = request;
        const route = addressOf(routeOptions.url);
        const call = { sender, dialect, method, route, url, address, status: reply.statusCode };
        for (const no of onceEach(refused)) reject({ ...call, no });
      });
    },
  };
}

/** Whether a key stands in the address of a call, in any parameter, also if the headers have it as well. */
const isInAddress = ({ query }: FastifyRequest, key: string): boolean =>
  Object.values(query ?? {})
    .flat()
    .some((value) => typeof value === 'string' && value.includes(key));

/** One of those that are alike: a call counts once, however many of its items were refused for the same reason. */
function onceEach(refused: readonly Refusal[]): readonly Refusal[] {
  const kindOf = ({ code, facts }: Refusal) =>
    [code, ...('fields' in facts ? Object.keys(facts.fields) : [])].join(' ');
  return [...new Map(refused.map((no) => [kindOf(no), no])).values()];
}

/**
 * The address of an endpoint as people read it: `{id}` for a place that the router has with its pattern. Undefined
 * for all that has no endpoint.
 */
const addressOf = (route: string | undefined): string | undefined =>
  route?.endsWith('*') ? undefined : route?.replaceAll(/:(\w+)\([^()]*\)/g, '{$1}');

/** The key in `Authorization: Bearer …`; nothing where there is none. */
export const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];

/** How many requests a token may make of this process: a bucket per token, refilled steadily. */
type RateLimiter = {
  /** The policy as the `RateLimit-Policy` header says it. */
  policy: string;
  /** Takes one; `waitSeconds` is 0 when it may go on. */
  take: (tokenId: string) => { left: number; waitSeconds: number };
};

/** Seconds' worth of requests a token may make at once. */
const BURST_SECONDS = 2;
const TOKENS_MAX = 50_000;

/** @param perSecond requests per second and token, steadily; twice as many at once. */
export function createRateLimiter(perSecond: number, nowMs = () => performance.now()): RateLimiter {
  const burst = perSecond * BURST_SECONDS;
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    policy: `"api";q=${burst};w=${BURST_SECONDS}`,
    take: (tokenId) => {
      const now = nowMs();
      const bucket = buckets.get(tokenId) ?? { left: burst, at: now };
      // The one that has asked least lately goes first: forgetting it gives a burst to nobody else.
      buckets.delete(tokenId);
      if (buckets.size >= TOKENS_MAX) buckets.delete(buckets.keys().next().value ?? '');
      buckets.set(tokenId, bucket);
      bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond);
      bucket.at = now;
      if (bucket.left < 1) {
        return { left: 0, waitSeconds: Math.max(1, Math.ceil((1 - bucket.left) / perSecond)) };
      }
      bucket.left -= 1;
      return { left: Math.floor(bucket.left), waitSeconds: 0 };
    },
  };
}
