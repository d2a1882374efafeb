import type { Locator } from 'playwright-core';
import { expect, inject } from 'vitest';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { sendTexts, newSender, signUp, topUp } from '#tests/journeys/support/portal.ts';
import { press } from '#tests/journeys/support/steps.ts';
import { saldoSummary } from '#tests/support/billing/samples.ts';
import { test } from '#tests/support/gallery.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const address = inject('product');

/** Whether an entry lies completely within its row. */
const isInRow = (entry: Locator) =>
  entry.evaluate((one) => {
    const row = one.closest('nav')?.getBoundingClientRect();
    const { left, right } = one.getBoundingClientRect();
    return row !== undefined && left >= row.left && right <= row.right + 1;
  });

test('on a phone Pesan opens the conversations, and every tab can be reached', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Sutra', phone: '6281355506591' });
  const { open } = await person({ session: who.session, width: 390 });
  const { faults, look } = inspectionHere();
  const tab = await open('/token');
  const bar = tab.getByRole('navigation', { name: 'Menu bawah' });
  await press(tab, bar.getByRole('link', { name: 'Pesan' }));
  await tab.getByText('Belum ada percakapan').waitFor();
  expect(new URL(tab.url()).search).toBe('?view=percakapan');
  expect(await bar.locator('[aria-current=page]').innerText()).toContain('Pesan');
  const tabs = tab.getByRole('navigation', { name: 'Tampilan pesan' });
  expect(await tabs.getByRole('link').allInnerTexts()).toEqual([
    'Percakapan',
    'Riwayat',
    'Kiriman massal',
    'Ekspor',
    'Berhenti langganan',
  ]);
  const last = tabs.getByRole('link', { name: 'Berhenti langganan' });
  expect(await isInRow(last)).toBe(false);
  await waitFor(async () => expect(await tabs.getAttribute('data-after')).toBe(''));
  expect(await tabs.getAttribute('data-before')).toBeNull();
  await tabs.getByRole('link', { name: 'Percakapan' }).focus();
  for (let step = 0; step < 4; step++) await tab.keyboard.press('Tab');
  await waitFor(async () => expect(await isInRow(last)).toBe(true));
  await tab.keyboard.press('Enter');
  await tabs.locator('[aria-current=page]').filter({ hasText: 'Berhenti langganan' }).waitFor();
  await tab.reload();
  await tab.getByText('Anda belum memiliki token').waitFor();
  await waitFor(async () => expect(await tabs.getAttribute('data-before')).toBe(''));
  expect(await isInRow(last)).toBe(true);
  expect(await tabs.getAttribute('data-after')).toBeNull();
  await look(tab, 'the last tab');
  expect(faults).toEqual([]);
});

test('Ekspor lists the files of the last day, and starts the first; a message is within the quota', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Linen', phone: '6281355506502' });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone: '62813555065029' });
  await sendTexts(address, sender, [{ to: '6281234567011', text: 'Linen Anda siap.' }]);
  const { open } = await person({ session: who.session, width: 390 });
  const { faults, look } = inspectionHere();
  const tab = await open('/message-history/ekspor');
  await tab.getByText('Belum ada berkas').waitFor();
  await look(tab, 'no file');
  await press(tab, tab.getByRole('button', { name: 'Ekspor pesan' }).last());
  const dialog = tab.getByRole('dialog', { name: 'Ekspor pesan' });
  await press(tab, dialog.getByRole('button', { name: 'Buat berkas' }));
  await waitFor(async () => expect(await dialog.innerText()).toContain('Unduh'));
  await press(tab, dialog.getByRole('button', { name: 'Tutup' }).first());
  const files = tab.getByRole('region', { name: 'Berkas 24 jam terakhir' });
  await files.getByRole('link', { name: 'Unduh' }).waitFor();
  await look(tab, 'a file');
  expect(faults).toEqual([]);

  // Within the quota of a plan the form to send shows the rest of it, read anew at each opening.
  let left = 100;
  await fakeActs(tab, { saldo_summary: () => saldoSummary({ quota_left: left }) });
  await tab.goto('/message-history?new=1');
  const form = tab.getByRole('dialog', { name: 'Kirim pesan' });
  await form.getByText('Termasuk kuota paket (sisa 100)').waitFor();
  left = 99;
  await tab.keyboard.press('Escape');
  await press(tab, tab.getByRole('button', { name: 'Kirim pesan' }).first());
  await form.getByText('Termasuk kuota paket (sisa 99)').waitFor();
});
