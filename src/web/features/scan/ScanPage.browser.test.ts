import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
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
  const late = tab.getByText(/^QR terlambat datang\./);
  expect(await late.count()).toBe(0);
  await tab.clock.fastForward(10_000);
  await late.waitFor();
  const before = polls();
  await tab.getByRole('button', { name: 'Minta QR baru' }).click();
  await late.waitFor({ state: 'detached' });
  await waitFor(() => Promise.resolve(expect(polls()).toBeGreaterThan(before)));
});
