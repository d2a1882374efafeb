import { makeKey } from '#server/domains/tokens/key.ts';
import type { TestDatabase } from '#tests/database.ts';
import { type Customer, customerWith } from '#tests/people.ts';
import { type RunningHouse, test as base } from '#tests/running-house.ts';

/** What `/v1` answered: its JSON, and the same as the bytes that travelled. */
export type ApiSaid = {
  status: number;
  // oxlint-disable-next-line no-explicit-any -- tests look into answers of any shape.
  body: any;
  text: string;
  headers: Record<string, unknown>;
};

export type Caller = Customer & {
  key: string;
  /** Calls `/v1` with the customer's key; `body` travels as JSON, a string as it is. */
  call: (
    path: string,
    options?: { body?: unknown; headers?: Record<string, string>; method?: 'GET' | 'POST' },
  ) => Promise<ApiSaid>;
};

/** A customer with an API key, and the house's doors. */
export async function callerOf(
  house: RunningHouse,
  db: TestDatabase,
  wish: Parameters<typeof customerWith>[1],
) {
  const customer = await customerWith(db.house, wish);
  const { key, hash } = makeKey('simulator');
  await db.house`
    insert into token_keys (key_hash, account_id, token_id)
    values (${hash}, ${customer.accountId}, ${customer.tokenId})`;
  const call: Caller['call'] = async (path, { body, headers = {}, method } = {}) => {
    const answer = await house.app.inject({
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      url: path,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
    return {
      status: answer.statusCode,
      body: answer.json(),
      text: answer.body,
      headers: answer.headers,
    };
  };
  return { ...customer, key, call };
}

/** A running house, and a customer of its API with 1,000 rupiah and a daily limit of five. */
export const test = base.extend<{ house: RunningHouse; ani: Caller }>({
  house: async ({ openHouse }, use) => use(await openHouse()),
  ani: async ({ house, db }, use) => use(await callerOf(house, db, { saldo: 1000, dailyLimit: 5 })),
});
