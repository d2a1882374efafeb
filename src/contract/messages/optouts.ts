import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { Peer, TypedPeer, ShownPeer } from '#contract/messages/peer.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { bodyRefused, endpoint, API_LIMITS, Recipient, withNote } from '#contract/rest/endpoint.ts';

export const OptoutSource = schema(() => z.enum(['portal', 'api', 'reply']));
export type OptoutSource = Output<typeof OptoutSource>;

export const optoutSourceLabel: Record<OptoutSource, string> = {
  portal: 'dari portal',
  api: 'lewat API',
  reply: 'oleh penerima sendiri',
};

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

export const Optout = schema(() =>
  z.object({
    token_id: Id('token'),
    peer: Peer(),
    peer_name: z.nullable(z.string()),
    source: OptoutSource(),
    reason: z.nullable(z.string()),
    created_at: z.coerce.date(),
  }),
);
export type Optout = Output<typeof Optout>;

const conversation = () => ({ token_id: IdInput('token'), peer: TypedPeer() });

/** The newest first; only one of them with `peer`. */
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

/** Stops messages of a token to a phone. An existing opt-out is unchanged. */
export const addOptout = act({
  name: 'optout_add',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ ...conversation(), reason: OptoutReason() }),
  output: Optout,
});

export const removeOptout = act({
  name: 'optout_remove',
  by: 'customer',
  changes: true,
  audited: true,
  input: conversation,
  output: () => z.object({ removed: z.boolean() }),
});

export const ApiOptout = schema(() =>
  z.object({
    phone: ShownPeer(),
    name: z.nullable(z.string()),
    source: OptoutSource(),
    reason: z.nullable(z.string()),
    created_at: z.coerce.date(),
  }),
);
export type ApiOptout = Output<typeof ApiOptout>;

const OptoutPage = schema(() =>
  z.object({ data: z.array(ApiOptout()), next_cursor: z.nullable(ShownPeer()) }),
);

const PageLimit = schema(() =>
  withNote(WholeNumber({ minimum: 1, maximum: API_LIMITS.pageMax }), {
    expected: {
      id: `bilangan bulat 1 sampai ${API_LIMITS.pageMax}`,
      en: `a whole number from 1 to ${API_LIMITS.pageMax}`,
    },
  }),
);

const OptoutQuery = schema(() =>
  z.strictObject({
    limit: z.optional(PageLimit()),
    cursor: z.optional(
      withNote(TypedPeer(), {
        expected: {
          id: 'nilai `next_cursor` dari halaman sebelumnya',
          en: 'the `next_cursor` of the page before',
        },
      }),
    ),
    phone: z.optional(Recipient()),
  }),
);

const NewOptout = schema(() =>
  z.strictObject({
    phone: Recipient(),
    reason: z.optional(z.string().check(z.minLength(1), z.maxLength(OPTOUT_REASON_MAX))),
  }),
);

const OptoutAddress = schema(() => z.strictObject({ phone: Recipient() }));

export const optoutEndpoints = {
  listOptOuts: endpoint({
    method: 'GET',
    path: '/v1/opt-outs',
    scope: 'opt_outs',
    status: 200,
    summary: { id: 'Daftar nomor yang berhenti langganan', en: 'List opted-out numbers' },
    query: OptoutQuery,
    answer: OptoutPage,
    refuses: ['input_invalid'],
  }),
  addOptOut: endpoint({
    method: 'POST',
    path: '/v1/opt-outs',
    scope: 'opt_outs',
    status: 201,
    summary: { id: 'Hentikan pesan ke sebuah nomor', en: 'Stop messages to a number' },
    body: NewOptout,
    answer: ApiOptout,
    refuses: bodyRefused,
  }),
  removeOptOut: endpoint({
    method: 'DELETE',
    path: '/v1/opt-outs',
    scope: 'opt_outs',
    status: 204,
    summary: { id: 'Izinkan lagi pesan ke sebuah nomor', en: 'Let messages go on to a number' },
    query: OptoutAddress,
    refuses: ['input_invalid'],
  }),
} as const;
