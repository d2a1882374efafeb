import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { inspectionHere } from '#tests/support/one-look.ts';
import { unlinkToken } from '#contract/tokens.ts';
import {
  answerFrom,
  ask,
  deliverText,
  newSender,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { press, write } from '#tests/journeys/support/steps.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const address = inject('product');

const phone = (n: number) => `62812345671${String(n).padStart(2, '0')}`;

const namesIn = (tab: Page): Promise<readonly string[]> =>
  tab
    .getByLabel('Daftar percakapan')
    .getByRole('listitem')
    .evaluateAll((rows) => rows.map((row) => row.querySelector('bdi')?.textContent ?? ''));

const isFocused = (one: Element) => one === document.activeElement;

test('a conversation is pinned and its number named with the keyboard alone; another tab follows, and a phone unpins it', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Melati', phone: '6281355506501' });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone: '62813555065019' });
  for (const n of [1, 2, 3, 4]) {
    await deliverText(address, sender, { to: phone(n), text: `Pesanan nomor ${n} siap.` });
  }
  const { open } = await person({ session: who.session });
  const { faults, look } = inspectionHere();
  const path = '/message-history?view=percakapan';
  const [tab, other] = [await open(`${path}&open=${sender.id}&peer=${phone(1)}`), await open(path)];
  await waitFor(async () => expect((await namesIn(other)).at(-1)).toContain('7101'));
  const menu = tab.getByRole('button', { name: 'Tindakan percakapan' });
  await press(tab, menu);
  await look(tab, 'the menu of a conversation');
  await press(tab, tab.getByRole('menuitem', { name: 'Sematkan di atas' }));
  await waitFor(async () => expect((await namesIn(other))[0]).toContain('7101'));
  await press(tab, menu);
  await tab.keyboard.press('ArrowDown');
  await tab.keyboard.press('Enter');
  const dialog = tab.getByRole('dialog', { name: 'Nama kontak' });
  await write(tab, dialog.getByLabel(/^Nama untuk/), 'Bu Sri, katering');
  await look(tab, 'naming a number');
  await press(tab, dialog.getByRole('button', { name: 'Simpan' }));
  await tab.getByRole('heading', { name: 'Bu Sri, katering' }).waitFor();
  await waitFor(async () => expect((await namesIn(other))[0]).toBe('Bu Sri, katering'));
  await look(other, 'a pinned conversation with a name');
  const row = tab.getByLabel('Daftar percakapan').getByRole('link', { name: /7103/ });
  await press(tab, row);
  const box = tab.getByRole('textbox', { name: /^Tulis pesan untuk \+62/ });
  await waitFor(async () => expect(await box.evaluate(isFocused)).toBe(true));
  await tab.keyboard.press('Escape');
  await waitFor(async () => expect(await row.evaluate(isFocused)).toBe(true));
  await other.getByRole('searchbox', { name: 'Cari percakapan' }).fill('sri');
  await waitFor(async () => expect(await namesIn(other)).toEqual(['Bu Sri, katering']));

  const narrow = await person({ session: who.session, width: 390 });
  const hand = await narrow.open(`${path}&open=${sender.id}&peer=${phone(1)}`);
  await hand.getByRole('button', { name: 'Tindakan percakapan' }).click();
  await hand.getByRole('menuitem', { name: /^Tandai berhenti.*tidak dikirim lagi/ }).waitFor();
  await look(hand, 'the menu on a phone');
  await hand.getByRole('menuitem', { name: 'Lepas sematan' }).click();
  await other.getByRole('searchbox', { name: 'Cari percakapan' }).fill('');
  await waitFor(async () => expect((await namesIn(other)).at(-1)).toBe('Bu Sri, katering'));
  await press(other, other.getByRole('button', { name: /^Tindakan untuk .*7102$/ }));
  await look(other, 'the menu of a row');
  await press(other, other.getByRole('menuitem', { name: 'Sematkan di atas' }));
  await waitFor(async () => expect((await namesIn(other))[0]).toContain('7102'));
  expect(await other.getByRole('article').count()).toBe(0);
  await hand.getByLabel('Kembali ke daftar percakapan').click();
  await hand.getByRole('button', { name: 'Tindakan untuk Bu Sri, katering' }).click();
  await look(hand, 'the menu of a row on a phone');
  await hand.getByRole('menuitem', { name: 'Sematkan di atas' }).click();
  await waitFor(async () => expect(await namesIn(other)).toContain('Bu Sri, katering'));
  await waitFor(async () =>
    expect((await namesIn(other)).slice(0, 2)).toContain('Bu Sri, katering'),
  );
  await tab.goto('/message-history?q=bu+sri');
  await tab.getByRole('row', { name: /Bu Sri, katering/ }).waitFor();
  expect(faults).toEqual([]);
});

test('a conversation whose number is not connected says so, and leads to its QR', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Kenari', phone: '6281355506594' });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone: '62813555065949' });
  await deliverText(address, sender, { to: phone(8), text: 'Pesanan Anda siap.' });
  await ask(address, unlinkToken, { token_id: sender.id }, who.session);
  const { open } = await person({ session: who.session });
  const tab = await open(`/message-history?view=percakapan&open=${sender.id}&peer=${phone(8)}`);
  await tab.getByText('Nomor Kasir belum tersambung.').waitFor();
  await tab.getByRole('link', { name: 'Sambungkan' }).waitFor();
});

test('a filter keeps only unread conversations, and the open one until it is left', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Cendana', phone: '6281355506503' });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone: '62813555065039' });
  for (const n of [11, 12]) {
    await deliverText(address, sender, { to: phone(n), text: `Pesanan nomor ${n} siap.` });
  }
  await answerFrom(address, phone(11), { sender, text: 'Baik, saya ambil sore' });
  const { open } = await person({ session: who.session });
  const { faults, look } = inspectionHere();
  const tab = await open('/message-history?view=percakapan');
  await waitFor(async () => expect(await namesIn(tab)).toHaveLength(2));
  const filter = tab.getByRole('button', { name: 'Belum dibaca' });
  await press(tab, filter);
  await waitFor(async () => expect(await namesIn(tab)).toHaveLength(1));
  expect(new URL(tab.url()).searchParams.get('unread')).toBe('1');
  expect(await filter.getAttribute('aria-pressed')).toBe('true');
  await look(tab, 'unread conversations');
  await tab.getByLabel('Daftar percakapan').getByRole('link', { name: /7111/ }).click();
  await tab.getByRole('article').filter({ hasText: 'Baik, saya ambil sore' }).waitFor();
  expect(new URL(tab.url()).searchParams.get('unread')).toBe('1');
  expect(await namesIn(tab)).toHaveLength(1);

  await tab.goto('/message-history?view=percakapan&unread=1');
  await tab.getByText('Semua sudah dibaca').waitFor();
  await tab.getByRole('button', { name: 'Tampilkan semua' }).click();
  await waitFor(async () => expect(await namesIn(tab)).toHaveLength(2));
  expect(faults).toEqual([]);
});
