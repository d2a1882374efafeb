import { expect, vi } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { test } from '#tests/support/database/database.ts';
import {
  type KeyedCall,
  type Outcome,
  deleteAnswers,
  openIdempotencyStore,
  pruneAnswers,
  sealedAnswers,
} from './acts.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';

const secrets = secretsFrom(new Uint8Array(32).fill(7));
const neverTold = (trouble: unknown) => {
  throw trouble;
};
const aCall = (changes: Partial<KeyedCall> = {}): KeyedCall => ({
  person: 'public',
  key: '0192f0c1-0000-7000-8000-000000000001',
  act: 'user_login',
  input: '[["phone","0812"]]',
  ...changes,
});
const yes: Outcome = { status: 200, body: '{"code":1,"secret":"kbs_very-secret"}', keep: true };

test('returns the first answer for a repeated key, and does the work once', async ({ sql }) => {
  const answers = openIdempotencyStore(sql, secrets, neverTold);
  const work = vi.fn(async () => yes);
  expect(await answers.once(aCall(), work)).toEqual(yes);
  expect(await answers.once(aCall(), work)).toEqual(yes);
  expect(work).toHaveBeenCalledTimes(1);
});

test('does the work once for ten concurrent repeats on two nodes', async ({ sql }) => {
  const work = vi.fn(async () => yes);
  const ours = openIdempotencyStore(sql, secrets, neverTold);
  const theirs = openIdempotencyStore(sql, secrets, neverTold);
  const asked = Array.from({ length: 10 }, (_, index) =>
    (index % 2 === 0 ? ours : theirs).once(aCall(), work),
  );
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 10 }, () => yes));
  expect(work).toHaveBeenCalledTimes(1);
});

test('reports a conflict for a key used with another request', async ({ sql }) => {
  const answers = openIdempotencyStore(sql, secrets, neverTold);
  await answers.once(aCall(), async () => yes);
  const other = answers.once(aCall({ input: '[["phone","0813"]]' }), async () => yes);
  await expect(other).rejects.toEqual(new Refusal('idempotency_conflict', {}));
  const otherAct = answers.once(aCall({ act: 'user_register' }), async () => yes);
  await expect(otherAct).rejects.toEqual(new Refusal('idempotency_conflict', {}));
});

test('keeps the same key of two people apart', async ({ sql }) => {
  const answers = openIdempotencyStore(sql, secrets, neverTold);
  const work = vi.fn(async () => yes);
  await answers.once(aCall({ person: 'ani' }), work);
  await answers.once(aCall({ person: 'budi' }), work);
  expect(work).toHaveBeenCalledTimes(2);
});

test('runs the work again after an error', async ({ sql }) => {
  const answers = openIdempotencyStore(sql, secrets, neverTold);
  const fault: Outcome = { status: 500, body: '{}', keep: false };
  expect(await answers.once(aCall(), async () => fault)).toEqual(fault);
  await expect(answers.once(aCall(), () => Promise.reject(new Error('down')))).rejects.toThrow(
    'down',
  );
  expect(await answers.once(aCall(), async () => yes)).toEqual(yes);
});

test('a repeat during the first call waits five seconds, then gets request_in_flight', async ({
  sql,
}) => {
  const answers = openIdempotencyStore(sql, secrets, neverTold);
  const first = Promise.withResolvers<Outcome>();
  const slow = answers.once(aCall(), () => first.promise);
  await waitFor(async () => expect(await sql`select from idempotent_responses`).toHaveLength(1));
  await expect(answers.once(aCall(), async () => yes)).rejects.toEqual(
    new Refusal('request_in_flight', { seconds: 2 }),
  );
  first.resolve(yes);
  expect(await slow).toEqual(yes);
});

test('runs a call again 30 seconds after its process died', async ({ sql }) => {
  const answers = openIdempotencyStore(sql, secrets, neverTold);
  void answers.once(aCall(), () => new Promise<Outcome>(() => undefined));
  await waitFor(async () => expect(await sql`select from idempotent_responses`).toHaveLength(1));
  await sql`update idempotent_responses set created_at = statement_timestamp() - interval '31 seconds'`;
  expect(await answers.once(aCall(), async () => yes)).toEqual(yes);
});

test('stores answer and input encrypted', async ({ sql }) => {
  await openIdempotencyStore(sql, secrets, neverTold).once(aCall(), async () => yes);
  const rows = await sql`select person, act, status, sealed, input_hash from idempotent_responses`;
  expect(JSON.stringify(rows)).not.toContain('very-secret');
  const [row] = await sql<{ sealed: Buffer }[]>`select sealed from idempotent_responses`;
  expect(row?.sealed.toString('latin1')).not.toContain('very-secret');
});

test('deletes answers after a day, and not before', async ({ sql }) => {
  const answers = openIdempotencyStore(sql, secrets, neverTold);
  await answers.once(aCall(), async () => yes);
  await answers.once(aCall({ person: 'ani' }), async () => yes);
  await sql`
    update idempotent_responses set created_at = statement_timestamp() - interval '25 hours' where person = 'ani'`;
  expect(await pruneAnswers(sql)).toBe(1);
  expect(await sql`select person from idempotent_responses`).toEqual([{ person: 'public' }]);
});

test('fails without repeating the work if an answer cannot be decrypted', async ({ sql }) => {
  const answers = openIdempotencyStore(sql, secrets, neverTold);
  const work = vi.fn(async () => yes);
  await answers.once(aCall(), work);
  await sql`update idempotent_responses set sealed = '\\x00'`;
  await expect(answers.once(aCall(), work)).rejects.toThrow('does not open');
  expect(work).toHaveBeenCalledTimes(1);
});

test('an answer can be decrypted only in its own row', async ({ sql }) => {
  await openIdempotencyStore(sql, secrets, neverTold).once(aCall(), async () => yes);
  const [row] = await sql<{ sealed: Buffer }[]>`select * from idempotent_responses`;
  const named = [sealedAnswers.column, ...sealedAnswers.key];
  expect(Object.keys(row ?? {})).toEqual(expect.arrayContaining(named));
  const { person, key } = aCall();
  const open = (context: Record<string, string>) =>
    secrets.open(row?.sealed ?? Buffer.alloc(0), sealedAnswers.context(context) ?? '');
  expect(open({ person, key })?.toString()).toBe(yes.body);
  expect(open({ person: 'ani', key })).toBeUndefined();
  expect(open({ person, key: '1' })).toBeUndefined();
});

test('returns the answer and reports the error if it cannot be stored', async ({ db, sql }) => {
  const report = vi.fn();
  const work = async () => {
    await db.owner`alter table idempotent_responses rename to moved`;
    return yes;
  };
  expect(await openIdempotencyStore(sql, secrets, report).once(aCall(), work)).toEqual(yes);
  expect(report).toHaveBeenCalledTimes(1);
});

test('deletes the answers of the named people only', async ({ sql }) => {
  const answers = openIdempotencyStore(sql, secrets, neverTold);
  for (const person of ['ani', 'budi', 'citra'])
    await answers.once(aCall({ person }), async () => yes);
  await deleteAnswers(sql, ['ani', 'citra']);
  expect(await sql`select person from idempotent_responses`).toEqual([{ person: 'budi' }]);
});
