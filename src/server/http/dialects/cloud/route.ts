import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '#contract/tokens.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { ApiReader } from '#server/http/v1/send.ts';

/** An authenticated and authorised call. */
export type CloudCall = {
  sender: ApiSender;
  /** The API key of the call. */
  key: string;
  reader: ApiReader;
  /** The id in the address, of a number, business or file; empty for other addresses. */
  id: string;
  /** The id of the caller's own number. */
  numberId: string;
  businessId: string;
  request: FastifyRequest;
  reply: FastifyReply;
};

export type CloudRoute = {
  method: 'GET' | 'POST' | 'DELETE';
  /** The word in the address in place of an id. */
  node?: 'me' | 'debug_token';
  /** The rest of the address. */
  path: '' | `/${string}`;
  /** The required scope; for some addresses it depends on the id in them. */
  scope: Scope | ((call: Pick<CloudCall, 'id' | 'request'>) => Scope);
  /** The body contains a file and may be slow. */
  takesFile?: true;
  handler: (call: CloudCall) => Promise<unknown>;
};
