import { describe, expect } from 'vitest';
import { json } from '#server/infra/postgres/sql.ts';
import { test } from '#tests/support/database/database.ts';
import { publishAll } from '#tests/support/figures.ts';
import {
  changeAccounts,
  changeTokens,
  closeAccount,
  customerWith,
} from '#tests/support/people/people.ts';
import { idOf, insertMessages, storeMessages } from '#tests/support/people/stored-messages.ts';
import { SIZE, found, indexAll, storeLate, text } from '#tests/support/people/worded-messages.ts';
import { messagesAccountData } from '#server/domains/messages/account-data.ts';
import { messageList } from '#server/domains/messages/history/history.ts';
import { reindexMessage, indexBatch, startIndexing } from './words.ts';

const start = Date.parse('2026-10-20T03:00:00Z');

describe('the index of words', () => {
  test('skips small accounts, and indexes a whole batch once', async ({ db, sql }) => {
    const { accountId, tokenId } = await customerWith(sql);
    const at = new Date(start);
    const many = (count: number) => Array.from({ length: count }, () => ({ at, tokenId }));
    await storeMessages(db.owner, accountId, many(SIZE - 1));
    expect(await indexBatch(sql, accountId, SIZE)).toBe(false);
    expect(await sql`select 1 from word_cursors`).toEqual([]);
    await storeMessages(db.owner, accountId, many(1));
    const indexed = await Promise.all([1, 2, 3].map(() => indexBatch(sql, accountId, SIZE)));
    expect(indexed.filter(Boolean)).toHaveLength(1);
    expect(await indexBatch(sql, accountId, SIZE)).toBe(false);
    expect(await sql`select cardinality(ids) as n from word_batches`).toEqual([{ n: SIZE }]);
  });

  test('indexes a batch atomically, and again after a failure', async ({ db, sql }) => {
    const { accountId, tokenId } = await customerWith(sql);
    const options = { at: new Date(start), tokenId, ...text('sepatu merah') };
    await storeMessages(
      db.owner,
      accountId,
      Array.from({ length: SIZE }, () => options),
    );
    await db.owner.query(
      'alter table word_cursors add constraint broken check (position < 0) not valid',
    );
    await db.owner`insert into word_cursors values (${accountId}, '00000000-0000-0000-0000-000000000000', -1)`;
    await storeLate(db, accountId, [options], true);
    await expect(indexBatch(sql, accountId, SIZE)).rejects.toThrow('broken');
    expect(await sql`select 1 from message_words`).toEqual([]);
    expect(await found(db.tenantSql, accountId, { q: 'merah' })).toHaveLength(SIZE + 1);
    await db.owner.query('alter table word_cursors drop constraint broken');
    await indexAll(sql, accountId);
    expect(await sql`select 1 from word_batches`).toHaveLength(1);
    expect(await found(db.tenantSql, accountId, { q: 'merah' })).toHaveLength(SIZE + 1);
  });

  test('indexes accounts that have grown by a batch on its own', async ({ db, sql }) => {
    const { accountId, tokenId } = await customerWith(sql);
    const body = { text: 'Halo' };
    const id = () => idOf(new Date(1_790_000_000_000));
    const messages = Array.from({ length: 5000 }, () => ({ id: id(), tokenId, body }));
    await insertMessages(db.owner, accountId, messages);
    const troubles: unknown[] = [];
    const index = async () => {
      const indexing = startIndexing({
        allAccountsSql: sql,
        report: (trouble) => void troubles.push(trouble),
      });
      await indexing.index();
      await indexing.close();
    };
    await index();
    expect(await sql`select 1 from word_batches`).toEqual([]);
    await sql`insert into event_positions (account_id, last) values (${accountId}, 5000)`;
    await index();
    expect(await sql`select 1 from word_batches`).toHaveLength(2);
    expect(troubles).toEqual([]);
    expect((await messageList(db.tenantSql, accountId, { q: 'halo' })).total).toBe(5000);
  });

  test('contains no word of a code that was sent', async ({ db, sql }) => {
    const { accountId, tokenId } = await customerWith(sql);
    const options = { at: new Date(start), tokenId, ...text('Kode verifikasi ••••••') };
    await storeMessages(
      db.owner,
      accountId,
      Array.from({ length: SIZE }, () => options),
    );
    await indexAll(sql, accountId);
    const words = await sql<{ word: string }[]>`
      select word from message_words where word !~ '^=' order by word`;
    expect(words.map(({ word }) => word)).toEqual(['kode', 'verifikasi']);
  });

  test('finds a file name that was added after its message was indexed', async ({ db, sql }) => {
    const { accountId, tokenId } = await customerWith(sql);
    const options = {
      at: new Date(start),
      tokenId,
      type: 'document' as const,
      body: { link: 'https://a.example/1' },
    };
    const all = await storeMessages(
      db.owner,
      accountId,
      Array.from({ length: SIZE }, () => options),
    );
    await indexAll(sql, accountId);
    const some = all.slice(0, 18);
    for (const { id } of some) {
      await sql`select attach_file(${accountId}, ${id}, ${json({ filename: 'Kuitansi.pdf' })})`;
      await reindexMessage(sql, { accountId, messageId: id });
      await reindexMessage(sql, { accountId, messageId: id });
    }
    expect(await found(db.tenantSql, accountId, { q: 'kuitansi' })).toHaveLength(some.length);
  });

  test('is erased with its account, and single notices with theirs', async ({ db, sql }) => {
    const ani = await customerWith(sql);
    const ours = await customerWith(sql);
    const at = new Date(start);
    const notices = (peer: string, count: number, said: string) =>
      Array.from({ length: count }, () => ({ at, tokenId: ours.tokenId, peer, ...text(said) }));
    await storeMessages(db.owner, ours.accountId, [
      ...notices('6281200000001', 3, 'Halo Ani Wijaya'),
      ...notices('6281200000002', 37, 'Halo Budi'),
    ]);
    await storeMessages(
      db.owner,
      ani.accountId,
      Array.from({ length: SIZE }, () => ({ at, tokenId: ani.tokenId, ...text('Catatan toko') })),
    );
    for (const { accountId } of [ani, ours]) await indexAll(sql, accountId);
    await publishAll(sql);
    await changeAccounts(db.owner, ours, { isSystem: true });
    await changeTokens(db.owner, ours, { isSystem: true });
    await closeAccount(sql, ani.accountId);
    const { erase } = messagesAccountData({ sql: db.tenantSql, allAccountsSql: sql });
    await erase?.({ accountId: ani.accountId, phones: ['6281200000001'] });

    expect(
      await sql`
      select account_id from message_words where account_id = ${ani.accountId}
      union all select account_id from word_batches where account_id = ${ani.accountId}
      union all select account_id from word_cursors where account_id = ${ani.accountId}`,
    ).toEqual([]);
    expect(await sql`select 1 from message_words where word in ('ani', 'wijaya')`).toEqual([]);
    expect(await found(db.tenantSql, ours.accountId, { q: 'halo' })).toHaveLength(37);
    expect(await found(db.tenantSql, ours.accountId, { q: 'budi' })).toHaveLength(37);
  });
});
