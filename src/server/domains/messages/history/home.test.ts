import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { homeSummary } from '#contract/messages.ts';
import { test } from '#tests/support/database/database.ts';
import {
  changeAccounts,
  changeTokens,
  customerWith,
  makeToken,
  orderOf,
} from '#tests/support/people/people.ts';
import { newId } from '#server/infra/ids.ts';
import { changeMessages, storeMessages } from '#tests/support/people/stored-messages.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { summaryOf } from './home.ts';
import { applyReceipts } from '#server/domains/messages/dispatch/settle.ts';
import { changeLanes } from '#tests/support/app/lanes.ts';
import { giveSaldo } from '#tests/support/money/wallets.ts';

/** 00.30 in WIB: still yesterday in UTC. */
const now = new Date('2026-11-20T17:30:00Z');
const none = { accepted: 0, waiting: 0, sent: 0, delivered: 0, read: 0, failed: 0, received: 0 };

test('shows zeros, thirty empty days, and four open steps for a new account', async ({
  db,
  sql,
}) => {
  const { accountId } = await customerWith(sql, { linked: false });
  await changeTokens(sql, { accountId }, { deletedAt: new Date() });
  const home = await summaryOf(db.tenantSql, accountId, now);
  expect(home).toMatchObject({
    saldo: { available: 0, held: 0 },
    checklist: { topped_up: false, has_token: false, linked: false, sent: false },
    channel: null,
    today: none,
    yesterday: none,
    unread: 0,
    attention: [],
    unpaid_plan: null,
    paused: [],
    newest: [],
  });
  expect(home.days).toHaveLength(30);
  expect(home.days[0]?.date).toBe('2026-10-23');
  expect(home.days.at(-1)).toEqual({ date: '2026-11-21', ...none });
  expect(homeSummary.output.safeParse(home).success).toBe(true);
});

test('counts a message on its day of acceptance in WIB, a read one as delivered and sent too', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  await storeMessages(db.owner, accountId, [
    { at: new Date('2026-11-20T17:00:00Z'), tokenId, status: 'read' },
    { at: new Date('2026-11-20T17:10:00Z'), tokenId, direction: 'in' },
    { at: new Date('2026-11-20T17:20:00Z'), tokenId, status: 'queued' },
    { at: new Date('2026-11-20T16:59:59Z'), tokenId, status: 'failed' },
    { at: new Date('2026-11-20T10:00:00Z'), tokenId, status: 'delivered' },
    { at: new Date('2026-11-20T10:00:01Z'), tokenId, status: 'cancelled' },
    { at: new Date('2026-10-22T17:00:00Z'), tokenId, status: 'sent' },
    { at: new Date('2026-10-22T16:59:59Z'), tokenId, status: 'sent' },
  ]);
  const home = await summaryOf(db.tenantSql, accountId, now);
  const today = { ...none, accepted: 2, waiting: 1, sent: 1, delivered: 1, read: 1, received: 1 };
  expect(home.today).toEqual(today);
  expect(home.yesterday).toEqual({ ...none, accepted: 3, failed: 1, sent: 1, delivered: 1 });
  expect(home.days.at(-1)).toEqual({ date: '2026-11-21', ...today });
  expect(home.days[0]).toEqual({ ...none, date: '2026-10-23', accepted: 1, sent: 1 });
  expect(home.unread).toBe(1);
  expect(home.newest).toHaveLength(8);
});

test('ticks the four steps after a top-up, a token, a link and a sent message', async ({
  db,
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const { accountId } = ani;
  const steps = async () => (await summaryOf(db.tenantSql, accountId, new Date())).checklist;
  const before = { topped_up: false, has_token: true, linked: true, sent: false };
  expect(await steps()).toEqual(before);

  const topup = { kind: 'topup', contra: 'clearing' } as const;
  await sql.begin((tx) => giveSaldo(tx, accountId, 50_000, topup));
  const placed = await openIntake(sql, () => undefined).accept(orderOf(ani));
  expect(await steps()).toEqual({ ...before, topped_up: true });
  const messageId = placed.results[0]?.id ?? '';
  const at = new Date();
  await applyReceipts(sql, [{ accountId, messageId, status: 'delivered', at }]);
  expect(await steps()).toEqual({ ...before, topped_up: true, sent: true });
  const home = await summaryOf(db.tenantSql, accountId, new Date());
  expect(home.saldo).toEqual({ available: 50_850, held: 0 });
  expect(home.today).toEqual({ ...none, accepted: 1, sent: 1, delivered: 1 });
});

test('uses the channel of a connected token for the first message, else of the first token', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql);
  const second = await makeToken(sql, accountId, { channel: 'cloud', status: 'unlinked' });
  const home = () => summaryOf(db.tenantSql, accountId, now);
  expect(await home()).toMatchObject({
    channel: 'simulator',
    attention: [{ reason: 'not_linked', channel: 'cloud' }],
  });
  await changeTokens(sql, { tokenId: second }, { status: 'linked' });
  await changeTokens(sql, { tokenId }, { status: 'disconnected' });
  expect((await home()).channel).toBe('cloud');
});

test('shows why tokens need attention', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql, { dailyLimit: 100 });
  const reasons = async () =>
    (await summaryOf(db.tenantSql, accountId, now)).attention.map(({ reason }) => reason);
  const used = (accepted: number) =>
    changeLanes(db.owner, { accountId, tokenId }, { day: '2026-11-21', accepted });
  expect(await reasons()).toEqual([]);
  await used(89);
  expect(await reasons()).toEqual([]);
  await used(90);
  expect(await reasons()).toEqual(['limit_near']);
  for (const [status, reason] of [
    ['unlinked', 'not_linked'],
    ['linking', 'not_linked'],
    ['disconnected', 'disconnected'],
    ['suspended', 'suspended'],
  ] as const) {
    await changeTokens(sql, { tokenId }, { status });
    expect(await reasons()).toEqual([reason]);
  }
  await changeAccounts(sql, {}, { coolingSince: new Date(), coolingCause: 'password_reset' });
  expect(await reasons()).toEqual(['under_review']);
  const [first] = (await summaryOf(db.tenantSql, accountId, now)).attention;
  expect(first).toMatchObject({ token_id: publicId('token', tokenId), name: 'Kasir' });
});

test('lists the newest messages without STOP replies, however many there are', async ({
  db,
  sql,
}) => {
  const { accountId, tokenId } = await customerWith(sql, { saldo: 10_000 });
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute));
  await storeMessages(db.owner, accountId, [
    ...Array.from({ length: 12 }, (_, n) => ({ at: at(n), tokenId })),
    ...['STOP', 'Berhenti ', 'mulai', 'stop'].map((text, n) => ({
      at: at(20 + n),
      tokenId,
      direction: 'in' as const,
      body: { text },
    })),
    { at: at(30), tokenId, direction: 'in', body: { text: 'Stop, saya mau tanya dulu' } },
  ]);
  const home = await summaryOf(db.tenantSql, accountId, now);
  expect(home.newest).toHaveLength(10);
  expect(home.newest.filter(({ direction }) => direction === 'in')).toMatchObject([
    { excerpt: 'Stop, saya mau tanya dulu' },
  ]);
  expect(home.welcome_bonus).toBe(10_000);
});

test('lists one message for all recent ones of a campaign', async ({ db, sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute));
  const stored = await storeMessages(
    db.owner,
    accountId,
    Array.from({ length: 6 }, (_, n) => ({ at: at(n), tokenId })),
  );
  const campaign = { id: publicId('campaign', newId()), name: 'Promo', messages: 200 };
  for (const { id } of stored.slice(1, 5)) {
    const ref = `${campaign.id}:${id}`;
    await changeMessages(db.owner, { accountId, messageId: id }, { ref });
  }
  const home = await summaryOf(db.tenantSql, accountId, now, {
    campaignsOfRefs: async (_tx, _account, refs) => new Map(refs.map((ref) => [ref, campaign])),
  });
  const shown = home.newest.map((row) => [row.id, row.campaign]);
  expect(shown).toEqual([
    [publicId('message', stored[5]?.id ?? ''), null],
    [publicId('message', stored[4]?.id ?? ''), campaign],
    [publicId('message', stored[0]?.id ?? ''), null],
  ]);
  expect(homeSummary.output.safeParse(home).success).toBe(true);
});
