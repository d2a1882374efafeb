import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '#contract/rest/scopes.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { ApiReader } from '#server/http/v1/call.ts';

/** One call, its caller known and allowed. */
export type CloudCall = {
  sender: ApiSender;
  reader: ApiReader;
  /** The id in the address: of a number, a business, or a file. */
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
  /** What follows the id in the address. */
  path: '' | `/${string}`;
  /** What the token must be allowed to do; of some addresses, by the id in them. */
  scope: Scope | ((call: Pick<CloudCall, 'id' | 'request'>) => Scope);
  /** A file travels in its body, which may take long. */
  takesFile?: true;
  handler: (call: CloudCall) => Promise<unknown>;
};
