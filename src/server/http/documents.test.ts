import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type RunningApp, signedIn, test } from '#tests/support/app/running-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';

async function withPaidTopup(db: TestDatabase, running: RunningApp) {
  const { token } = await signedIn(db);
  const ask = async (act: string, fields: Record<string, unknown> = {}) =>
    (await running.ask(act, { token, ...fields })).body.data;
  const topup = await ask('topup_create', { amount: 50_000, key: randomUUID() });
  await running.ask('simulator_transfer', { amount: topup.total, sender: 'ANI' });
  const invoiceId = topup.id.replace('TU-', 'inv_');
  return { ask, invoiceId };
}

test('a document is downloaded by its link, as an inert file', async ({ db, openApp }) => {
  const running = await openApp();
  const { ask, invoiceId } = await withPaidTopup(db, running);
  const { url } = await ask('invoice_pdf', { invoice_id: invoiceId });
  const answer = await running.app.inject({ url });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment; filename\*=UTF-8''INV-.*\.pdf$/),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'private, no-store',
  });
  expect(answer.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
  expect((await running.app.inject({ url })).rawPayload.equals(answer.rawPayload)).toBe(true);
  for (const wrong of [url.slice(0, -2), url.split('?')[0], url.replace('/invoices', '/exports')]) {
    expect((await running.app.inject({ url: wrong })).statusCode).toBe(404);
  }
});

test('a statement is downloaded by its link', async ({ db, openApp }) => {
  const running = await openApp();
  const { ask } = await withPaidTopup(db, running);
  const days = { from: '2020-01-01', to: '2090-01-01' };
  const csv = await ask('saldo_export', { ...days, format: 'csv' });
  const answer = await running.app.inject({ url: csv.url });
  expect(answer.headers['content-disposition']).toMatch(/^attachment; .*mutasi-saldo-.*\.csv$/);
  expect(answer.payload).toMatch(
    /^\uFEFFnomor,waktu_wib,jenis,keterangan,nilai,saldo\r\n,,Saldo awal/,
  );
  const pdf = await ask('saldo_export', { ...days, format: 'pdf' });
  const made = await running.app.inject({ url: pdf.url });
  expect(made.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
  expect((await running.app.inject({ url: pdf.url.slice(0, -2) })).statusCode).toBe(404);
});

test('a document’s page confirms it to anyone, and is hidden from search engines', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  const { ask, invoiceId } = await withPaidTopup(db, running);
  const { verify_url, number } = await ask('invoice_get', { invoice_id: invoiceId });
  const answer = await running.app.inject({ url: new URL(verify_url).pathname });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'x-robots-tag': 'noindex, nofollow',
    'cache-control': 'no-store',
  });
  expect(answer.headers['content-security-policy']).not.toContain('unsafe');
  expect(answer.payload).toContain('Dokumen ini asli');
  expect(answer.payload).toContain(number);
  expect(answer.payload).not.toContain('<script');

  const unknown = await running.app.inject({ url: `/faktur/${'0'.repeat(32)}` });
  expect(unknown.statusCode).toBe(404);
  expect(unknown.payload).toContain('Dokumen tidak dikenal');
  for (const hostile of ['%3Cscript%3E', '..%2f', "'--", '%00']) {
    const none = await running.app.inject({ url: `/faktur/${hostile}` });
    expect(none.statusCode).toBeGreaterThanOrEqual(400);
    expect(none.statusCode).toBeLessThan(500);
    expect(none.payload).not.toContain('<script>');
  }
});

test('guessing references is rate-limited', async ({ openApp }) => {
  const running = await openApp();
  const statuses = new Set<number>();
  for (let tried = 0; tried < 40; tried++) {
    const ref = tried.toString(16).padStart(32, '0');
    const { statusCode } = await running.app.inject({ url: `/faktur/${ref}` });
    statuses.add(statusCode);
  }
  expect([...statuses]).toEqual([404, 429]);
});

test('names of people are escaped on the page', async ({ db, openApp }) => {
  const running = await openApp();
  const { ask, invoiceId } = await withPaidTopup(db, running);
  const name = '<img src=x onerror=alert(1)>';
  await db.owner`insert into sellers values (now() + interval '1 day', ${name}, null, null, null, null, false)`;
  const topup = await ask('topup_create', { amount: 60_000, key: randomUUID() });
  await running.ask('simulator_transfer', { amount: topup.total, sender: 'ANI' });
  const later = await ask('invoice_get', { invoice_id: topup.id.replace('TU-', 'inv_') });
  const { payload } = await running.app.inject({ url: new URL(later.verify_url).pathname });
  expect(payload).not.toContain('<img');
  expect(payload).toContain('&#60;img src=x');
  expect(invoiceId).toMatch(/^inv_/);
});
