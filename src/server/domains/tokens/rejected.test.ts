import { expect, test as unit } from 'vitest';
import type { InputFor, PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type RejectedCall, RejectedFacts, listRejectedCalls } from '#contract/token-access.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import {
  storedFacts,
  storedPath,
  listRejectedCallsHandler,
  pruneRejectedCalls,
  type Rejection,
  openRejectionRecorder,
} from '#server/domains/tokens/rejected.ts';

const throws = (error: unknown) => {
  throw error;
};

async function recorderWith({ allAccountsSql }: TestDatabase, clockMs?: () => number) {
  const ani = await customerWith(allAccountsSql);
  const recorder = openRejectionRecorder({
    allAccountsSql,
    report: throws,
    ...(clockMs && { clockMs }),
  });
  const one = (change: Partial<Rejection> = {}): Rejection => ({
    accountId: ani.accountId,
    tokenId: ani.tokenId,
    dialect: 'kabari',
    method: 'POST',
    path: '/v1/messages',
    code: 'saldo_short',
    status: 402,
    address: '203.0.113.7',
    facts: { required: 150, available: 0 },
    ...change,
  });
  return { ani, recorder, one };
}

const listOf = async (
  { tenantSql: sql }: TestDatabase,
  accountId: string,
  input: InputFor<typeof listRejectedCalls> = {},
) => {
  const call = { caller: { kind: 'person', accountId }, agent: 'test' } as never;
  const page = await listRejectedCallsHandler({ sql }).handle(
    call,
    listRejectedCalls.input.parse(input) as never,
  );
  return page as PageOf<RejectedCall>;
};

const count = async (sql: Sql) => (await sql`select 1 from rejected_calls`).length;

test('joins a thousand equal calls of all processes into one row with a count', async ({ db }) => {
  const { ani, recorder, one } = await recorderWith(db);
  for (let n = 0; n < 1_000; n++) recorder.record(one({ facts: { required: 150, available: n } }));
  await recorder.close();
  const elsewhere = openRejectionRecorder({ allAccountsSql: db.allAccountsSql, report: throws });
  elsewhere.record(one());
  await elsewhere.close();
  const { rows, total } = await listOf(db, ani.accountId);
  expect(total).toBe(1);
  expect(rows).toMatchObject([
    {
      token: { id: publicId('token', ani.tokenId) },
      code: 'saldo_short',
      status: 402,
      calls: 1_001,
      facts: { required: 150, available: 0 },
      address: '203.0.113.7',
    },
  ]);
});

test('limits a token to twenty kinds a minute, and an account to its newest thousand', async ({
  db,
}) => {
  const clock = { ms: 0 };
  const { recorder, one } = await recorderWith(db, () => clock.ms);
  for (let n = 0; n < 100; n++) recorder.record(one({ path: `/v1/${n}` }));
  await recorder.close();
  expect(await count(db.allAccountsSql)).toBe(20);
  clock.ms = 60_000;
  for (let n = 100; n < 200; n++) recorder.record(one({ path: `/v1/${n}` }));
  await recorder.close();
  expect(await count(db.allAccountsSql)).toBe(40);

  await db.allAccountsSql`
    insert into rejected_calls
    select account_id, token_id, hour, sha256(n::text::bytea), dialect, method, path, code, status, address,
      facts, calls, first_at, last_at - interval '1 hour'
    from (select * from rejected_calls limit 1) r, generate_series(1, 1200) n`;
  recorder.record(one({ path: '/v1/100' }));
  await recorder.close();
  expect(await count(db.allAccountsSql)).toBe(1_000);
  const [newest] = await db.allAccountsSql`
    select count(*) as n from rejected_calls where last_at > clock_timestamp() - interval '30 minutes'`;
  expect(newest).toEqual({ n: 40 });
});

test('stores nothing for a deleted token', async ({ db }) => {
  const { recorder, one } = await recorderWith(db);
  recorder.record(one({ tokenId: '01900000-0000-7000-8000-000000000000' }));
  await recorder.close();
  expect(await count(db.allAccountsSql)).toBe(0);
});

test('finds them by token and by reason, for their own account only', async ({ db }) => {
  const { ani, recorder, one } = await recorderWith(db);
  const budi = await customerWith(db.allAccountsSql);
  recorder.record(one());
  recorder.record(one({ code: 'not_found', status: 404 }));
  recorder.record(one({ accountId: budi.accountId, tokenId: budi.tokenId, code: 'busy' }));
  await recorder.close();
  const codes = async (input: InputFor<typeof listRejectedCalls>, by = ani.accountId) =>
    (await listOf(db, by, input)).rows.map(({ code }) => code).toSorted();
  expect(await codes({})).toEqual(['not_found', 'saldo_short']);
  expect(await codes({ code: 'not_found' })).toEqual(['not_found']);
  expect(await codes({ token_id: publicId('token', ani.tokenId) })).toHaveLength(2);
  await expect(codes({ token_id: publicId('token', budi.tokenId) })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await codes({}, budi.accountId)).toEqual(['busy']);
});

test('hides and deletes them after seven days', async ({ db }) => {
  const { ani, recorder, one } = await recorderWith(db);
  recorder.record(one());
  recorder.record(one({ code: 'busy' }));
  await recorder.close();
  await db.allAccountsSql`update rejected_calls set last_at = last_at - interval '7 days' where code = 'busy'`;
  expect(await listOf(db, ani.accountId)).toMatchObject({
    total: 1,
    rows: [{ code: 'saldo_short' }],
  });
  await pruneRejectedCalls(db.allAccountsSql);
  expect(await count(db.allAccountsSql)).toBe(1);
});

test('reports a failed write without blocking', async ({ db }) => {
  const troubles: unknown[] = [];
  const broken = new Proxy(db.allAccountsSql, {
    apply: () => Promise.reject(new Error('no database')),
  });
  const { one } = await recorderWith(db);
  const recorder = openRejectionRecorder({
    allAccountsSql: broken,
    report: (error) => void troubles.push(error),
  });
  recorder.record(one());
  await recorder.close();
  expect(troubles).toHaveLength(1);
});

unit('of facts only figures and our own words are kept', () => {
  const of = (no: Refusal) => RejectedFacts().parse(storedFacts(no));
  expect(of(new Refusal('ref_conflict', { ref: '6281377778888' }))).toEqual({});
  expect(of(new Refusal('request_malformed', { why: 'Halo' }))).toEqual({});
  expect(of(new Refusal('saldo_short', { required: 150, available: 2 }))).toEqual({
    required: 150,
    available: 2,
  });
  expect(of(new Refusal('scope_missing', { scope: 'media' }))).toEqual({ scope: 'media' });
  const fields = {
    'text.body': 'Harus teks.',
    'messages.0.to': 'Wajib.',
    '0812-3456-7890': 'Tidak dikenal.',
    x081234567890: 'Tidak dikenal.',
    'Halo Ani': 'Tidak dikenal.',
    more: 'x',
  };
  expect(of(new Refusal('input_invalid', { fields }))).toEqual({
    fields: ['text.body', 'messages.0.to', '…'],
  });
});

unit('of an unknown address the words are kept, and nothing that may be a number or a key', () => {
  expect(storedPath('/v1/message/msg_01JD8ZK3000000000000000000/cancel?x=1')).toBe(
    '/v1/message/…/cancel',
  );
  expect(storedPath('/v17.0/106540352242922/messages?access_token=kbr_live_x')).toBe(
    '/v17.0/…/messages',
  );
  expect(storedPath(`/v1/${'a/'.repeat(500)}`)).toHaveLength(80);
  expect(storedPath('/v1/%00<script>')).toBe('/v1/…');
});
