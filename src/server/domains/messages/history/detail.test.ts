import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { MessageDetail, type MessageStatus } from '#contract/messages.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { ApiMessage } from '#contract/rest/messages.ts';
import { newId } from '#server/infra/ids.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith, orderOf } from '#tests/support/people/people.ts';
import { expiresAt, reader } from '#tests/support/reader.ts';
import { type MessageOptions, storeMessages } from '#tests/support/people/stored-messages.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { type ApiQuery, listForApi, messageDetail, messageForApi } from './detail.ts';
import { applyReceipts } from '#server/domains/messages/dispatch/settle.ts';
import { changeDispatch } from '#tests/support/app/lanes.ts';

const noMessage = new Refusal('not_found', { what: 'Pesan' });
const stepsOf = ({ timeline }: { timeline: readonly { kind: string }[] }) =>
  timeline.map(({ kind }) => kind);

describe('one message', () => {
  test('shows its timeline and its effect on the saldo', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const { accountId } = ani;
    const placed = await openIntake(sql, () => undefined).accept(orderOf(ani, { refs: ['INV-1'] }));
    const messageId = placed.results[0]?.id ?? '';
    const before = await messageDetail(db.tenantSql, { accountId, messageId }, reader);
    expect(stepsOf(before)).toEqual(['accepted', 'queued']);
    expect(before.charge).toEqual({
      state: 'held',
      amount: 150,
      hold_seq: 2,
      settle_seq: null,
      correct_seq: null,
    });

    const at = new Date(Date.now() + 1000);
    await applyReceipts(sql, [{ accountId, messageId, status: 'delivered', at }]);
    const after = await messageDetail(db.tenantSql, { accountId, messageId }, reader);
    expect(stepsOf(after)).toEqual(['accepted', 'queued', 'delivered']);
    expect(after.timeline.at(-1)?.at).toEqual(at);
    expect(after.charge).toEqual({
      state: 'captured',
      amount: 150,
      hold_seq: 2,
      settle_seq: 3,
      correct_seq: null,
    });
    expect(after).toMatchObject({
      ref: 'INV-1',
      status: 'delivered',
      content: { caption: 'Halo' },
    });
    expect(MessageDetail().safeParse(after).success).toBe(true);
    expect(ApiMessage().safeParse(after.raw)).toMatchObject({
      success: true,
      data: { content: { text: 'Halo' }, simulated: true, token: publicId('token', ani.tokenId) },
    });
  });

  test('costs nothing after its price was released, and stays charged once it was sent', async ({
    db,
    sql,
  }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const { accountId } = ani;
    const { results } = await openIntake(sql, () => undefined).accept(
      orderOf(ani, { prices: [150, 150] }),
    );
    const [back = '', charged = ''] = results.map(({ id }) => id ?? '');
    const fails = (messageId: string) =>
      applyReceipts(sql, [{ accountId, messageId, status: 'failed', at: new Date() }]);
    await fails(back);
    await sql`select from settle_batch(
      ${accountId}, null, null, array[${charged}::uuid], array['sent'], array[null::text],
      array[clock_timestamp()])`;
    await fails(charged);
    const detail = (messageId: string) =>
      messageDetail(db.tenantSql, { accountId, messageId }, reader);
    expect(await detail(back)).toMatchObject({
      status: 'failed',
      price: 0,
      charge: { state: 'released', amount: 150 },
      raw: { price: 150 },
    });
    expect(await detail(charged)).toMatchObject({
      status: 'failed',
      price: 150,
      charge: { state: 'captured', amount: 150 },
    });
  });

  test('shows that it used the quota, until the quota is returned', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const { accountId } = ani;
    await sql`select set_plan_allowance(${accountId}, 5, 75, false)`;
    const placed = await openIntake(sql, () => undefined).accept(orderOf(ani));
    const messageId = placed.results[0]?.id ?? '';
    const byQuota = async () =>
      (await messageDetail(db.tenantSql, { accountId, messageId }, reader)).by_quota;
    expect(await byQuota()).toBe(true);
    await applyReceipts(sql, [{ accountId, messageId, status: 'failed', at: new Date() }]);
    expect(await byQuota()).toBe(false);
  });

  test('shows its scheduled time', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const { accountId } = ani;
    const readyAt = new Date(Date.now() + 3_600_000);
    const order = orderOf(ani, { prices: [150, 150] });
    const items = order.items.map((item, index) => (index === 0 ? { ...item, readyAt } : item));
    const { results } = await openIntake(sql, () => undefined).accept({ ...order, items });
    const [first, second] = results.map(({ id }) => id ?? '');
    const leaves = async (id = '') =>
      (await messageDetail(db.tenantSql, { accountId, messageId: id }, reader)).scheduled_at;
    expect(await leaves(first)).toEqual(readyAt);
    expect(await leaves(second)).toBeNull();
    await changeDispatch(db.owner, { messageId: first ?? '' }, { attempt: 1 });
    const tried = await messageDetail(db.tenantSql, { accountId, messageId: first ?? '' }, reader);
    expect([tried.status, tried.scheduled_at]).toEqual(['queued', null]);
    await changeDispatch(db.owner, {}, { attempt: 0 });
    await sql`select withdraw_messages(${accountId}, ${[first ?? '']}::uuid[], 'cancelled')`;
    expect(await leaves(first)).toBeNull();
  });

  test('shows sent before delivered, also when the receipt came first', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const { accountId } = ani;
    const placed = await openIntake(sql, () => undefined).accept(orderOf(ani));
    const messageId = placed.results[0]?.id ?? '';
    const early = new Date(Date.now() - 1000);
    await applyReceipts(sql, [{ accountId, messageId, status: 'read', at: early }]);
    await sql`select count(*) from settle_batch(
      ${accountId}, null, null, ${[messageId]}::uuid[], ${['sent']}::text[], ${[null]}::text[],
      ${[null]}::timestamptz[])`;
    const detail = await messageDetail(db.tenantSql, { accountId, messageId }, reader);
    expect(stepsOf(detail)).toEqual(['accepted', 'queued', 'sent', 'read']);
  });

  test.for([0, 700])(
    'shows sent before failed, also when the network reports it %i ms earlier',
    async (earlier, { db, sql }) => {
      const ani = await customerWith(sql, { saldo: 1000 });
      const { accountId } = ani;
      const placed = await openIntake(sql, () => undefined).accept(orderOf(ani));
      const messageId = placed.results[0]?.id ?? '';
      const sent = new Date(Date.now() + 1000);
      const at = new Date(sent.getTime() - earlier);
      const failure = 'not_on_whatsapp';
      await applyReceipts(sql, [{ accountId, messageId, status: 'sent', at: sent }]);
      await applyReceipts(sql, [{ accountId, messageId, status: 'failed', failure, at }]);
      const detail = await messageDetail(db.tenantSql, { accountId, messageId }, reader);
      expect(stepsOf(detail)).toEqual(['accepted', 'queued', 'sent', 'failed']);
    },
  );

  test('shows no step before its acceptance, also when the network reports whole seconds', async ({
    db,
    sql,
  }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const { accountId } = ani;
    const placed = await openIntake(sql, () => undefined).accept(orderOf(ani));
    const messageId = placed.results[0]?.id ?? '';
    const at = new Date(Date.now() - 900);
    await applyReceipts(sql, [{ accountId, messageId, status: 'sent', at }]);
    const { timeline, created_at } = await messageDetail(
      db.tenantSql,
      { accountId, messageId },
      reader,
    );
    expect(timeline.map((step) => step.at >= created_at)).toEqual([true, true, true]);
  });

  test('shows why it failed, and what to do', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 1000 });
    const { accountId } = ani;
    const placed = await openIntake(sql, () => undefined).accept(orderOf(ani));
    const messageId = placed.results[0]?.id ?? '';
    const failed = { status: 'failed', failure: 'not_on_whatsapp', at: new Date() } as const;
    await applyReceipts(sql, [{ accountId, messageId, ...failed }]);
    const detail = await messageDetail(db.tenantSql, { accountId, messageId }, reader);
    expect(detail).toMatchObject({ status: 'failed', failure: 'not_on_whatsapp' });
    expect(detail.charge?.state).toBe('released');
    const sentence = 'Nomor ini tidak terdaftar di jaringan. Periksa nomornya.';
    expect(detail.timeline.at(-1)?.detail).toBe(sentence);
    const shown = await messageForApi(db.tenantSql, { accountId, messageId }, reader);
    expect(shown.failure).toEqual({ code: 'not_on_whatsapp', detail: sentence });
  });

  test('shows an inbound message as received, with its file as a link', async ({ db, sql }) => {
    const { accountId, tokenId } = await customerWith(sql);
    const fileId = newId();
    const body = { file: fileId, mime: 'image/png', caption: 'Bukti' };
    const options: MessageOptions = {
      at: new Date(),
      tokenId,
      direction: 'in',
      type: 'image',
      body,
    };
    await db.owner`
      insert into files (account_id, file_id, name, mime, size_bytes, sha256)
      values (${accountId}, ${fileId}, 'bukti.png', 'image/png', 10, ${Buffer.alloc(32)})`;
    const [stored] = await storeMessages(db.owner, accountId, [options]);
    const read = () =>
      messageDetail(db.tenantSql, { accountId, messageId: stored?.id ?? '' }, reader);
    const detail = await read();
    expect(stepsOf(detail)).toEqual(['received']);
    expect(detail.charge).toBe(null);
    const url = `/files/${fileId}?of=${accountId}`;
    expect(detail.content).toMatchObject({ type: 'png', url, caption: 'Bukti' });
    expect(detail.raw['content']).toEqual({
      link: `https://kabari.example${url}`,
      expires_at: expiresAt,
      caption: 'Bukti',
      file: {
        id: null,
        mime_type: 'image/png',
        size: null,
        sha256: null,
        url: `https://kabari.example${url}`,
      },
    });
    await db.owner`delete from files where file_id = ${fileId}`;
    const later = await read();
    expect(later.content).toMatchObject({
      url: null,
      caption: 'Bukti',
      file: { missing: 'expired' },
    });
    expect(later.raw['content']).toMatchObject({ link: null, expires_at: null, caption: 'Bukti' });
  });

  test('hides messages of other accounts and unknown ids', async ({ db, sql }) => {
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const options = { at: new Date(), tokenId: budi.tokenId };
    const [stored] = await storeMessages(db.owner, budi.accountId, [options]);
    for (const messageId of [stored?.id ?? '', newId()]) {
      const { accountId } = ani;
      const answer = messageDetail(db.tenantSql, { accountId, messageId }, reader);
      await expect(answer).rejects.toEqual(noMessage);
      const byApi = messageForApi(db.tenantSql, { accountId, messageId }, reader);
      await expect(byApi).rejects.toEqual(noMessage);
    }
  });
});

describe('the API list', () => {
  const statuses: readonly MessageStatus[] = ['delivered', 'read', 'failed', 'sent'];

  /** Nine an hour at first, then gaps of hours and days. */
  const optionsOf = (tokenId: string): MessageOptions[] =>
    Array.from({ length: 60 }, (_, n) => ({
      at: new Date(Date.parse('2026-11-20T12:00:00Z') - n * (n > 40 ? n : 1) * 400_000),
      tokenId,
      peer: n % 3 ? '6281234567890' : '6285700000001',
      ...(n % 6 === 5 ? { direction: 'in' as const } : { status: statuses[n % 4] ?? 'sent' }),
    }));

  test('gives every message once, page after page, for every filter', async ({ db, sql }) => {
    const { accountId, tokenId } = await customerWith(sql);
    const all = await storeMessages(db.owner, accountId, optionsOf(tokenId));
    const asks: Omit<ApiQuery, 'accountId'>[] = [
      {},
      { tokenId },
      { status: 'failed' },
      { direction: 'in' },
      { direction: 'out', status: 'read' },
      { peer: '6285700000001' },
      { peer: '6285700000001', status: 'failed' },
      { status: 'cancelled' },
    ];
    for (const ask of asks) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listForApi(
          db.tenantSql,
          { accountId, ...ask, limit: 3, cursor },
          reader,
        );
        seen.push(...page.messages.map(({ id }) => id));
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
      const expected = all
        .filter((one) => ask.status === undefined || one.status === ask.status)
        .filter((one) => ask.direction === undefined || one.direction === ask.direction)
        .filter((one) => ask.peer === undefined || one.peer === ask.peer)
        .sort((a, b) => (a.id < b.id ? 1 : -1));
      expect(seen).toEqual(expected.map(({ id }) => publicId('message', id)));
    }
  });

  test('is not shifted by new messages between two pages', async ({ db, sql }) => {
    const { accountId, tokenId } = await customerWith(sql);
    await storeMessages(db.owner, accountId, optionsOf(tokenId));
    const ask = { accountId, status: 'read' as const, limit: 5 };
    const first = await listForApi(db.tenantSql, ask, reader);
    const cursor = first.next ?? undefined;
    const second = await listForApi(db.tenantSql, { ...ask, cursor }, reader);
    const options: MessageOptions = {
      at: new Date('2026-11-20T12:30:00Z'),
      tokenId,
      status: 'read',
    };
    await storeMessages(db.owner, accountId, [options, options]);
    expect(await listForApi(db.tenantSql, { ...ask, cursor }, reader)).toEqual(second);
  });

  test('answers every well-formed cursor', async ({ db, sql }) => {
    const { accountId, tokenId } = await customerWith(sql);
    await storeMessages(db.owner, accountId, optionsOf(tokenId));
    const first = publicId('message', '00000000-0000-0000-0000-000000000000');
    const last = publicId('message', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    const count = async (cursor: string) =>
      (await listForApi(db.tenantSql, { accountId, status: 'read', cursor }, reader)).messages
        .length;
    expect(await count(first)).toBe(0);
    expect(await count(last)).toBeGreaterThan(5);
  });

  test('lists only the messages of the requested token', async ({ db, sql }) => {
    const { accountId, tokenId } = await customerWith(sql);
    await storeMessages(db.owner, accountId, optionsOf(tokenId));
    const ask = { accountId, tokenId: newId() };
    expect(await listForApi(db.tenantSql, ask, reader)).toEqual({ messages: [], next: null });
  });
});
