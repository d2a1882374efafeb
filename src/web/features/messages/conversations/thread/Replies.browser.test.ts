import type { Locator } from 'playwright-core';
import { expect, inject } from 'vitest';
import { inspectionHere } from '#tests/support/one-look.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { deliverText, newSender, signUp, topUp } from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { isFocused, press } from '#tests/journeys/support/steps.ts';

const address = inject('product');

/** Simulated phones that answer a message by quoting it, and by a reaction. */
const QUOTES = '62800000009';
const REACTS = '62800000010';
const OFFER = 'Pesanan Anda sudah siap. Diambil atau dikirim?';

const isUncovered = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => {
    const { left, top } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + 30, top + 1));
  });

test('answers show what they quote, reactions show at their message, and Balas quotes one', async ({
  person,
}) => {
  const phone = '6281355505031';
  const who = await signUp(address, { name: 'Toko Cempaka', phone });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone });
  for (const to of [QUOTES, REACTS]) await deliverText(address, sender, { to, text: OFFER });
  for (let nth = 0; nth < 16; nth++) {
    await deliverText(address, sender, { to: `6281390000${100 + nth}`, text: 'Terima kasih' });
  }
  const { open } = await person({ session: who.session });
  const { faults, look } = inspectionHere();
  const path = `/message-history?view=percakapan&open=${sender.id}&peer=`;

  const tab = await open(path + REACTS);
  await tab.getByRole('list', { name: 'Reaksi' }).getByText('👍').waitFor();
  await look(tab, 'a reaction');

  await tab.goto(path + QUOTES);
  const answer = tab.getByRole('article').last();
  await answer.getByText(OFFER).waitFor();
  await answer.getByText('Anda', { exact: true }).waitFor();
  await look(tab, 'an answer that quotes');
  const beyond = () =>
    tab.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
  await waitFor(async () => expect(await beyond()).toBe(0));
  expect(await isUncovered(tab.getByText(/per pesan$/))).toBe(true);

  await press(tab, answer.getByRole('button', { name: 'Balas' }));
  const box = tab.getByLabel(/^Tulis pesan untuk/);
  expect(await isFocused(tab, box)).toBe(true);
  await look(tab, 'writing an answer');
  await press(tab, tab.getByRole('button', { name: 'Batal membalas' }));
  await press(tab, answer.getByRole('button', { name: 'Balas' }));
  await tab.keyboard.type('Siap, kami kirim sore ini');
  await tab.keyboard.press('Enter');
  const ours = tab.getByRole('article').filter({ hasText: 'Siap, kami kirim sore ini' }).first();
  await ours.getByText('Baik, yang ini ya').waitFor();
  await tab.getByRole('button', { name: 'Batal membalas' }).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});
