import { standardHeaders } from '#server/domains/webhooks/signature.ts';
import type { Outgoing } from './format.ts';

/** JSON with the headers of Standard Webhooks, which every shape carries: they recognise a repeat, and sign. */
export const jsonRequest = (
  body: string,
  { id, at, secrets }: Pick<Outgoing, 'id' | 'at' | 'secrets'>,
  headers: Record<string, string> = {},
): { headers: Record<string, string>; body: string } => ({
  headers: {
    'content-type': 'application/json',
    ...headers,
    ...standardHeaders({ id, at, body, secrets }),
  },
  body,
});
