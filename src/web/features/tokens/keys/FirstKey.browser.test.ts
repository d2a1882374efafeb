import { expect, inject } from 'vitest';
import { firstToken } from '#contract/tokens.ts';
import { ask, signUp } from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';

const address = inject('product');

test('the drawer makes the first key of a token and shows it once', async ({ person }) => {
  const shop = await signUp(address, { name: 'Toko Kancing', phone: '6281355507121' });
  const token = await ask(address, firstToken, { channel: 'simulator' }, shop.session);
  const { open } = await person({ session: shop.session });
  const tab = await open(`/token?open=${token.id}#kunci`);
  await tab.getByText('Belum ada. Buat bila sistem Anda akan mengirim pesan.').waitFor();
  await tab.getByRole('button', { name: 'Buat kunci' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Buat kunci' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Kunci baru' });
  const key = await dialog.getByLabel('Kunci API').innerText();
  expect(key).toMatch(/^kbr_test_/);
  expect(await dialog.getByText('Kunci lama masih berlaku 24 jam.').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Sudah saya simpan' }).click();
  await tab.getByText(`••••${key.slice(-4)}`).waitFor();
  await tab.getByRole('button', { name: 'Ganti kunci' }).waitFor();
});
