import type { Locator } from 'playwright-core';
import { expect, inject } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import {
  answerFrom,
  deliverText,
  newSender,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';
import { HOME } from '#tests/journeys/support/steps.ts';
import { test } from '#tests/support/gallery.ts';

const address = inject('product');

const boxOf = async (place: Locator) => {
  const box = await place.boundingBox();
  if (!box) throw new Error('it is not shown');
  return box;
};

test('Beranda shows the current state in cards of equal height', async ({ person }) => {
  const fresh = await signUp(address, { name: 'Warung Baru', phone: '6281355507101' });
  const beginner = await (await person({ session: fresh.session })).open('/');
  await beginner.getByText('bonus selamat datang dari kami').waitFor();

  const shop = await signUp(address, { name: 'Toko Kain', phone: '6281355507102' });
  await topUp(address, shop, 50_000);
  const sender = await newSender(address, shop, { name: 'Kasir', phone: shop.phone });
  const peer = '6281299995001';
  await deliverText(address, sender, { to: peer, text: 'Kain Anda sudah siap.' });
  await answerFrom(address, peer, { sender, text: 'Baik, saya ambil sore' });
  await answerFrom(address, peer, { sender, text: 'STOP' });
  const { open } = await person({ session: shop.session });
  const tab = await open(HOME);
  const news = tab.getByRole('table', { name: 'Pesan terbaru' });
  await news.getByText('Baik, saya ambil sore').waitFor();
  expect(await news.getByText('STOP', { exact: true }).count()).toBe(0);
  const figures = await boxOf(tab.getByRole('region', { name: 'Hari ini' }).locator('dl'));
  const saldo = await boxOf(tab.getByRole('region', { name: 'Saldo' }).locator('> div'));
  expect(Math.abs(figures.y - saldo.y)).toBeLessThan(1);
  expect(Math.abs(figures.height - saldo.height)).toBeLessThan(1);

  // A menu of icons shows its names as tooltips, also at its foot.
  await tab.getByRole('button', { name: 'Ciutkan menu' }).click();
  await tab
    .getByRole('navigation', { name: 'Menu utama' })
    .getByRole('link', { name: /^Profil/ })
    .hover();
  await tab.getByText('Profil Toko Kain', { exact: true }).last().waitFor();
});

test('on a phone the header leaves room for the list, and the sheet has one column', async ({
  person,
}) => {
  const shop = await signUp(address, { name: 'Toko Benang', phone: '6281355507103' });
  const { open } = await person({ session: shop.session, width: 390 });
  const tab = await open('/token');
  const title = await boxOf(tab.getByRole('heading', { name: 'Token', level: 1 }));
  const action = await boxOf(tab.getByRole('button', { name: 'Tambah token' }).first());
  expect(action.y).toBeLessThan(title.y + title.height);
  await tab.getByRole('button', { name: 'Lainnya' }).click();
  const sheet = tab.getByRole('dialog', { name: 'Lainnya' });
  const entries = [
    sheet.getByRole('link', { name: 'Profil' }),
    sheet.getByRole('button', { name: /^Tema/ }),
    sheet.getByRole('link', { name: 'Simulator ponsel' }),
  ];
  const lefts = async () => {
    const boxes = await Promise.all(entries.map(boxOf));
    return new Set(boxes.map(({ x }) => Math.round(x))).size;
  };
  await waitFor(async () => expect(await lefts()).toBe(1));
});
