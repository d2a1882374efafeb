import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { Peer, TypedPeer } from '#contract/messages/peer.ts';
import { type Output, schema } from '#contract/base/schema.ts';

/** Who stopped messages to a phone: somebody in the portal, a program through the API, or its owner's reply. */
export const OptoutSource = schema(() => z.enum(['portal', 'api', 'reply']));
export type OptoutSource = Output<typeof OptoutSource>;

/** The source in the interface's words. */
export const optoutSourceLabel: Record<OptoutSource, string> = {
  portal: 'dari portal',
  api: 'lewat API',
  reply: 'oleh penerima sendiri',
};

/** Why messages were stopped, in characters. */
export const OPTOUT_REASON_MAX = 200;

export const OptoutReason = schema(() =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Tulis alasannya.'),
      z.maxLength(OPTOUT_REASON_MAX, `Alasan paling panjang ${OPTOUT_REASON_MAX} karakter.`),
    ),
);

/** A phone that receives nothing more from a token. */
export const Optout = schema(() =>
  z.object({
    token_id: Id('token'),
    peer: Peer(),
    source: OptoutSource(),
    reason: z.nullable(z.string()),
    created_at: z.coerce.date(),
  }),
);
export type Optout = Output<typeof Optout>;

const conversation = () => ({ token_id: IdInput('token'), peer: TypedPeer() });

/** The phones that receive nothing more from a token, the newest first; one of them with `peer`. */
export const listOptouts = act({
  name: 'optout_list',
  by: 'customer',
  list: 'arrow',
  input: () => ({
    ...paging(['created_at']),
    token_id: IdInput('token'),
    peer: z.optional(TypedPeer()),
  }),
  output: Optout,
});

/** Stops messages of a token to a phone. Who has stopped them already stays as they are. */
export const addOptout = act({
  name: 'optout_add',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ ...conversation(), reason: OptoutReason() }),
  output: Optout,
});

/** Lets a token write to a phone again. */
export const removeOptout = act({
  name: 'optout_remove',
  by: 'customer',
  changes: true,
  audited: true,
  input: conversation,
  output: () => z.object({ removed: z.boolean() }),
});
