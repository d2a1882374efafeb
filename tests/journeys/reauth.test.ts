import { expect } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { faultsHere } from '#tests/support/one-look.ts';
import { PASSWORD, ask, deliverText, newSender, signUp, textsIn, topUp } from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';

const journey = setUpSharedJourney();

const PEER = '62800000001';

journey(
  'a session copied to another browser reads; it changes the profile and sends a message, once, only after the password',
  async ({ product: { address }, person }) => {
    const who = await signUp(address, { name: 'Toko Anggrek', phone: '6281355504008' });
    await topUp(address, who, 50_000);
    const sender = await newSender(address, who, { name: 'Kasir', phone: '6281355504020' });
    await deliverText(address, sender, { to: PEER, text: 'Halo' });
    const nameNow = async () => (await ask(address, checkToken, {}, who.session)).name;
    const expects = [/status of 403/, /status of 422/];
    const { open, context } = await person({ session: who.session, expects });
    await context.clearCookies();
    const tab = await open('/profile');
    const dialog = tab.getByRole('dialog', { name: 'Masukkan kata sandi Anda' });
    const field = dialog.getByLabel('Kata sandi', { exact: true });
    const name = tab.getByLabel('Nama Anda atau nama usaha');
    await waitFor(async () => expect(await name.inputValue()).toBe('Toko Anggrek'));
    const save = async (typed: string) => {
      await name.fill(typed);
      await tab.getByRole('button', { name: 'Simpan profil' }).click();
    };
    await save('Toko Anggrek Putih');
    await field.fill('bukan ini kata sandinya');
    await tab.keyboard.press('Enter');
    await dialog.getByText('Kata sandi tidak cocok').waitFor();
    expect(await nameNow()).toBe('Toko Anggrek');

    await tab.goto(`${address}/message-history?view=percakapan&open=${sender.id}&peer=${PEER}`);
    await tab.getByLabel(/^Tulis pesan untuk/).fill('Pesanan siap diambil.');
    await tab.keyboard.press('Enter');
    await field.waitFor();
    await tab.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await tab.getByText('Kata sandi Anda belum dimasukkan.').waitFor();
    await tab.getByRole('button', { name: 'Kirim ulang' }).click();
    await field.fill(PASSWORD);
    await tab.keyboard.press('Enter');
    const received = async () =>
      (await textsIn(address, PEER)).filter((text) => text === 'Pesanan siap diambil.').length;
    await waitFor(async () => expect(await received()).toBe(1));
    await tab.getByText('Kata sandi Anda belum dimasukkan.').waitFor({ state: 'detached' });
    expect(await received()).toBe(1);

    // A confirmation is valid for five minutes; exporting everything requires a sign-in in this browser.
    await tab.goto(`${address}/profile`);
    await waitFor(async () => expect(await name.inputValue()).toBe('Toko Anggrek'));
    await save('Toko Anggrek Bulan');
    await waitFor(async () => expect(await nameNow()).toBe('Toko Anggrek Bulan'));
    await tab.getByRole('button', { name: 'Buat arsip data saya' }).click();
    await tab.getByText('Sesi ini dimulai di browser lain.').waitFor();
    expect(await dialog.count()).toBe(0);
    expect(await faultsHere(tab, 'a change in a browser that is not the session’s')).toEqual([]);
  },
);
