import * as z from 'zod/mini';
import { Id } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { ShownPeer, ShownPhone } from '#contract/messages/peer.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { MutationKind } from '#contract/saldo.ts';
import { TokenStatus, scopes } from '#contract/tokens.ts';
import { LinkState } from '#contract/scan.ts';
import { bodyRefused, endpoint, API_LIMITS, withNote } from './endpoint.ts';

const Balance = schema(() => z.object({ available: Rupiah(), held: Rupiah() }));

export const Me = schema(() =>
  z.object({
    account: z.object({ id: Id('account'), name: z.string() }),
    token: z.object({
      id: Id('token'),
      name: z.string(),
      status: TokenStatus(),
      phone: z.nullable(ShownPhone()),
      /** Messages accepted on this WIB day. */
      sent_today: z.int(),
      daily_limit: z.int(),
      created_at: z.coerce.date(),
    }),
    scopes: z.array(z.enum(scopes)),
    simulated: z.boolean(),
  }),
);
export type Me = Output<typeof Me>;

export const ApiMutation = schema(() =>
  z.object({
    seq: z.int(),
    kind: MutationKind(),
    /** The change of the available saldo; for messages without later refunds. */
    amount: Rupiah(),
    /** The amount still held. */
    held: Rupiah(),
    /** The available saldo right after it. */
    available_after: Rupiah(),
    /** The number of messages it covers; a single one has its id, phone and name here. */
    messages: z.int(),
    message: z.nullable(
      z.object({ id: Id('message'), peer: ShownPeer(), name: z.nullable(z.string()) }),
    ),
    memo: z.nullable(z.string()),
    topup: z.nullable(Id('topup')),
    invoice: z.nullable(Id('invoice')),
    created_at: z.coerce.date(),
  }),
);
export type ApiMutation = Output<typeof ApiMutation>;

const MutationPage = schema(() =>
  z.object({ data: z.array(ApiMutation()), next_cursor: z.nullable(z.int()) }),
);

const MutationQuery = schema(() =>
  z.strictObject({
    limit: z.optional(
      withNote(WholeNumber({ minimum: 1, maximum: API_LIMITS.pageMax }), {
        expected: {
          id: `bilangan bulat 1 sampai ${API_LIMITS.pageMax}`,
          en: `a whole number from 1 to ${API_LIMITS.pageMax}`,
        },
      }),
    ),
    cursor: z.optional(
      withNote(WholeNumber({ minimum: 1 }), {
        expected: {
          id: 'nilai `next_cursor` dari halaman sebelumnya',
          en: 'the `next_cursor` of the page before',
        },
      }),
    ),
    kind: z.optional(MutationKind()),
  }),
);

export const ApiLink = schema(() =>
  z.object({
    state: LinkState(),
    /** Replaced by another one at its `expires_at`. */
    qr: z.nullable(
      z.object({
        /** PNG as a data URL for `<img src>`. */
        image: z.string(),
        text: z.string(),
        /** To type instead; null while the network has provided none. */
        pairing_code: z.nullable(z.string()),
        expires_at: z.coerce.date(),
      }),
    ),
    phone: z.nullable(ShownPhone()),
    /** The end of the linking; null once connected. */
    expires_at: z.nullable(z.coerce.date()),
  }),
);
export type ApiLink = Output<typeof ApiLink>;

export const accountEndpoints = {
  getMe: endpoint({
    method: 'GET',
    path: '/v1/me',
    scope: 'account.read',
    status: 200,
    summary: { id: 'Akun, token, dan izin kunci ini', en: "This key's account, token and scopes" },
    answer: Me,
    refuses: [],
  }),
  getBalance: endpoint({
    method: 'GET',
    path: '/v1/balance',
    scope: 'account.read',
    status: 200,
    summary: { id: 'Saldo akun', en: "The account's saldo" },
    answer: Balance,
    refuses: [],
  }),
  listMutations: endpoint({
    method: 'GET',
    path: '/v1/mutations',
    scope: 'account.read',
    status: 200,
    summary: { id: 'Mutasi saldo, terbaru dahulu', en: 'What changed the saldo, the newest first' },
    query: MutationQuery,
    answer: MutationPage,
    refuses: ['input_invalid'],
  }),
  startLink: endpoint({
    method: 'POST',
    path: '/v1/link',
    scope: 'link',
    status: 200,
    summary: { id: 'Sambungkan token ke ponsel', en: 'Link the token to a phone' },
    body: () => z.strictObject({}),
    answer: ApiLink,
    refuses: bodyRefused,
  }),
} as const;
