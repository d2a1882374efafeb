import { expect, inject } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { nameContact } from '#contract/messages/conversations.ts';
import {
  ask,
  deliverText,
  newSender,
  sendTexts,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { arrivesAt, press } from '#tests/journeys/support/steps.ts';

const address = inject('product');

const delivered = '6281299993001';
/** Fails: not on the network. */
const missing = '62800000003';

test('a message is one row of the statement, which expands to its steps', async ({ person }) => {
  const shop = await signUp(address, { name: 'Toko Roti Manis', phone: '6281355504001' });
  await topUp(address, shop, 50_000);
  const sender = await newSender(address, shop, { name: 'Kasir', phone: shop.phone });
  await deliverText(address, sender, { to: delivered, text: 'Roti Anda sudah siap.' });
  await sendTexts(address, sender, [{ to: missing, text: 'Roti Anda sudah siap.' }]);
  const many = Array.from({ length: 12 }, (_, at) => ({
    to: `62813555${String(70_001 + at)}`,
    text: `Pesanan nomor ${at + 1} sudah siap.`,
  }));
  await sendTexts(address, sender, many);
  // The conversation follows its message by a moment.
  await waitFor(() =>
    ask(address, nameContact, { peer: delivered, name: 'Bu Rini' }, shop.session),
  );

  const { open } = await person({ session: shop.session });
  const tab = await open('/saldo');
  const statement = tab.getByRole('table', { name: 'Mutasi saldo' });
  const back = statement.getByRole('row', { name: /Dana tertahan dikembalikan/ });
  await back.waitFor();
  await waitFor(async () =>
    expect(await statement.getByText(/Dana ditahan|masih ditahan/).count()).toBe(0),
  );
  // Five rows (bonus, top-up, two messages, a batch) under one day.
  expect(await statement.getByRole('button', { name: /^Rincian/ }).count()).toBe(3);
  expect(await statement.getByRole('rowheader').count()).toBe(1);
  await statement.getByRole('link', { name: 'Bu Rini (+62 812-9999-3001)' }).waitFor();
  expect(await back.innerText()).toMatch(/\+62 800-0000-03[\s\S]*Rp\s150 kembali ke saldo/);

  const opener = back.getByRole('button', { name: /^Rincian/ });
  await press(tab, opener);
  expect(await opener.getAttribute('aria-expanded')).toBe('true');
  const steps = statement.getByRole('listitem');
  await waitFor(async () => expect(await steps.count()).toBe(2));
  expect((await steps.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual([
    'Dana ditahan',
    'Dana tertahan dikembalikan',
  ]);
  await opener.press('Enter');
  await waitFor(async () => expect(await steps.count()).toBe(0));

  await statement.getByRole('button', { name: /^Rincian Biaya pesan 12 pesan/ }).click();
  const messages = statement.getByRole('list', { name: 'Pesan di mutasi ini' });
  await waitFor(async () => expect(await messages.getByRole('listitem').count()).toBe(10));
  await tab
    .getByRole('navigation', { name: 'Halaman pesan di mutasi ini' })
    .getByRole('button', { name: 'Halaman 2', exact: true })
    .click();
  await waitFor(async () => expect(await messages.getByRole('listitem').count()).toBe(2));
  await messages.getByRole('link', { name: '+62 813-5557-0012' }).click();
  await arrivesAt(tab, '/message-history');
  await tab
    .getByRole('dialog', { name: 'Rincian pesan' })
    .getByText('Pesanan nomor 12 sudah siap.', { exact: true })
    .waitFor();
});
