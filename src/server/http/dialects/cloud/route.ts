import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '#contract/tokens.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { ApiReader } from '#server/http/v1/send.ts';

/** One call, its caller known and allowed. */
export type CloudCall = {
  sender: ApiSender;
  /** The key that it came with. */
  key: string;
  reader: ApiReader;
  /** The id in the address: of a number, a business, or a file; empty where it names something else. */
  id: string;
  /** Whose ids the caller's own are. */
  numberId: string;
  businessId: string;
  request: FastifyRequest;
  reply: FastifyReply;
};

/** A call that this dialect answers. */
export type CloudRoute = {
  method: 'GET' | 'POST' | 'DELETE';
  /** What stands in the address in place of an id. */
  node?: 'me' | 'debug_token';
  /** What follows it. */
  path: '' | `/${string}`;
  /** What the token must be allowed to do; of some addresses, by the id in them. */
  scope: Scope | ((call: Pick<CloudCall, 'id' | 'request'>) => Scope);
  /** A file travels in its body, which may take long. */
  takesFile?: true;
  handler: (call: CloudCall) => Promise<unknown>;
};
