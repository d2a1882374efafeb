import type { TestDatabase } from '#tests/support/database/database.ts';
import { type Customer, customerWith, keyFor } from '#tests/support/people/people.ts';
import { type RunningApp, test as base } from './running-app.ts';

type Options = {
  /** Sent as JSON; a string or bytes unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Default: POST with a body, otherwise GET. */
  method?: string;
};

/** An answer of `/v1`: its body as JSON, `undefined` if empty, and as text. */
export type ApiAnswer = {
  status: number;
  // oxlint-disable-next-line no-explicit-any -- tests look into answers of any shape.
  body: any;
  text: string;
  headers: Record<string, unknown>;
};

type Call = (path: string, options?: Options) => Promise<ApiAnswer>;

export type Caller = Customer & {
  key: string;
  call: Call;
};

export const callerAt =
  ({ app }: RunningApp): Call =>
  async (path, { body, headers = {}, method } = {}) => {
    const answer = await app.inject({
      method: (method ?? (body === undefined ? 'GET' : 'POST')) as 'GET',
      url: path,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && {
        payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    });
    const json = /json/.test(String(answer.headers['content-type'])) && answer.body !== '';
    const { statusCode: status, headers: given } = answer;
    return { status, body: json ? answer.json() : undefined, text: answer.body, headers: given };
  };

export async function callerOf(
  running: RunningApp,
  db: TestDatabase,
  customerOptions: Parameters<typeof customerWith>[1] = {},
): Promise<Caller> {
  const customer = await customerWith(db.allAccountsSql, customerOptions);
  const key = await keyFor(db.allAccountsSql, customer);
  const call = callerAt(running);
  return {
    ...customer,
    key,
    call: (path, options = {}) =>
      call(path, { ...options, headers: { authorization: `Bearer ${key}`, ...options.headers } }),
  };
}

/** An application without background work, and Ani: Rp 1.000, at most five messages a day. */
export const test = base.extend<{ running: RunningApp; ani: Caller }>({
  running: async ({ openApp }, use) => use(await openApp()),
  ani: async ({ running, db }, use) =>
    use(await callerOf(running, db, { saldo: 1000, dailyLimit: 5 })),
});

export const halo = { to: '0812-3456-7890', text: { body: 'Halo' } };

export const inEnglish = { 'accept-language': 'en-GB,en;q=0.9' };
