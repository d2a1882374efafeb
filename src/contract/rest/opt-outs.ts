import * as z from 'zod/mini';
import { WholeNumber } from '#contract/base/numbers.ts';
import { ShownPeer, TypedPeer } from '#contract/messages/peer.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { OPTOUT_REASON_MAX, OptoutSource } from '#contract/messages/optouts.ts';
import { bodyRefused, endpoint } from './endpoint.ts';
import { API_LIMITS } from './limits.ts';
import { Recipient, noted } from './notes.ts';

/** A phone that receives nothing more from the token. */
export const ApiOptout = schema(() =>
  z.object({
    phone: ShownPeer(),
    source: OptoutSource(),
    reason: z.nullable(z.string()),
    created_at: z.coerce.date(),
  }),
);
export type ApiOptout = Output<typeof ApiOptout>;

/** A page of opt-outs, by phone; `next_cursor` is null on the last one. */
const OptoutPage = schema(() =>
  z.object({ data: z.array(ApiOptout()), next_cursor: z.nullable(ShownPeer()) }),
);

const PageLimit = schema(() =>
  noted(WholeNumber({ minimum: 1, maximum: API_LIMITS.pageMax }), {
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
      noted(TypedPeer(), {
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

/** Who receives nothing more from the token of a key. */
export const optoutEndpoints = {
  listOptOuts: endpoint({
    method: 'GET',
    path: '/v1/opt-outs',
    scope: 'opt_outs',
    status: 200,
    summary: { id: 'Daftar nomor yang berhenti berlangganan', en: 'List opted-out numbers' },
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
