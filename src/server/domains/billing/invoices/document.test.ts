import { buffer, text } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { extractText, getDocumentProxy, getMeta } from 'unpdf';
import { Refusal } from '#contract/base/refusals.ts';
import { publicId } from '#contract/base/ids.ts';
import { type InvoicesApp, invoicesApp, planInvoice } from '#tests/support/money/invoices.ts';
import { test } from '#tests/support/database/database.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { idOf, perform } from '#tests/support/money/topups.ts';
import { newId } from '#server/infra/ids.ts';
import { settleInvoice } from './issue.ts';
import { giveSaldo, insertEntries } from '#tests/support/money/wallets.ts';

const addressOf = (url: string) => {
  const [path = '', key = ''] = url.split('?k=');
  return { id: path.split('/').at(-1) ?? '', key };
};

async function documentOf(app: InvoicesApp, who: Customer, invoiceId: string): Promise<Buffer> {
  const { url } = (await perform(app.acts, 'invoice_pdf', who, {
    invoice_id: publicId('invoice', invoiceId),
  })) as { url: string };
  const claim = app.invoices.documents.verify(addressOf(url));
  const served = claim && (await app.invoices.documents.open(claim.accountId, claim.fileId));
  if (!served) throw new Error('no document');
  return buffer(await served.stream());
}

async function wordsOf(bytes: Buffer): Promise<{ pages: string[]; words: string }> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const { text: pages } = await extractText(pdf);
  return { pages, words: pages.join(' ').replace(/\s+/g, ' ') };
}

async function paidTopup(app: InvoicesApp, who: Customer, base = 250_000): Promise<string> {
  const topup = await app.topup(who.accountId, base);
  await app.transfer(topup.total);
  return idOf(topup);
}

describe('the document of an invoice', () => {
  test('prints every fact of the invoice', async ({ sql, db }) => {
    const app = await invoicesApp(db, { ppn: true });
    const ani = await customerWith(sql);
    const invoiceId = await paidTopup(app, ani);
    const detail = await app.get(ani, invoiceId);
    const bytes = await documentOf(app, ani, invoiceId);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(bytes.length).toBeLessThan(60_000);
    const { words, pages } = await wordsOf(bytes);
    expect(pages).toHaveLength(1);
    for (const said of [
      'TAGIHAN',
      'INV/2026/11/000001',
      '21 Nov 2026',
      'PT Kabari Contoh',
      'NPWP 0123 4567 8901 2345',
      detail.buyer.name,
      'Isi saldo Kabari',
      'Subtotal',
      '250.000',
      'DPP nilai lain (11/12)',
      '229.167',
      'PPN 12%',
      '27.500',
      'Kode unik',
      detail.in_words.slice(1),
      'Transfer bank',
      '21 Nov 2026, 09.00 WIB',
      detail.topup_id,
      'LUNAS',
      'Dokumen ini dibuat secara elektronik',
      detail.verify_url,
    ]) {
      expect(words).toContain(said);
    }
    const { info } = await getMeta(new Uint8Array(bytes));
    expect(info).toMatchObject({ Title: 'Tagihan INV/2026/11/000001' });
  });

  test('is created once and returns the same bytes to concurrent readers', async ({ sql, db }) => {
    const app = await invoicesApp(db);
    const ani = await customerWith(sql);
    const invoiceId = await paidTopup(app, ani);
    const [one, other] = await Promise.all([
      documentOf(app, ani, invoiceId),
      documentOf(app, ani, invoiceId),
    ]);
    expect(one.equals(other)).toBe(true);
    await sql`insert into sellers values (now() + interval '1 year', 'Nama Baru', null, null, null, null, true)`;
    app.clock.pass(24 * 400);
    expect((await documentOf(app, ani, invoiceId)).equals(one)).toBe(true);
    expect(await sql`select from invoice_documents`).toHaveLength(1);
    await expect(db.owner`update invoice_documents set bytes = 'x'`).rejects.toThrow();
    await expect(db.owner`delete from invoice_documents`).rejects.toThrow();
  });

  test('of a plan shows its period and every line, and no stamp above Rp 5.000.000', async ({
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
    const { words } = await wordsOf(await documentOf(app, ani, invoiceId));
    expect(words).toContain('PPN sudah dipungut saat isi saldo.');
    expect(words).toContain('21 Nov 2026 – 20 Des 2026');
    expect(words).toContain('-50.000');
    expect(words).not.toContain('PPN 12');
    const big = await paidTopup(app, ani, 6_000_000);
    expect((await wordsOf(await documentOf(app, ani, big))).words).not.toContain('LUNAS');
  });

  test.for([
    ['of 500 letters', 'W'.repeat(120), 1],
    ['written from the right', 'مكتبة الأمل', 1],
    ['of emoji', '🏪👩‍👩‍👧‍👦 Toko 🇮🇩', 1],
    ['with marks piled up', `Z${'\u0301'.repeat(100)}algo`, 1],
    ['with what no font has', '\u{12000}\u{12041} Toko \u{1E900}', 1],
    ['of letters of Indonesia and its neighbours', 'Sélamét Ñusa Đặng Šoekarno', 1],
  ] as const)(
    'a name %s breaks neither the page nor the process',
    async ([, name, count], { sql, db }) => {
      const app = await invoicesApp(db);
      const ani = await customerWith(sql);
      const address = 'Jalan yang sangat panjang sekali '.repeat(9);
      const email = `${'a'.repeat(200)}@toko.id`;
      await perform(app.acts, 'billing_profile_save', ani, { name, npwp: '', address, email });
      const { pages, words } = await wordsOf(await documentOf(app, ani, await paidTopup(app, ani)));
      expect(pages).toHaveLength(count);
      expect(words).toContain('Halaman 1 dari 1');
      expect(words).toContain('Total');
      if (name.startsWith('Sél')) expect(words).toContain(name);
    },
  );

  test('has no link before payment, and a short-lived one after', async ({ sql, db }) => {
    const app = await invoicesApp(db);
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const topup = await app.topup(ani.accountId);
    const fields = { invoice_id: publicId('invoice', idOf(topup)) };
    await expect(perform(app.acts, 'invoice_pdf', ani, fields)).rejects.toEqual(
      new Refusal('invoice_unpaid', {}),
    );
    await app.transfer(topup.total);
    await expect(perform(app.acts, 'invoice_pdf', budi, fields)).rejects.toEqual(
      new Refusal('not_found', { what: 'Tagihan' }),
    );
    const { url, filename } = (await perform(app.acts, 'invoice_pdf', ani, fields)) as {
      url: string;
      filename: string;
    };
    expect(filename).toBe('INV-2026-11-000001.pdf');
    expect(app.invoices.documents.verify(addressOf(url))).toBeDefined();
    app.clock.pass(1);
    expect(app.invoices.documents.verify(addressOf(url))).toBeUndefined();
  });
});

test('is verified through its QR without revealing the buyer', async ({ sql, db }) => {
  const app = await invoicesApp(db);
  const ani = await customerWith(sql);
  const invoiceId = await paidTopup(app, ani);
  const { verify_url, total } = await app.get(ani, invoiceId);
  const ref = verify_url?.split('/').at(-1) ?? '';
  expect(await app.invoices.findVerified(ref)).toMatchObject({
    kind: 'topup',
    status: 'paid',
    number: 'INV/2026/11/000001',
    total,
    seller: 'PT Kabari Contoh',
    buyer: expect.stringMatching(/^To•• /),
    creditNotes: [],
  });
  for (const other of ['0'.repeat(32), ref.slice(1), `${ref}0`, "' or 1=1 --", invoiceId]) {
    expect(await app.invoices.findVerified(other)).toBeUndefined();
  }
});

describe('the statement', () => {
  async function movedMoney(app: InvoicesApp, sql: typeof app.allAccountsSql, who: Customer) {
    await paidTopup(app, who);
    const entry = (delta: number, memo: string) =>
      sql.begin((tx) => giveSaldo(tx, who.accountId, delta, { kind: 'adjust', memo }));
    await entry(500, '=HYPERLINK("http://jahat.example")');
    await entry(-200, 'Koreksi');
    return new Date().toISOString().slice(0, 10);
  }
  const exported = async (app: InvoicesApp, who: Customer, fields: object) => {
    const { url, filename } = (await perform(app.acts, 'saldo_export', who, { ...fields })) as {
      url: string;
      filename: string;
    };
    const served = await app.invoices.openStatement(addressOf(url));
    if (!served) throw new Error('no statement');
    return { url, filename, served };
  };
  const days = { from: '2020-01-01', to: '2090-01-01' };

  test('as CSV lists every entry between opening and closing saldo, with raw amounts and no formulas', async ({
    sql,
    db,
  }) => {
    const app = await invoicesApp(db);
    const ani = await customerWith(sql, { saldo: 1_000 });
    await movedMoney(app, sql, ani);
    const { served, filename } = await exported(app, ani, { ...days, format: 'csv' });
    expect(filename).toBe('mutasi-saldo-2020-01-01-2090-01-01.csv');
    const lines = (await text(served.stream)).replace('\uFEFF', '').trim().split('\r\n');
    expect(lines[0]).toBe('nomor,waktu_wib,jenis,keterangan,nilai,saldo');
    expect(lines[1]).toBe(',,Saldo awal,,,0');
    expect(lines).toHaveLength(7);
    const rows = lines.slice(2, -1).map((line) => line.split(','));
    expect(rows[0]?.[1]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(rows.map((row) => Number(row.at(-2))).slice(2)).toEqual([500, -200]);
    expect(lines.join('\n')).toContain(`"'=HYPERLINK(""http://jahat.example"")"`);
    const amounts = rows.map((row) => Number(row.at(-2)));
    const closing = Number(lines.at(-1)?.split(',').at(-1));
    expect(amounts.reduce((sum, one) => sum + one, 0)).toBe(closing);

    const kinds = await exported(app, ani, { ...days, kind: 'adjust', format: 'csv' });
    expect((await text(kinds.served.stream)).match(/Penyesuaian/g)).toHaveLength(2);
  });

  test('as PDF shows the same entries', async ({ sql, db }) => {
    const app = await invoicesApp(db);
    const ani = await customerWith(sql, { saldo: 1_000 });
    await movedMoney(app, sql, ani);
    const { served } = await exported(app, ani, { ...days, format: 'pdf' });
    const { words } = await wordsOf(await buffer(served.stream));
    for (const said of ['MUTASI SALDO', 'Saldo awal', 'Isi saldo', '+500', '-200', 'Koreksi']) {
      expect(words).toContain(said);
    }
  });

  test('of more than 5.000 lines is CSV only', async ({ sql, db }) => {
    const app = await invoicesApp(db);
    const ani = await customerWith(sql);
    const entry = (at: number) => ({ delta: 1, contra: 'exp:bonus', available: at + 1 });
    const entries = Array.from({ length: 5001 }, (_, at) => ({ kind: 'bonus', ...entry(at) }));
    await insertEntries(db.owner, ani.accountId, entries);
    await expect(
      perform(app.acts, 'saldo_export', ani, { ...days, format: 'pdf' }),
    ).rejects.toEqual(new Refusal('statement_too_long', { limit: 5_000 }));
    const { served } = await exported(app, ani, { ...days, format: 'csv' });
    expect((await text(served.stream)).split('\r\n')).toHaveLength(5_005);
  });

  test('is limited to its account, by a short-lived link', async ({ sql, db }) => {
    const app = await invoicesApp(db);
    const ani = await customerWith(sql, { saldo: 1_000 });
    const { url } = await exported(app, ani, { ...days, format: 'csv' });
    const { id, key } = addressOf(url);
    const other = Buffer.from(JSON.stringify(['1999-01-01', '2090-01-01', '', 'csv']));
    const changed = { id: other.toString('base64url'), key };
    expect(await app.invoices.openStatement(changed)).toBeUndefined();
    const flipped = `${key.startsWith('A') ? 'B' : 'A'}${key.slice(1)}`;
    expect(await app.invoices.openStatement({ id, key: flipped })).toBeUndefined();
    app.clock.pass(1);
    expect(await app.invoices.openStatement({ id, key })).toBeUndefined();
    await expect(
      perform(app.acts, 'saldo_export', ani, { from: days.to, to: days.from, format: 'csv' }),
    ).rejects.toBeInstanceOf(Refusal);
  });
});
