import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';
import type { Scope } from '#contract/tokens.ts';
import type { KeyRing } from '#server/domains/tokens/tokens.ts';
import type { KeyHolder } from '#server/infra/endpoints.ts';

export type Access = {
  /**
   * Authenticates a key and checks that it may call now. Sets the rate-limit headers of every response.
   *
   * @throws Refusal `token_missing`, `token_invalid`, `token_expired`, `address_not_allowed`, `key_in_address`,
   * `too_many_requests`, `account_suspended`
   */
  admit: (
    request: FastifyRequest,
    reply: FastifyReply,
    key: string | undefined,
  ) => Promise<KeyHolder>;
  /** @throws Refusal `scope_missing` */
  allow: (sender: KeyHolder, scope: Scope) => void;
  /**
   * Records the refused calls of a dialect for their owner, after the response. Handlers set `request.apiRefusals`,
   * also for single items of an accepted call. Register it in the dialect's own scope.
   *
   * @param keyOf the key of a call that was refused before authentication
   */
  recordRejectedCall: (
    app: FastifyInstance,
    dialect: Dialect,
    keyOf?: (request: FastifyRequest) => string | undefined,
  ) => void;
};

/** Kabari's own API, and those of other services. */
export type Dialect = 'kabari' | 'cloud' | 'fonnte' | 'wablas' | 'mcp';

type RejectedCall = {
  sender: KeyHolder;
  dialect: Dialect;
  method: string;
  /** The registered route; undefined for unknown addresses. */
  route: string | undefined;
  url: string;
  address: string;
  /** Some dialects refuse with 200, and an accepted call may have refused items. */
  status: number;
  no: Refusal;
};

type AccessDeps = {
  keys: Pick<KeyRing, 'find' | 'check' | 'allow' | 'touch'>;
  ratePerSecond: number;
  /** Records a refused call in the background; never throws. */
  reject: (rejected: RejectedCall) => void;
};

declare module 'fastify' {
  interface FastifyRequest {
    apiSender: KeyHolder | undefined;
    apiRefusals: readonly Refusal[] | undefined;
  }
}

/** Counts rates over all dialects together, so create one per server. */
export function createAccess({ keys, ratePerSecond, reject }: AccessDeps): Access {
  const rateLimiter = createRateLimiter(ratePerSecond);
  return {
    async admit(request, reply, key) {
      if (key === undefined) throw new Refusal('token_missing', {});
      const sender = await keys.find(key);
      if (!sender) throw new Refusal('token_invalid', {});
      request.apiSender = sender;
      // Checked before counting, so that a refused call uses up none of the rate.
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
        for (const no of uniqueRefusals(refused)) reject({ ...call, no });
      });
    },
  };
}

/** Whether any query parameter contains the key, even if the headers have it as well. */
const isInAddress = ({ query }: FastifyRequest, key: string): boolean =>
  Object.values(query ?? {})
    .flat()
    .some((value) => typeof value === 'string' && value.includes(key));

/** One refusal per reason, so that a call counts once for many alike items. */
function uniqueRefusals(refused: readonly Refusal[]): readonly Refusal[] {
  const kindOf = ({ code, facts }: Refusal) =>
    [code, ...('fields' in facts ? Object.keys(facts.fields) : [])].join(' ');
  return [...new Map(refused.map((no) => [kindOf(no), no])).values()];
}

/** A route in readable form, with `{id}` for its parameters. Undefined for the catch-all route. */
const addressOf = (route: string | undefined): string | undefined =>
  route?.endsWith('*') ? undefined : route?.replaceAll(/:(\w+)\([^()]*\)/g, '{$1}');

export const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];

type RateLimiter = {
  policy: string;
  /** Takes one request; `waitSeconds` is 0 when it may proceed. */
  take: (tokenId: string) => { left: number; waitSeconds: number };
};

const BURST_SECONDS = 2;
const TOKENS_MAX = 50_000;

/** @param perSecond sustained requests per second and token; twice as many at once. */
export function createRateLimiter(perSecond: number, nowMs = () => performance.now()): RateLimiter {
  const burst = perSecond * BURST_SECONDS;
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    policy: `"api";q=${burst};w=${BURST_SECONDS}`,
    take: (tokenId) => {
      const now = nowMs();
      const bucket = buckets.get(tokenId) ?? { left: burst, at: now };
      // Drops the least recently used bucket: at most its own token gains a burst.
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
