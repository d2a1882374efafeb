import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '#contract/tokens.ts';
import type { ApiReader, KeyHolder } from '#server/infra/endpoints.ts';

export type CloudCall = {
  sender: KeyHolder;
  key: string;
  reader: ApiReader;
  /** The id in the address, of a number, business or file; empty for other addresses. */
  id: string;
  numberId: string;
  businessId: string;
  request: FastifyRequest;
  reply: FastifyReply;
};

export type CloudRoute = {
  method: 'GET' | 'POST' | 'DELETE';
  node?: 'me' | 'debug_token';
  path: '' | `/${string}`;
  /** The required scope; for some addresses it depends on the id in them. */
  scope: Scope | ((call: Pick<CloudCall, 'id' | 'request'>) => Scope);
  takesFile?: true;
  handler: (call: CloudCall) => Promise<unknown>;
};
