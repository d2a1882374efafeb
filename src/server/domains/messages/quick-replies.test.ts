import { expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import {
  REPLY_MAX,
  deleteQuickReply,
  listQuickReplies,
  saveQuickReply,
} from '#contract/messages/sending.ts';
import { actsOf } from '#tests/support/acts-of.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { quickReplyActs } from './messages.ts';

const actsIn = (db: TestDatabase, accountId: string) =>
  actsOf(quickReplyActs(db.tenantSql), accountId);

test('keeps quick replies per account, and notifies other tabs of each change', async ({
  db,
  sql,
}) => {
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  const [asAni, asBudi] = [actsIn(db, ani.accountId), actsIn(db, budi.accountId)];
  await asAni(saveQuickReply, { name: 'salam', text: 'Halo, {nama}.' });
  await asAni(saveQuickReply, { name: 'alamat', text: 'Jalan Melati 5.' });
  await asAni(saveQuickReply, { name: 'salam', text: 'Selamat datang, {nama}.' });
  const { replies } = await asAni(listQuickReplies, {});
  expect(replies.map(({ name, text }) => [name, text])).toEqual([
    ['alamat', 'Jalan Melati 5.'],
    ['salam', 'Selamat datang, {nama}.'],
  ]);

  expect(await asBudi(listQuickReplies, {})).toEqual({ replies: [] });
  const gone = new Refusal('not_found', { what: 'Balasan' });
  await expect(asBudi(deleteQuickReply, { name: 'salam' })).rejects.toEqual(gone);
  await asAni(deleteQuickReply, { name: 'salam' });
  await expect(asAni(deleteQuickReply, { name: 'salam' })).rejects.toEqual(gone);
  const told = await sql`select account_id, data from outbox where kind = 'quick_reply.changed'`;
  expect(told).toEqual(Array.from({ length: 4 }, () => ({ account_id: ani.accountId, data: {} })));
});

test('gives the last slot once, and accepts edits in a full list', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  const ask = actsIn(db, ani.accountId);
  await sql`
    insert into quick_replies (account_id, name, text)
    select ${ani.accountId}, 'balasan-' || n, 'Baik.' from generate_series(2, ${REPLY_MAX.all}) n`;
  const tries = ['satu', 'dua', 'tiga'].map((name) => ask(saveQuickReply, { name, text: 'Ya.' }));
  const ends = await Promise.allSettled(tries);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const refused = ends.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(refused.reason).toEqual(new Refusal('quick_replies_full', { limit: 100 }));
  const other = await ask(saveQuickReply, { name: 'balasan-2', text: 'Tentu.' });
  expect(other.text).toBe('Tentu.');
  expect((await ask(listQuickReplies, {})).replies).toHaveLength(REPLY_MAX.all);
});
