import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { civilDate } from '#contract/base/time.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { expireTopups, rejectTopupByHand } from '#server/domains/payments/payments.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { invoicesApp, planInvoice } from '#tests/support/money/invoices.ts';
import { refundPayment } from '#tests/support/money/refunds.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { idOf, perform } from '#tests/support/money/topups.ts';
import { issueCreditNote, settleInvoice, voidInvoice } from './issue.ts';
import { issueWaitingInvoices, readSellerGaps } from './sellers.ts';

const reds = async (sql: Sql) =>
  (await checkLedger(sql)).filter(({ ok }) => !ok).map(({ invariant }) => invariant);

const statusOf = async (sql: Sql, invoiceId: string) => {
  const [row] = await sql<{ status: string; number: string | null; ppn: number; total: number }[]>`
    select status, number, ppn, total from invoices where invoice_id = ${invoiceId}`;
  return row;
};

describe('the invoice of a top-up', () => {
  test('is open at first, and paid and numbered when the money arrives', async ({ sql, db }) => {
    const app = await invoicesApp(db, { ppn: true });
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId, 250_000);
    const { rows, total } = await app.list(ani);
    expect(total).toBe(1);
    expect(rows[0]).toMatchObject({
      id: publicId('invoice', idOf(topup)),
      kind: 'topup',
      status: 'open',
      number: null,
      base: 250_000,
      ppn: 27_500,
      total: topup.total,
      due_at: topup.expires_at,
      topup_id: topup.id,
    });
    await app.transfer(topup.total);
    const detail = await app.get(ani, idOf(topup));
    expect(detail).toMatchObject({
      status: 'paid',
      number: 'INV/2026/11/000001',
      dpp: 229_167,
      paid_with: 'Transfer bank',
      paid_at: app.clock.now(),
      lines: [{ text: 'Isi saldo Kabari', quantity: 1, price: 250_000, amount: 250_000 }],
      seller: { name: 'PT Kabari Contoh', npwp: '0123456789012345' },
    });
    expect(detail.in_words).toMatch(/^dua ratus tujuh puluh (tujuh|delapan) ribu .* rupiah$/);
    expect(detail.verify_url).toMatch(/^https:\/\/kabari\.example\/faktur\/[0-9a-f]{32}$/);
    expect(await reds(sql)).toEqual([]);
  });

  test('ends with its top-up: expired, or void after a rejection; late money pays it', async ({
    sql,
    db,
  }) => {
    const app = await invoicesApp(db);
    const ani = await customerWith(sql);
    const [late, rejected] = [await app.topup(ani.accountId), await app.topup(ani.accountId)];
    await rejectTopupByHand(app.deps, {
      topupId: idOf(rejected),
      operatorId: ani.userId,
      reason: 'Bukti tidak cocok',
    });
    app.clock.pass(24);
    await expireTopups(app.deps);
    expect((await statusOf(sql, idOf(late)))?.status).toBe('expired');
    expect((await statusOf(sql, idOf(rejected)))?.status).toBe('void');
    await app.transfer(late.total);
    const detail = await app.get(ani, idOf(late));
    expect(detail).toMatchObject({ status: 'paid', note: 'Dibayar setelah kedaluwarsa.' });
    expect(await reds(sql)).toEqual([]);
  });

  test('waits for the seller’s NPWP and address, and is numbered when they are entered', async ({
    sql,
    db,
  }) => {
    const app = await invoicesApp(db, { ppn: true, SELLER_NPWP: undefined });
    const ani = await customerWith(sql);
    const [first, second, late] = [
      await app.topup(ani.accountId, 250_000),
      await app.topup(ani.accountId, 100_000),
      await app.topup(ani.accountId, 50_000),
    ];
    await app.transfer(first.total);
    const paidAt = app.clock.now();
    app.clock.pass(1);
    await app.transfer(second.total);
    app.clock.pass(24);
    await expireTopups(app.deps);
    await app.transfer(late.total);
    const work = { allAccountsSql: app.deps.allAccountsSql, now: app.clock.now };
    await issueWaitingInvoices(work);
    for (const topup of [first, second, late]) {
      expect(await app.get(ani, idOf(topup))).toMatchObject({
        status: 'open',
        number: null,
        total: topup.total,
        note: 'Sudah dibayar. Faktur terbit setelah data penjual lengkap.',
      });
    }
    expect(await readSellerGaps(sql)).toEqual({ missing: ['npwp'], invoices_waiting: 3 });
    const [wallet] = await sql`select available from wallets where account_id = ${ani.accountId}`;
    expect(wallet?.['available']).toBeGreaterThanOrEqual(400_000);
    expect(await reds(sql)).toEqual([]);

    await app.recordAs({ SELLER_NPWP: undefined, SELLER_ADDRESS: ' ' });
    await issueWaitingInvoices(work);
    expect((await readSellerGaps(sql)).missing).toEqual(['npwp', 'address']);
    await app.recordAs({});
    await Promise.all([issueWaitingInvoices(work), issueWaitingInvoices(work)]);
    const numbers = await Promise.all(
      [first, second, late].map(async (topup) => (await app.get(ani, idOf(topup))).number),
    );
    const month = civilDate(app.clock.now()).slice(0, 7).replace('-', '/');
    expect(numbers).toEqual([1, 2, 3].map((n) => `INV/${month}/00000${n}`));
    expect(await app.get(ani, idOf(first))).toMatchObject({
      status: 'paid',
      paid_at: paidAt,
      note: null,
      seller: { npwp: '0123456789012345', address: 'Jl. Jenderal Sudirman 1, Jakarta' },
    });
    expect(await app.get(ani, idOf(late))).toMatchObject({ note: 'Dibayar setelah kedaluwarsa.' });
    expect(await readSellerGaps(sql)).toEqual({ missing: [], invoices_waiting: 0 });
    expect(await reds(sql)).toEqual([]);
  });

  test('is void if its payment is refunded while it waits', async ({ sql, db }) => {
    const app = await invoicesApp(db, { ppn: true, SELLER_ADDRESS: undefined });
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId, 250_000);
    await app.transfer(topup.total);
    const [payment] = await sql<{ txn_id: string }[]>`select txn_id from provider_payments`;
    const given = { ...ani, topupId: idOf(topup), txnId: payment?.txn_id ?? '' };
    expect(await refundPayment(app.deps, given)).toBe('by_hand');
    await app.recordAs({});
    await issueWaitingInvoices({ allAccountsSql: app.deps.allAccountsSql, now: app.clock.now });
    expect(await statusOf(sql, idOf(topup))).toMatchObject({ status: 'void', number: null });
    expect(await sql`select from invoices where kind = 'credit_note'`).toHaveLength(0);
    expect(await reds(sql)).toEqual([]);
  });

  test('does not wait without PPN', async ({ sql, db }) => {
    const app = await invoicesApp(db, { SELLER_NPWP: undefined, SELLER_ADDRESS: undefined });
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId, 250_000);
    await app.transfer(topup.total);
    expect(await app.get(ani, idOf(topup))).toMatchObject({ status: 'paid', ppn: 0 });
    expect(await readSellerGaps(sql)).toEqual({ missing: [], invoices_waiting: 0 });
  });

  test('names a seller that was completed after the invoice was created', async ({ sql, db }) => {
    const app = await invoicesApp(db, { ppn: true, SELLER_NPWP: undefined });
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId, 250_000);
    await app.recordAs({});
    await app.transfer(topup.total);
    expect(await app.get(ani, idOf(topup))).toMatchObject({
      status: 'paid',
      seller: { npwp: '0123456789012345' },
    });
    expect(await reds(sql)).toEqual([]);
  });

  test('is inaccessible to another account', async ({ sql, db }) => {
    const app = await invoicesApp(db);
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const topup = await app.topup(ani.accountId);
    await expect(app.get(budi, idOf(topup))).rejects.toEqual(
      new Refusal('not_found', { what: 'Tagihan' }),
    );
    expect((await app.list(budi)).total).toBe(0);
  });

  test('names the buyer of the billing profile at issue time, and never changes', async ({
    sql,
    db,
  }) => {
    const app = await invoicesApp(db);
    const ani = await customerWith(sql);
    const before = await app.topup(ani.accountId);
    const save = { name: 'CV Ani Jaya', npwp: '01.234.567.8-901.000', address: '', email: '' };
    expect(await perform(app.acts, 'billing_profile_save', ani, save)).toEqual({
      name: 'CV Ani Jaya',
      npwp: '012345678901000',
      address: null,
      email: null,
    });
    const after = await app.topup(ani.accountId);
    expect((await app.get(ani, idOf(before))).buyer.name).toMatch(/^Toko/);
    expect((await app.get(ani, idOf(after))).buyer).toMatchObject({
      name: 'CV Ani Jaya',
      npwp: '012345678901000',
    });
    const wrong = perform(app.acts, 'billing_profile_save', ani, { ...save, npwp: '123' });
    await expect(wrong).rejects.toThrow('NPWP terdiri dari 15 atau 16 angka.');
  });

  test('is immutable once final, even for the owner of the tables', async ({ sql, db }) => {
    const app = await invoicesApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    await app.transfer(topup.total);
    for (const harm of [
      `update invoices set title = 'lain'`,
      `update invoices set status = 'void'`,
      `update invoices set number = 'INV/2026/11/000009'`,
      `update invoices set ppn = 1, total = total + 1`,
      `delete from invoices`,
    ]) {
      await expect(db.owner.query(harm), harm).rejects.toThrow();
    }
  });
});

describe('numbers', () => {
  test('are 1 to n without gaps, with concurrent and rolled back transactions', async ({
    sql,
    db,
  }) => {
    const app = await invoicesApp(db);
    const ani = await customerWith(sql);
    const at = app.clock.now();
    const ids = Array.from({ length: 120 }, () => newId());
    for (const invoiceId of ids) {
      await sql.begin((tx) => planInvoice(tx, { ...ani, invoiceId, at }));
    }
    const many = openDatabase(db.url, { max: 10, as: 'all accounts', name: 'tests' });
    let settled = 0;
    const settle = (invoiceId: string, place: number) =>
      many
        .begin(async (tx) => {
          await settleInvoice(tx, { ...ani, invoiceId, at });
          if (place % 5 === 0) throw new Error('rolled back');
          settled += 1;
        })
        .catch((error: Error) => expect(error.message).toBe('rolled back'));
    await Promise.all(ids.map(settle));
    await many.end({ timeout: 1 });
    expect(settled).toBe(96);
    const numbers = await sql<{ number: string }[]>`
      select number from invoices where number is not null order by number`;
    expect(numbers.map(({ number }) => number)).toEqual(
      numbers.map((_, place) => `INV/2026/11/${String(place + 1).padStart(6, '0')}`),
    );
    expect(numbers).toHaveLength(96);
    expect(await reds(sql)).toEqual([]);
  });

  test('restart with each month of WIB', async ({ sql }) => {
    const ani = await customerWith(sql);
    const numberAt = async (at: Date) => {
      const invoiceId = newId();
      return sql.begin(async (tx) => {
        await planInvoice(tx, { ...ani, invoiceId, at });
        return settleInvoice(tx, { ...ani, invoiceId, at });
      });
    };
    expect(await numberAt(new Date('2026-11-30T16:59:59Z'))).toBe('INV/2026/11/000001');
    expect(await numberAt(new Date('2026-11-30T17:00:00Z'))).toBe('INV/2026/12/000001');
    expect(await numberAt(new Date('2026-11-30T16:00:00Z'))).toBe('INV/2026/11/000002');
  });

  test('are not assigned to open, void or expired invoices', async ({ sql, db }) => {
    const app = await invoicesApp(db);
    const ani = await customerWith(sql);
    const at = app.clock.now();
    const [open, gone] = [newId(), newId()];
    await sql.begin(async (tx) => {
      await planInvoice(tx, { ...ani, invoiceId: open, at });
      await planInvoice(tx, { ...ani, invoiceId: gone, at });
      await voidInvoice(tx, { ...ani, invoiceId: gone, at, note: 'Paket berhenti.' });
    });
    expect(await sql`select from invoice_counters`).toHaveLength(0);
    const again = sql.begin((tx) => settleInvoice(tx, { ...ani, invoiceId: gone, at }));
    await expect(again).rejects.toMatchObject({ code: 'BL010' });
  });
});

describe('the invoice of a plan', () => {
  test('paid from the saldo carries no PPN, and states when PPN was collected', async ({
    sql,
    db,
  }) => {
    const app = await invoicesApp(db, { ppn: true });
    const ani = await customerWith(sql);
    const invoiceId = newId();
    const at = app.clock.now();
    await sql.begin(async (tx) => {
      await planInvoice(tx, { ...ani, invoiceId, at });
      await settleInvoice(tx, { ...ani, invoiceId, at });
    });
    expect(await app.get(ani, invoiceId)).toMatchObject({
      ppn: 0,
      dpp: null,
      total: 149_000,
      paid_with: 'Saldo Kabari',
      note: 'PPN sudah dipungut saat isi saldo.',
    });
    expect(await reds(sql)).toEqual([]);
  });

  test('paid by its own top-up carries the PPN; the top-up has no invoice', async ({ sql, db }) => {
    const app = await invoicesApp(db, { ppn: true });
    const ani = await customerWith(sql);
    const invoiceId = newId();
    const at = app.clock.now();
    await sql.begin((tx) => planInvoice(tx, { ...ani, invoiceId, at }));
    const paying = (await perform(app.acts, 'invoice_pay', ani, {
      invoice_id: publicId('invoice', invoiceId),
      method: 'bank',
    })) as { invoice: { topup_id: string }; topup_id: string };
    expect(paying.invoice.topup_id).toBe(paying.topup_id);
    expect(await sql`select from invoices`).toHaveLength(1);

    const [topup] = await sql<{ total: number }[]>`select total from topups`;
    await app.transfer(topup?.total ?? 0);
    expect(await statusOf(sql, invoiceId)).toMatchObject({ status: 'open', ppn: 16_390 });
    expect(await reds(sql)).toEqual([]);
    await sql.begin((tx) => settleInvoice(tx, { ...ani, invoiceId, at }));
    expect(await app.get(ani, invoiceId)).toMatchObject({
      status: 'paid',
      base: 149_000,
      ppn: 16_390,
      total: topup?.total,
      paid_with: 'Transfer bank',
      note: null,
    });
    expect(await sql`select from invoices`).toHaveLength(1);
    expect(await reds(sql)).toEqual([]);
  });

  test('that is voided after its top-up was paid gives the top-up its own invoice', async ({
    sql,
    db,
  }) => {
    const app = await invoicesApp(db, { ppn: true });
    const ani = await customerWith(sql);
    const invoiceId = newId();
    const at = app.clock.now();
    await sql.begin((tx) => planInvoice(tx, { ...ani, invoiceId, at }));
    const fields = { invoice_id: publicId('invoice', invoiceId), method: 'bank' };
    await perform(app.acts, 'invoice_pay', ani, fields);
    await perform(app.acts, 'invoice_pay', ani, fields);
    const topups = await sql<{ topup_id: string; total: number }[]>`
      select topup_id, total from topups order by topup_id`;
    for (const { total } of topups) await app.transfer(total);
    expect(await reds(sql)).toEqual([]);
    await sql.begin((tx) => voidInvoice(tx, { ...ani, invoiceId, at, note: 'Paket berhenti.' }));
    const kinds = await sql<{ kind: string; status: string }[]>`
      select kind, status from invoices order by kind, status`;
    expect(kinds).toEqual([
      { kind: 'plan', status: 'void' },
      { kind: 'topup', status: 'paid' },
      { kind: 'topup', status: 'paid' },
    ]);
    expect(await reds(sql)).toEqual([]);
  });

  test('is paid from the saldo only while it is open', async ({ sql, db }) => {
    const app = await invoicesApp(db);
    const ani = await customerWith(sql);
    const invoiceId = newId();
    const at = app.clock.now();
    await sql.begin((tx) => planInvoice(tx, { ...ani, invoiceId, at }));
    const fields = { invoice_id: publicId('invoice', invoiceId) };
    expect(await perform(app.acts, 'invoice_pay', ani, fields)).toMatchObject({
      invoice: { status: 'paid', number: 'INV/2026/11/000001' },
      topup_id: null,
    });
    await expect(perform(app.acts, 'invoice_pay', ani, fields)).rejects.toEqual(
      new Refusal('invoice_closed', {}),
    );
    const topup = await app.topup(ani.accountId);
    const own = perform(app.acts, 'invoice_pay', ani, {
      invoice_id: publicId('invoice', idOf(topup)),
    });
    await expect(own).rejects.toEqual(new Refusal('invoice_closed', {}));
  });
});

describe('a credit note', () => {
  test('has its own number, and never exceeds the amount paid', async ({ sql, db }) => {
    const app = await invoicesApp(db, { ppn: true });
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId, 100_000);
    await app.transfer(topup.total);
    const credit = (amount: number) =>
      sql.begin((tx) =>
        issueCreditNote(tx, {
          ...ani,
          invoiceId: idOf(topup),
          amount: rupiah(amount),
          reason: 'Pengembalian sebagian',
          at: app.clock.now(),
        }),
      );
    const { creditNoteId, number } = await credit(40_000);
    expect(number).toBe('CN/2026/11/000001');
    expect(await app.get(ani, creditNoteId)).toMatchObject({
      kind: 'credit_note',
      status: 'paid',
      total: 40_000,
      title: 'Nota kredit atas INV/2026/11/000001',
      note: 'Pengembalian sebagian',
    });
    await expect(credit(topup.total - 39_999)).rejects.toMatchObject({ code: 'BL012' });
    expect(await sql`select last from invoice_counters where series = 'CN'`).toEqual([{ last: 1 }]);
    expect(await reds(sql)).toEqual([]);
  });

  test('of a refund covers the rest after earlier credit notes', async ({ sql, db }) => {
    const app = await invoicesApp(db, { ppn: true });
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId, 100_000);
    await app.transfer(topup.total);
    await sql.begin((tx) =>
      issueCreditNote(tx, {
        ...ani,
        invoiceId: idOf(topup),
        amount: rupiah(40_000),
        reason: 'Pengembalian sebagian',
        at: app.clock.now(),
      }),
    );
    const [payment] = await sql<{ txn_id: string }[]>`select txn_id from provider_payments`;
    const given = { ...ani, topupId: idOf(topup), txnId: payment?.txn_id ?? '' };
    expect(await refundPayment(app.deps, given)).toBe('by_hand');
    const notes = await sql<{ total: number; ppn: number }[]>`
      select total, ppn from invoices where kind = 'credit_note' order by number`;
    expect(notes).toEqual([
      { total: 40_000, ppn: 0 },
      { total: topup.total - 40_000, ppn: topup.ppn },
    ]);
    expect(await reds(sql)).toEqual([]);
  });
});

test('every change of an invoice reaches open tabs', async ({ sql, db }) => {
  const app = await invoicesApp(db);
  const ani = await customerWith(sql);
  const topup = await app.topup(ani.accountId, 50_000, randomUUID());
  await app.transfer(topup.total);
  const told = await sql<{ data: object }[]>`
    select data from outbox where kind = 'invoice.changed' order by at`;
  const invoice_id = publicId('invoice', idOf(topup));
  const { total } = topup;
  expect(told.map(({ data }) => data)).toEqual([
    { invoice_id, status: 'open', kind: 'topup', number: null, total },
    { invoice_id, status: 'paid', kind: 'topup', number: expect.stringMatching(/^INV\//), total },
  ]);
});
