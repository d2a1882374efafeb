import * as z from 'zod/mini';
import { Rupiah } from '#contract/base/money.ts';
import { schema } from '#contract/base/schema.ts';
import { endpoint } from './endpoint.ts';

/** What an account has: to spend, and held for messages under way. */
const Balance = schema(() => z.object({ available: Rupiah(), held: Rupiah() }));

/** The account behind a key. */
export const accountEndpoints = {
  getBalance: endpoint({
    method: 'GET',
    path: '/v1/balance',
    scope: 'account.read',
    status: 200,
    summary: { id: 'Saldo akun', en: "The account's saldo" },
    answer: Balance,
    refuses: [],
  }),
} as const;
