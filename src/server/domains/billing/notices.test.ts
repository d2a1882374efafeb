import { describe, expect, vi } from 'vitest';
import { openSubscription, startCreditWatch } from '#server/domains/billing/billing.ts';
import { test } from '#tests/support/database/database.ts';
import { billingApp } from '#tests/support/money/billing.ts';
import { waitFor } from '#tests/support/wait-for.ts';

async function runUntil(app: ReturnType<typeof billingApp>, local: string): Promise<void> {
  const end = new Date(`${local}:00+07:00`);
  while (app.now() < end) {
    app.pass(1);
    await app.run();
  }
}

describe('billing notices', () => {
  test('are sent once per step, by push and by message, in the daytime', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(100_000);
    await app.choose(ani, 'usaha');
    await runUntil(app, '2027-01-26T00:00');
    expect(await app.subjects(ani)).toEqual([
      'h3:2026-12-21',
      'h1:2026-12-21',
      'past_due:2026-12-21',
      'still_due:2026-12-21',
      'suspended:2026-12-21',
      'cancelled:2027-01-23:1',
    ]);
    expect(app.sent.map(({ text }) => text.slice(0, 60))).toHaveLength(6);
    expect(app.pushed).toEqual([
      'Saldo kurang untuk paket Usaha',
      'Saldo kurang untuk paket Usaha',
      'Paket Usaha belum terbayar',
      'Paket Usaha masih menunggu pembayaran',
      'Paket Usaha ditangguhkan',
      'Paket Usaha berakhir',
    ]);
    expect(new Set(app.sent.map(({ phone }) => phone))).toEqual(new Set([ani.phone]));
    const texts = app.sent.map(({ text }) => text.replaceAll('\u00A0', ' '));
    expect(texts[0]).toBe(
      'Paket Usaha diperpanjang pada 21 Des 2026 seharga Rp 99.000 dari saldo. Saldo Anda Rp 1.000, ' +
        'kurang Rp 98.000. Isi saldo sebelum tanggal itu agar paket tidak terputus.',
    );
    const hours = await db.allAccountsSql<{ hour: number }[]>`
      select distinct extract(hour from sent_at at time zone 'Asia/Jakarta')::int as hour
      from billing_notices`;
    for (const { hour } of hours) expect(hour).toBeGreaterThanOrEqual(8);
  });

  test('cover a charged renewal and a late payment', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(250_000);
    await app.choose(ani, 'usaha');
    app.goTo('2026-12-21T00:00');
    await app.run();
    app.goTo('2027-01-21T00:00');
    await app.run();
    await app.give(ani, 100_000);
    await app.run();
    app.goTo('2027-01-21T08:00');
    await app.run();
    expect(await app.subjects(ani)).toEqual(['charged:2026-12-21', 'recovered:2027-01-21']);
    expect(app.pushed).toEqual(['Paket Usaha diperpanjang', 'Paket Usaha berjalan lagi']);
  });

  test('retry a failed message, and do not repeat the browser notice', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(100_000);
    await app.choose(ani, 'usaha');
    const send = app.deps.sendSystemText;
    app.deps.sendSystemText = () => Promise.reject(new Error('no network'));
    app.goTo('2026-12-18T09:00');
    await app.run();
    expect([app.sent.length, app.pushed.length, app.troubles.length]).toEqual([0, 1, 1]);
    app.deps.sendSystemText = send;
    await app.run();
    expect(app.sent).toHaveLength(0);
    app.pass(0.1);
    await app.run();
    await app.run();
    expect([app.sent.length, app.pushed.length]).toEqual([1, 1]);
  });

  test('every change reaches open pages', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(100_000);
    await app.choose(ani, 'usaha');
    expect(
      await db.allAccountsSql`select data from outbox where kind = 'subscription.changed'`,
    ).toEqual([{ data: { plan: 'usaha', status: 'active' } }]);
  });
});

test('charges the due amount as soon as money arrives, before the next minute', async ({ db }) => {
  const app = billingApp(db);
  const ani = await app.customer(99_000);
  await app.choose(ani, 'usaha');
  app.goTo('2026-12-21T00:00');
  await app.run();
  const watch = startCreditWatch(app.deps);
  await app.give(ani, 99_000);
  await waitFor(async () => {
    watch.published(new Set([ani.accountId]));
    const [row] = await db.allAccountsSql`select status from subscriptions`;
    return row?.['status'] === 'active';
  });
  await watch.close();
  expect(app.troubles).toEqual([]);
});

test('tries an owing account once, however often events are published meanwhile', async ({
  db,
}) => {
  const app = billingApp(db);
  const ani = await app.customer(99_000);
  await app.choose(ani, 'usaha');
  app.goTo('2026-12-21T00:00');
  await app.run();
  const begin = vi.spyOn(app.deps.allAccountsSql, 'begin');
  const watch = startCreditWatch(app.deps);
  const publish = () => watch.published(new Set([ani.accountId]));
  await waitFor(() => {
    publish();
    return begin.mock.calls.length > 0;
  });
  const before = begin.mock.calls.length;
  for (let n = 0; n < 100; n++) publish();
  await watch.close();
  expect(begin.mock.calls.length - before).toBeLessThanOrEqual(1);
  begin.mockRestore();
});

test('opens one subscription per account, however often it is called', async ({ db }) => {
  const app = billingApp(db);
  const ani = await app.customer();
  await Promise.all(
    [1, 2, 3].map(() =>
      db.allAccountsSql.begin((tx) => openSubscription(tx, ani.accountId, app.now())),
    ),
  );
  expect(await db.allAccountsSql`select from subscriptions`).toHaveLength(1);
});
