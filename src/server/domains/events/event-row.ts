import { publicId } from '#contract/base/ids.ts';

/** A published event as it is stored; of messages, `data` has only what the columns have not. */
export type EventRow = {
  position: number;
  kind: string;
  message_id: string | null;
  token_id: string | null;
  peer: string | null;
  status: string | null;
  data: object | null;
};

/** The facts of an event as open tabs receive them: a LiveEvent, unless it was stored in another shape. */
export function factsOf({ kind, message_id, token_id, peer, status, data }: EventRow): object {
  if (message_id === null || token_id === null || status === null) return { ...data, kind };
  return {
    kind,
    id: publicId('message', message_id),
    token_id: publicId('token', token_id),
    peer,
    direction: status === 'received' ? 'in' : 'out',
    status,
    ...data,
  };
}
