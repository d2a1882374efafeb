import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import * as inbox from '#contract/operator/support.ts';
import * as support from '#contract/support.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { refusalOf, supportApp, text } from '#tests/support/people/support-app.ts';
import { openUsualAnswer, supportFigures, closeStaleThreads } from './support.ts';
import { changeUsers, reservePhone } from '#tests/support/people/people.ts';

const acc = ({ accountId }: { accountId: string }) => publicId('account', accountId);

describe('writing', () => {
  test('sets read marks and waiting on a question and its answer', async ({ db, sql }) => {
    const app = await supportApp(db);
    const [ani, sari] = [await app.customer(), await app.operator('Sari')];
    const account_id = acc(ani);
    expect(await ani.ask(support.supportThread, {})).toMatchObject({
      status: 'closed',
      last_seq: 0,
      unread: 0,
      usual_answer_seconds: null,
      hours: { open_now: true },
    });
    const id = newUuid();
    const sent = await ani.ask(support.sendSupport, text('Pesan saya gagal', id));
    expect(sent).toMatchObject({
      id: publicId('support', id),
      seq: 1,
      side: 'customer',
      mine: true,
      author: null,
      content: { type: 'text', caption: 'Pesan saya gagal' },
    });
    expect(await supportFigures(sql)).toEqual({ waiting: 1, oldest: app.clock.now() });
    expect(await sari.ask(inbox.getInboxThread, { account_id })).toMatchObject({
      status: 'open',
      unread: 1,
      waiting_since: app.clock.now(),
      assignee: null,
      customer: { tokens: [{ name: 'Kasir', status: 'linked' }], failed: 0 },
    });
    app.clock.pass(10);
    const answer = await sari.ask(inbox.sendInbox, { account_id, ...text('Kami periksa') });
    expect(answer).toMatchObject({ seq: 2, author: 'Sari', mine: true });
    expect(await ani.ask(support.supportThread, {})).toMatchObject({
      status: 'open',
      unread: 1,
      last_seq: 2,
      operator_read: 2,
    });
    expect(await ani.ask(support.supportUnread, {})).toEqual({ total: 1 });
    expect(await ani.ask(support.readSupport, { seq: 99 })).toMatchObject({
      customer_read: 2,
      unread: 0,
    });
    // A mark only rises.
    expect(await ani.ask(support.readSupport, { seq: 1 })).toMatchObject({ customer_read: 2 });
    expect(await supportFigures(sql)).toEqual({ waiting: 0, oldest: null });
    const page = await ani.ask(support.supportMessages, {});
    expect(page.rows.map(({ seq, mine }) => [seq, mine])).toEqual([
      [2, false],
      [1, true],
    ]);
    for (const words of ['Sudah', 'Coba lagi', 'Beres']) {
      await sari.ask(inbox.sendInbox, { account_id, ...text(words) });
    }
    expect(await ani.ask(support.readSupport, { seq: 3 })).toMatchObject({ unread: 2 });
    expect(await ani.ask(support.supportUnread, {})).toEqual({ total: 2 });
  });

  test('returns the first message for a repeated id with any content, and notifies only once', async ({
    db,
    sql,
  }) => {
    const app = await supportApp(db);
    const ani = await app.customer();
    const id = newUuid();
    const first = await ani.ask(support.sendSupport, text('Halo', id));
    const again = await ani.ask(support.sendSupport, text('Lain', id));
    expect(again).toEqual(first);
    expect(await sql`select seq from support_messages`).toHaveLength(1);
    expect(
      await sql`select kind from outbox where kind = 'support.message' order by at`,
    ).toHaveLength(2);
  });

  test('refuses the id of another author’s message or of a note, so that no answer is lost', async ({
    db,
  }) => {
    const app = await supportApp(db);
    const [ani, sari] = [await app.customer(), await app.operator('Sari')];
    const tono = await app.operator('Tono');
    const account_id = acc(ani);
    const note = newUuid();
    const answer = newUuid();
    await ani.ask(support.sendSupport, text('Halo'));
    await sari.ask(inbox.sendInbox, { account_id, ...text('Catatan', note), internal: '1' });
    await sari.ask(inbox.sendInbox, { account_id, ...text('Jawaban', answer) });
    const conflicts = [
      sari.ask(inbox.sendInbox, { account_id, ...text('Jawaban lain', note) }),
      tono.ask(inbox.sendInbox, { account_id, ...text('Jawaban lain', answer) }),
      ani.ask(support.sendSupport, text('Tebakan', answer)),
      ani.ask(support.sendSupport, text('Tebakan', note)),
    ].map(refusalOf);
    expect(new Set(await Promise.all(conflicts))).toEqual(new Set(['idempotency_conflict']));
  });

  test('assigns concurrent messages consecutive positions, each id once', async ({ db, sql }) => {
    const app = await supportApp(db);
    const [ani, sari] = [await app.customer(), await app.operator('Sari')];
    const account_id = acc(ani);
    const ids = Array.from({ length: 12 }, newUuid);
    await Promise.all(
      ids.flatMap((id, n) => {
        const send = () =>
          n % 2 === 0
            ? ani.ask(support.sendSupport, text(`${n}`, id))
            : sari.ask(inbox.sendInbox, { account_id, ...text(`${n}`, id) });
        return [send(), send()];
      }),
    );
    const rows = await sql<{ seq: number }[]>`select seq from support_messages order by seq`;
    expect(rows.map(({ seq }) => seq)).toEqual(ids.map((_, at) => at + 1));
  });

  test('limits messages to twenty per minute, without counting refused ones', async ({ db }) => {
    const app = await supportApp(db);
    const ani = await app.customer();
    const ids = Array.from({ length: 41 }, newUuid);
    const send = (id: string) => ani.ask(support.sendSupport, text('Halo', id));
    let sent = 0;
    const all = async () => {
      for (; sent < ids.length; sent++) await send(ids[sent] ?? '');
    };
    expect(await refusalOf(all())).toBe('support_too_many');
    // The calls may fall into two minutes.
    expect(sent).toBeGreaterThanOrEqual(20);
    // A repeat is not a new message.
    expect(await send(ids[0] ?? '')).toMatchObject({ seq: 1 });
  });

  test('refuses an empty message, an incomplete card, and a contact with a text', async ({
    db,
  }) => {
    const app = await supportApp(db);
    const ani = await app.customer();
    const ask = (fields: object) =>
      refusalOf(ani.ask(support.sendSupport, { message_id: newUuid(), ...fields }));
    expect(await ask({})).toBe('support_empty');
    expect(await ask({ text: ' \n ' })).toBe('support_empty');
    expect(await ask({ about_type: 'token' })).toBe('support_empty');
    expect(await ask({ text: 'a', about_id: 'x' })).toBe('input_invalid');
    expect(await ask({ text: 'a', contact_phone: '0812-3456-7890' })).toBe('input_invalid');
    expect(await ask({ contact_name: 'Budi', contact_phone: '12' })).toBe('input_invalid');
    expect(await ask({ upload: 'upl_x' })).toBe('upload_gone');
    const contact = {
      message_id: newUuid(),
      contact_name: 'Budi',
      contact_phone: '0812-3456-7890',
    };
    expect((await ani.ask(support.sendSupport, contact)).content).toMatchObject({
      type: 'vcard',
      name: 'Budi',
      phone: '6281234567890',
    });
  });
});

describe('notes', () => {
  test('are invisible to customers: in messages, marks, events, and by row-level security', async ({
    db,
    sql,
  }) => {
    const app = await supportApp(db);
    const [ani, sari] = [await app.customer(), await app.operator('Sari')];
    const account_id = acc(ani);
    await ani.ask(support.sendSupport, text('Halo'));
    await sari.ask(inbox.sendInbox, { account_id, ...text('CATATAN'), internal: '1' });
    await sari.ask(inbox.assignInbox, {
      account_id,
      operator_id: publicId('user', sari.userId),
    });
    // A note is not an answer.
    expect(await supportFigures(sql)).toMatchObject({ waiting: 1 });
    expect(await ani.ask(support.supportThread, {})).toMatchObject({
      last_seq: 1,
      operator_read: 1,
      unread: 0,
      operator: 'Sari',
    });
    expect((await ani.ask(support.supportMessages, {})).rows).toHaveLength(1);
    expect((await sari.ask(inbox.inboxMessages, { account_id })).rows).toMatchObject([
      { internal: true, event: 'assigned', content: { caption: 'Ditugaskan kepada Sari' } },
      { internal: true, content: { caption: 'CATATAN' } },
      { internal: false },
    ]);
    const told = await sql<{ seq: number }[]>`
      select data ->> 'seq' as seq from outbox
      where account_id = ${ani.accountId} and kind = 'support.message'`;
    expect(told).toEqual([{ seq: '1' }]);
    // Row-level security alone, without any condition of ours.
    const seen = await asAccount(
      db.tenantSql,
      ani.accountId,
      (tx) => tx`select seq from support_messages`,
    );
    expect(seen).toEqual([{ seq: 1 }]);
    const [row] = await sql<{ last_preview: string }[]>`select last_preview from support_threads`;
    expect(row?.last_preview).toBe('Halo');
  });
});

describe('closing', () => {
  test('asks for a rating once, and a message reopens the thread', async ({ db }) => {
    const app = await supportApp(db);
    const [ani, sari] = [await app.customer(), await app.operator('Sari')];
    const account_id = acc(ani);
    expect(await refusalOf(ani.ask(support.rateSupport, { score: '5' }))).toBe(
      'support_not_closed',
    );
    await ani.ask(support.sendSupport, text('Halo'));
    await sari.ask(inbox.sendInbox, { account_id, ...text('Beres') });
    expect(await refusalOf(ani.ask(support.rateSupport, { score: '5' }))).toBe(
      'support_not_closed',
    );
    await sari.ask(inbox.closeInbox, { account_id });
    expect((await sari.ask(inbox.closeInbox, { account_id })).last_seq).toBe(3);
    expect((await ani.ask(support.supportThread, {})).rating).toEqual({ due: true, score: null });
    const rated = await ani.ask(support.rateSupport, { score: '4', comment: 'Cepat' });
    expect(rated).toMatchObject({ status: 'closed', rating: { due: false, score: 4 } });
    expect((await ani.ask(support.rateSupport, { score: '1' })).rating.score).toBe(4);
    await ani.ask(support.sendSupport, text('Masih gagal'));
    const { rows } = await ani.ask(support.supportMessages, {});
    expect(rows.map(({ event }) => event)).toEqual([
      null,
      'reopened',
      'rated',
      'closed',
      null,
      null,
    ]);
  });

  test('happens automatically for quiet threads, not for waiting ones, and asks for no rating', async ({
    db,
  }) => {
    const app = await supportApp(db);
    const [ani, budi, sari] = [
      await app.customer(),
      await app.customer(),
      await app.operator('Sari'),
    ];
    for (const one of [ani, budi]) await one.ask(support.sendSupport, text('Halo'));
    await sari.ask(inbox.sendInbox, { account_id: acc(ani), ...text('Beres') });
    const tend = () => closeStaleThreads({ ...app.deps, closeDays: () => 7 });
    app.clock.pass(6 * 1440);
    await tend();
    expect((await ani.ask(support.supportThread, {})).status).toBe('open');
    app.clock.pass(1441);
    await tend();
    expect(await ani.ask(support.supportThread, {})).toMatchObject({
      status: 'closed',
      rating: { due: false, score: null },
    });
    expect((await budi.ask(support.supportThread, {})).status).toBe('open');
  });
});

describe('the inbox', () => {
  test('filters, counts, snoozes, wakes and searches threads', async ({ db, sql }) => {
    const app = await supportApp(db);
    const [ani, budi, sari] = [
      await app.customer(),
      await app.customer(),
      await app.operator('Sari'),
    ];
    await ani.ask(support.sendSupport, text('Token saya terputus'));
    app.clock.pass(5);
    await budi.ask(support.sendSupport, text('Saldo belum masuk'));
    await reservePhone(sql, ani);
    const names = async (fields: object) =>
      (await sari.ask(inbox.listInbox, fields)).rows.map(({ account_id }) =>
        account_id === acc(ani) ? 'ani' : 'budi',
      );
    expect(await names({ filter: 'waiting' })).toEqual(['ani', 'budi']);
    expect(await names({})).toEqual(['budi', 'ani']);
    expect(await names({ q: 'terput' })).toEqual(['ani']);
    expect(await names({ q: "saldo ' masu:*&!" })).toEqual(['budi']);
    expect(await names({ q: ani.phone.slice(0, 12) })).toEqual(['ani']);
    expect(await names({ q: '%' })).toEqual([]);
    const operator_id = publicId('user', sari.userId);
    await sari.ask(inbox.assignInbox, { account_id: acc(ani), operator_id });
    expect(await names({ filter: 'mine' })).toEqual(['ani']);
    const until = new Date(app.clock.at + 3_600_000).toISOString();
    await sari.ask(inbox.snoozeInbox, { account_id: acc(ani), until });
    expect((await ani.ask(support.supportThread, {})).status).toBe('open');
    expect(await names({ filter: 'snoozed' })).toEqual(['ani']);
    expect(await sari.ask(inbox.countInbox, {})).toMatchObject({
      waiting: 1,
      mine: 0,
      open: 1,
      snoozed: 1,
    });
    const stands = async () =>
      (await sari.ask(inbox.getInboxThread, { account_id: acc(ani) })).status;
    expect(await stands()).toBe('snoozed');
    app.clock.pass(60);
    expect(await names({ filter: 'waiting' })).toEqual(['ani', 'budi']);
    expect(await stands()).toBe('open');
    await closeStaleThreads({ ...app.deps, closeDays: () => 7 });
    expect(await sari.ask(inbox.countInbox, {})).toMatchObject({ waiting: 2, mine: 1, snoozed: 0 });
    // A message reopens it before its time; customers do not see that it was snoozed.
    const soon = new Date(app.clock.at + 3_600_000).toISOString();
    await sari.ask(inbox.snoozeInbox, { account_id: acc(ani), until: soon });
    await ani.ask(support.sendSupport, text('Masih terputus'));
    expect(await names({ filter: 'snoozed' })).toEqual([]);
    expect((await ani.ask(support.supportMessages, {})).rows.map(({ event }) => event)).toEqual([
      null,
      null,
    ]);
    const late = new Date(app.clock.at + 31 * 86_400_000).toISOString();
    expect(
      await refusalOf(sari.ask(inbox.snoozeInbox, { account_id: acc(ani), until: late })),
    ).toBe('input_invalid');
    // Only operators who answer customers can be assigned.
    const money = await app.operator('Uang', ['money']);
    const wrong = { account_id: acc(ani), operator_id: publicId('user', money.userId) };
    expect(await refusalOf(sari.ask(inbox.assignInbox, wrong))).toBe('not_found');
    const looksAfter = async () => (await ani.ask(support.supportThread, {})).operator;
    expect(await looksAfter()).toBe('Sari');
    await changeUsers(sql, sari, { operatorRoles: ['money'] });
    expect(await looksAfter()).toBeNull();
    expect(
      await refusalOf(
        sari.ask(inbox.getInboxThread, { account_id: acc({ accountId: randomUUID() }) }),
      ),
    ).toBe('not_found');
    expect(
      await refusalOf(sari.ask(inbox.sendInbox, { account_id: acc(sari), ...text('Halo') })),
    ).toBe('not_found');
  });
});

test('computes the usual answer as the median within opening hours, from five answers on, of thirty days', async ({
  db,
  sql,
}) => {
  const app = await supportApp(db);
  const sari = await app.operator('Sari');
  const usual = () => openUsualAnswer(sql, app.clock.now)();
  for (const minutes of [1, 2, 10, 20]) {
    const ani = await app.customer();
    await ani.ask(support.sendSupport, text('Halo'));
    app.clock.pass(minutes);
    await sari.ask(inbox.sendInbox, { account_id: acc(ani), ...text('Halo') });
    // No answer is due for the following messages.
    app.clock.pass(5);
    await sari.ask(inbox.sendInbox, { account_id: acc(ani), ...text('Lagi') });
  }
  expect(await usual()).toBeNull();
  // Asked in the evening, answered ten minutes after opening.
  const budi = await app.customer();
  app.clock.at = Date.parse('2026-11-23T21:00:00+07:00');
  await budi.ask(support.sendSupport, text('Halo'));
  app.clock.at = Date.parse('2026-11-24T08:10:00+07:00');
  await sari.ask(inbox.sendInbox, { account_id: acc(budi), ...text('Halo') });
  expect(await usual()).toBe(600);
  app.clock.pass(31 * 1440);
  expect(await usual()).toBeNull();
});

test('saves, replaces and deletes ready answers, a hundred at most', async ({ db, sql }) => {
  const app = await supportApp(db);
  const sari = await app.operator('Sari');
  const save = (name: string, words: string) => sari.ask(inbox.saveCanned, { name, text: words });
  await save(' Salam ', 'Halo {nama}');
  expect(await save('salam', 'Selamat pagi {nama}')).toMatchObject({ name: 'salam' });
  expect((await sari.ask(inbox.listCanned, {})).replies).toMatchObject([
    { name: 'salam', text: 'Selamat pagi {nama}' },
  ]);
  for (let n = 1; n <= 99; n++) {
    await sql`
      insert into support_canned (name, text, updated_by, updated_at)
      values (${`nomor-${n}`}, 'Halo', gen_random_uuid(), now())`;
  }
  expect(await refusalOf(save('lebih', 'Halo'))).toBe('canned_too_many');
  await save('salam', 'Halo');
  await sari.ask(inbox.deleteCanned, { name: 'nomor-1' });
  expect(await refusalOf(sari.ask(inbox.deleteCanned, { name: 'nomor-1' }))).toBe('not_found');
  await save('lebih', 'Halo');
});

const newUuid = (): string => randomUUID();
