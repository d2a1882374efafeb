import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { faultsHere } from '#tests/support/one-look.ts';
import { ask, PASSWORD, signIn, signUp, topUp } from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { arrivesAt, isFocused, press, write } from '#tests/journeys/support/steps.ts';

const address = inject('product');

test('every person can use the profile', async ({ person }) => {
  const who = await signUp(address, { name: 'Batik Kenanga', phone: '6281355505001' });
  await topUp(address, who, 50_000);
  await signIn(address, { phone: who.phone, password: PASSWORD });
  await signIn(address, { phone: who.phone, password: PASSWORD });
  const expects = [/status of 403/, /status of 422/, /status of 429/];
  const { open } = await person({ session: who.session, expects });
  const faults: string[] = [];
  const look = async (tab: Page, state: string) =>
    void faults.push(...(await faultsHere(tab, state)));
  const tab = await open('/profile');
  await waitFor(async () =>
    expect(await tab.getByRole('button', { name: /^Akhiri sesi/ }).count()).toBe(2),
  );
  await look(tab, 'the profile');

  await tab.getByLabel('Nama Anda atau nama usaha').fill('A');
  await tab.getByLabel('Alamat email').fill('ratna');
  await tab.getByRole('button', { name: 'Simpan profil' }).click();
  await tab.getByRole('button', { name: 'Ganti kata sandi' }).click();
  await tab.getByText('Tulis kata sandi Anda yang sekarang.').waitFor();
  await look(tab, 'the profile with mistakes');

  await tab.getByRole('button', { name: 'Unggah foto' }).click();
  const chooser = tab.getByRole('dialog').locator('input[type=file]');
  await chooser.waitFor({ state: 'attached' });
  await look(tab, 'choosing a picture');
  await chooser.setInputFiles('public/favicon-512.png');
  await tab.getByRole('slider', { name: 'Perbesar' }).waitFor();
  await look(tab, 'cutting a picture');
  await tab.keyboard.press('Escape');
  await codes(tab, look);
  expect(faults).toEqual([]);
});

async function codes(tab: Page, look: (tab: Page, state: string) => Promise<void>) {
  await tab.getByRole('button', { name: 'Ganti nomor' }).click();
  await tab.getByLabel('Nomor ponsel baru').fill('0813-5550-5002');
  await look(tab, 'another number');
  await tab.getByRole('button', { name: 'Kirim kode' }).click();
  await tab.getByLabel('Kode dari nomor lama').waitFor();
  await tab.getByRole('dialog').getByRole('button', { name: 'Ganti nomor' }).click();
  await tab.getByText('Tulis enam angka dari pesan.').first().waitFor();
  await look(tab, 'two codes');
  await tab.keyboard.press('Escape');

  await tab.getByRole('button', { name: 'Hapus akun saya' }).click();
  await tab.getByText(/Masih ada saldo/).waitFor();
  await look(tab, 'the end of an account');
  await tab.keyboard.press('Escape');
}

test('the profile works with the keyboard alone', async ({ person }) => {
  const who = await signUp(address, { name: 'Toko Anggrek', phone: '6281355505003' });
  await signIn(address, { phone: who.phone, password: PASSWORD });
  const { open } = await person({ session: who.session });
  const tab = await open('/');
  await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
  await press(tab, tab.getByRole('link', { name: 'Profil Toko Anggrek' }));
  await arrivesAt(tab, '/profile');
  await press(tab, tab.getByRole('link', { name: 'Tampilan' }));
  await waitFor(() => expect(new URL(tab.url()).hash).toBe('#tampilan'));
  await press(tab, tab.getByRole('radio', { name: 'Ikut perangkat' }), 'ArrowDown');
  const mine = () => ask(address, checkToken, {}, who.session);
  await waitFor(async () => expect((await mine()).theme).toBe('light'));
  await press(tab, tab.getByRole('checkbox', { name: 'Pintasan satu huruf' }), 'Space');
  await waitFor(async () => expect((await mine()).keys_on).toBe(false));

  await tab.goto('/profile#sesi');
  const top = async () => (await tab.locator('#sesi').boundingBox())?.y ?? Infinity;
  await waitFor(async () => expect(await top()).toBeLessThan(100));
  await press(tab, tab.getByRole('button', { name: /^Akhiri sesi/ }));
  await tab.getByText(/^Sesi .* diakhiri\.$/).waitFor();

  await tab.goto('/profile#profil');
  const upload = tab.getByRole('button', { name: 'Unggah foto' });
  await press(tab, upload);
  const dialog = tab.getByRole('dialog', { name: 'Foto profil' });
  await dialog.locator('input[type=file]').setInputFiles('public/favicon-512.png');
  const stage = dialog.getByRole('application', { name: 'Bagian foto yang tampil' });
  await press(tab, stage, '+');
  await press(tab, stage, 'ArrowRight');
  await waitFor(async () =>
    expect(await dialog.getByRole('slider', { name: 'Perbesar' }).inputValue()).not.toBe('0'),
  );
  expect(await dialog.getByRole('slider', { name: 'Geser mendatar' }).inputValue()).not.toBe('50');
  await press(tab, dialog.getByRole('button', { name: 'Pakai foto ini' }));
  await dialog.waitFor({ state: 'detached' });
  await waitFor(async () => expect((await mine()).avatar).not.toBeNull());
  await waitFor(async () =>
    expect(await isFocused(tab, tab.getByRole('button', { name: 'Ganti foto' }))).toBe(true),
  );

  await tab.goto('/profile#kata-sandi');
  await write(tab, tab.getByLabel('Kata sandi sekarang'), PASSWORD);
  await write(tab, tab.getByLabel('Kata sandi baru'), 'payung hijau di beranda');
  await tab.keyboard.press('Enter');
  await tab.getByText('Kata sandi diganti.').waitFor();
});
