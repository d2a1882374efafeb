import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';
import type { Scope } from '#contract/rest/scopes.ts';
import { createRateLimiter } from './rate-limiter.ts';

/** The owner of an API key, as far as those who answer calls need to know. */
export type ApiSender = {
  accountId: string;
  tokenId: string;
  accountStatus: 'active' | 'suspended' | 'closed';
  simulated: boolean;
};

/** Who may call, for every dialect alike. */
export type Access = {
  /**
   * Who calls with a key, when they may call now. Sets the rate-limit headers of every answer.
   *
   * @throws Refusal `token_missing`, `token_invalid`, `too_many_requests`, `account_suspended`
   */
  admit: (
    request: FastifyRequest,
    reply: FastifyReply,
    key: string | undefined,
  ) => Promise<ApiSender>;
  /** Whether a token may do this. */
  allow: (sender: ApiSender, scope: Scope) => void;
};

type AccessDeps = {
  keys: {
    find: (key: string) => Promise<ApiSender | undefined>;
    touch: (sender: ApiSender) => void;
  };
  ratePerSecond: number;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls the API, once their key is known. */
    apiSender: ApiSender | undefined;
  }
}

/** Its rates are counted over all dialects together: make one for a server. */
export function createAccess({ keys, ratePerSecond }: AccessDeps): Access {
  const rateLimiter = createRateLimiter(ratePerSecond);
  return {
    async admit(request, reply, key) {
      if (key === undefined) throw new Refusal('token_missing', {});
      const sender = await keys.find(key);
      if (!sender) throw new Refusal('token_invalid', {});
      request.apiSender = sender;
      if (sender.simulated) void reply.header('X-Kabari-Simulated', 'true');
      const { left, waitSeconds } = rateLimiter.take(sender.tokenId);
      void reply.header('RateLimit-Policy', rateLimiter.policy);
      void reply.header('RateLimit', `"api";r=${left};t=1`);
      if (waitSeconds > 0) throw new Refusal('too_many_requests', { seconds: waitSeconds });
      if (sender.accountStatus !== 'active') throw new Refusal('account_suspended', {});
      keys.touch(sender);
      return sender;
    },
    allow: () => {},
  };
}

/** The key in `Authorization: Bearer …`; nothing where there is none. */
export const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
