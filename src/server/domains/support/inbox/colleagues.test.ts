import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import * as inbox from '#contract/operator/support.ts';
import { closeSupport, rateSupport, readSupport, sendSupport } from '#contract/support.ts';
import { test } from '#tests/support/database/database.ts';
import { supportApp, text } from '#tests/support/people/support-app.ts';

test('notifies customers of a typing operator, and colleagues also of notes and views', async ({
  db,
}) => {
  const app = await supportApp(db);
  const [ani, sari] = [await app.customer(), await app.operator('Sari')];
  const account_id = publicId('account', ani.accountId);
  for (const doing of ['look', 'answer'] as const) {
    await sari.ask(inbox.typeInbox, { account_id, doing });
  }
  const heard = (accountId: string) =>
    app.signals.flatMap(({ accountId: of, event }) =>
      of === accountId && event.kind === 'support.typing' ? [event] : [],
    );
  expect(heard(ani.accountId)).toMatchObject([{ name: 'Sari', user_id: null }]);
  expect(heard(ani.accountId)[0]).not.toHaveProperty('doing');
  expect(heard(app.deps.systemAccountId)).toMatchObject([
    { doing: 'look', user_id: publicId('user', sari.userId) },
    { doing: 'answer' },
  ]);

  const rina = await app.operator('Rina');
  await rina.ask(inbox.typeInbox, { account_id, doing: 'note' });
  expect(heard(ani.accountId)).toHaveLength(1);
  expect(heard(app.deps.systemAccountId).at(-1)).toMatchObject({ doing: 'note', name: 'Rina' });
});

test('counts only opening hours of a wait over night', async ({ db }) => {
  const app = await supportApp(db);
  const [ani, sari] = [await app.customer(), await app.operator('Sari')];
  const account_id = publicId('account', ani.accountId);
  // Monday, 16.50 WIB; then Tuesday, 08.05 WIB.
  app.clock.pass(7 * 60 + 50);
  await ani.ask(sendSupport, text('Halo'));
  app.clock.pass(15 * 60 + 15);
  const waited = { waited_minutes: 15 };
  expect((await sari.ask(inbox.listInbox, { filter: 'waiting' })).rows).toMatchObject([waited]);
  expect(await sari.ask(inbox.getInboxThread, { account_id })).toMatchObject(waited);
  await sari.ask(inbox.sendInbox, { account_id, ...text('Selamat pagi') });
  expect((await sari.ask(inbox.listInbox, { filter: 'open' })).rows).toMatchObject([
    { waited_minutes: null },
  ]);
});

test('notifies operators of each change, and customers of those visible to them', async ({
  db,
}) => {
  const app = await supportApp(db);
  const [ani, sari] = [await app.customer(), await app.operator('Sari')];
  const account_id = publicId('account', ani.accountId);
  const note = () => sari.ask(inbox.sendInbox, { account_id, ...text('Catatan'), internal: '1' });
  const until = (hours: number) => new Date(app.clock.at + hours * 3_600_000).toISOString();
  const assign = { account_id, operator_id: publicId('user', sari.userId) };
  const all = ['message', 'changed'];
  const steps: [() => Promise<unknown>, string[], string[]][] = [
    [() => ani.ask(sendSupport, text('Halo')), all, all],
    [() => ani.ask(sendSupport, text('Ada?')), all, all],
    [() => ani.ask(closeSupport, {}), all, all],
    [() => ani.ask(sendSupport, text('Lagi')), ['message', ...all], ['message', ...all]],
    [() => sari.ask(inbox.readInbox, { account_id, seq: '9' }), ['changed'], ['changed']],
    [() => sari.ask(inbox.sendInbox, { account_id, ...text('Ya') }), all, all],
    [() => ani.ask(readSupport, { seq: '9' }), ['changed'], ['changed']],
    [() => ani.ask(readSupport, { seq: '9' }), [], []],
    [() => sari.ask(inbox.assignInbox, assign), ['changed'], all],
    [note, [], all],
    [() => sari.ask(inbox.snoozeInbox, { account_id, until: until(1) }), [], all],
    [() => sari.ask(inbox.snoozeInbox, { account_id, until: until(2) }), [], all],
    [() => sari.ask(inbox.assignInbox, { account_id }), ['changed'], all],
    [() => sari.ask(inbox.closeInbox, { account_id }), all, all],
    [() => ani.ask(rateSupport, { score: '5' }), all, all],
    [() => ani.ask(sendSupport, text('Satu lagi')), ['message', ...all], ['message', ...all]],
    // Writing a note marks the messages above it as read.
    [note, ['changed'], all],
  ];
  for (const [place, [step, customer, operators]] of steps.entries()) {
    await db.owner`delete from outbox`;
    await step();
    const told = await db.owner<{ account: string; kind: string }[]>`
      select account_id as account, replace(kind, 'support.', '') as kind from outbox order by kind desc`;
    const of = (id: string) => told.flatMap(({ account, kind }) => (account === id ? kind : []));
    expect([of(ani.accountId), of(app.deps.systemAccountId)], `step ${place}`).toEqual([
      customer,
      operators,
    ]);
  }
});
