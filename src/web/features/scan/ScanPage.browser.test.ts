import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';

test('a scan link whose first QR is late says so, and its button polls the link', async ({
  person,
}) => {
  const { open } = await person();
  const tab = await open();
  await tab.clock.install();
  const expiry = new Date(Date.now() + 600_000);
  const requests = await fakeActs(tab, {
    scan_consent: () => ({ nonce: 'n-1' }),
    scan_get: () => ({
      state: 'waiting',
      account_name: 'Toko Dahlia',
      token_name: 'Kasir',
      failure: null,
      channel: 'web',
      qr: null,
      phone: null,
      expires_at: expiry,
    }),
  });
  const polls = () => requests.filter(({ act }) => act === 'scan_get').length;
  await tab.goto('/scan/contoh');
  await tab.getByRole('button', { name: 'Saya mengerti, tampilkan QR' }).click();
  await tab.getByText('QR sedang diminta dari WhatsApp.', { exact: false }).waitFor();
  const late = tab.getByText(/^QR belum muncul\./);
  expect(await late.count()).toBe(0);
  await tab.clock.fastForward(10_000);
  await late.waitFor();
  const before = polls();
  await tab.getByRole('button', { name: 'Minta QR baru' }).click();
  await late.waitFor({ state: 'detached' });
  await waitFor(() => Promise.resolve(expect(polls()).toBeGreaterThan(before)));
});

test('a phone shows the pairing code first and folds the QR; without a code it names another screen', async ({
  person,
}) => {
  const { open } = await person({ width: 390 });
  const { faults, look } = inspectionHere();
  const tab = await open();
  let pairing_code: string | null = 'K7QM-3RTX';
  const expiry = new Date(Date.now() + 600_000);
  await fakeActs(tab, {
    scan_consent: () => ({ nonce: 'n-2' }),
    scan_get: () => ({
      state: 'waiting',
      account_name: 'Toko Dahlia',
      token_name: 'Kasir',
      failure: null,
      channel: 'web',
      qr: { text: 'contoh', pairing_code, expires_at: expiry },
      phone: null,
      expires_at: expiry,
    }),
  });
  await tab.goto('/scan/contoh-ponsel');
  await tab.getByRole('button', { name: 'Saya mengerti, tampilkan QR' }).click();
  await tab.getByText('K7QM-3RTX').waitFor();
  await tab.getByText('Pilih “Tautkan dengan nomor telepon”', { exact: false }).waitFor();
  const qr = tab.getByRole('img', { name: 'Kode QR untuk dipindai dengan WhatsApp' });
  expect(await qr.isVisible()).toBe(false);
  await look(tab, 'a pairing code on a phone');
  await tab.getByText('Tampilkan QR untuk ponsel lain').click();
  await qr.waitFor();

  // A computer shows the QR first, above the code.
  await tab.setViewportSize({ width: 1280, height: 900 });
  await tab.getByText('Atau masukkan kode penautan ini di ponsel').waitFor();
  await qr.waitFor();
  expect(await tab.getByText('Tampilkan QR untuk ponsel lain').count()).toBe(0);

  pairing_code = null;
  await tab.setViewportSize({ width: 390, height: 844 });
  await tab.getByText('buka halaman ini di layar lain', { exact: false }).waitFor();
  await qr.waitFor();
  expect(faults).toEqual([]);
});
