import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { faultsHere } from '#tests/support/one-look.ts';
import { PASSWORD, ask, deliverText, newSender, signUp, textsIn, topUp } from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';
import { isFocused } from './support/steps.ts';
import { changeSessions } from '#tests/support/people/people.ts';
import { agedBy } from '#tests/support/database/changes.ts';

const journey = setUpSharedJourney();

/** Dates every password confirmation sixteen minutes back, by the database's clock. */
async function sixteenMinutesLater(db: TestDatabase): Promise<void> {
  await changeSessions(db.allAccountsSql, {}, { reauthAt: agedBy('16 minutes') });
}

const PEER = '62800000001';
const userOf = (address: string, session: string) => ask(address, checkToken, {}, session);

const reauthDialog = (tab: Page) => {
  const dialog = tab.getByRole('dialog', { name: 'Masukkan kata sandi Anda' });
  return { dialog, field: dialog.getByLabel('Kata sandi', { exact: true }) };
};

journey(
  'an idle session has to confirm the password again',
  async ({ product: { address }, person, db }) => {
    const who = await signUp(address, { name: 'Toko Lestari', phone: '6281355504001' });
    // The first token needs no password.
    await newSender(address, who, { name: 'Gudang', phone: '6281355504021' });
    const expects = [/status of 403/, /status of 422/];
    const { open } = await person({ session: who.session, expects });
    const tab = await open('/token');
    await tab.getByRole('button', { name: 'Tambah token' }).first().click();
    const form = tab.getByRole('dialog', { name: 'Tambah token' });
    await form.getByLabel('Nama').fill('Kasir');
    await sixteenMinutesLater(db);
    await form.getByRole('button', { name: 'Tambah' }).click();

    // The same dialog asks: no second one opens.
    const field = form.getByLabel('Kata sandi Anda', { exact: true });
    await waitFor(async () => expect(await isFocused(tab, field)).toBe(true));
    expect(await tab.getByRole('dialog').count()).toBe(1);
    await tab.keyboard.press('Enter');
    await form.getByText('Tulis kata sandi Anda.').waitFor();
    expect(await faultsHere(tab, 'the password asked for once more')).toEqual([]);
    await field.fill('bukan ini kata sandinya');
    await tab.keyboard.press('Enter');
    await form.getByText('Kata sandi tidak cocok').waitFor();
    await waitFor(async () => expect(await isFocused(tab, field)).toBe(true));
    expect(await form.getByLabel('Nama').inputValue()).toBe('Kasir');
    expect(await tab.getByRole('alert').count()).toBe(0);
    await field.fill(PASSWORD);
    await tab.keyboard.press('Enter');
    const key = tab.getByLabel('Kunci API');
    await key.waitFor();
    const shown = await key.textContent();
    // A key that is shown only once must not vanish by accident.
    await tab.evaluate(() => history.back());
    const sure = tab.getByRole('alertdialog', { name: 'Sudah menyimpan kuncinya?' });
    await sure.getByRole('button', { name: 'Kembali' }).click();
    await sure.waitFor({ state: 'detached' });
    expect(await key.textContent()).toBe(shown);
    await tab.getByRole('button', { name: 'Sudah saya simpan' }).click();
    await waitFor(async () =>
      expect(await tab.getByRole('row', { name: /Kasir/ }).count()).toBe(1),
    );

    await tab.goto(`${address}/profile#data`);
    await tab.getByRole('button', { name: 'Buat arsip data saya' }).click();
    await tab.getByRole('link', { name: 'Unduh arsip' }).waitFor();
    expect(await faultsHere(tab, 'an archive')).toEqual([]);
  },
);

journey(
  'a session copied to another browser reads, and changes the profile only after the password',
  async ({ product: { address }, person }) => {
    const who = await signUp(address, { name: 'Toko Anggrek', phone: '6281355504008' });
    const expects = [/status of 403/, /status of 422/];
    const { open, context } = await person({ session: who.session, expects });
    await context.clearCookies();
    const tab = await open('/profile');
    const name = tab.getByLabel('Nama Anda atau nama usaha');
    await waitFor(async () => expect(await name.inputValue()).toBe('Toko Anggrek'));
    const save = async (typed: string) => {
      await name.fill(typed);
      await tab.getByRole('button', { name: 'Simpan profil' }).click();
    };
    await save('Toko Anggrek Putih');
    const { dialog, field } = reauthDialog(tab);
    await field.fill('bukan ini kata sandinya');
    await tab.keyboard.press('Enter');
    await dialog.getByText('Kata sandi tidak cocok').waitFor();
    expect((await userOf(address, who.session)).name).toBe('Toko Anggrek');
    await field.fill(PASSWORD);
    await tab.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await waitFor(async () =>
      expect((await userOf(address, who.session)).name).toBe('Toko Anggrek Putih'),
    );

    // A confirmation is valid for five minutes; exporting everything requires a sign-in in this browser.
    await save('Toko Anggrek Bulan');
    await waitFor(async () =>
      expect((await userOf(address, who.session)).name).toBe('Toko Anggrek Bulan'),
    );
    await tab.getByRole('button', { name: 'Buat arsip data saya' }).click();
    await tab.getByText('Sesi ini dimulai di browser lain.').waitFor();
    expect(await dialog.count()).toBe(0);
    expect(await faultsHere(tab, 'a change in a browser that is not the session’s')).toEqual([]);
  },
);

journey(
  'a message from such a browser waits for the password, and is sent once',
  async ({ product: { address }, person }) => {
    const who = await signUp(address, { name: 'Toko Dahlia', phone: '6281355504009' });
    await topUp(address, who, 50_000);
    const sender = await newSender(address, who, { name: 'Kasir', phone: '6281355504020' });
    await deliverText(address, sender, { to: PEER, text: 'Halo' });
    const { open, context } = await person({ session: who.session, expects: [/status of 403/] });
    await context.clearCookies();
    const tab = await open(`/message-history?view=percakapan&open=${sender.id}&peer=${PEER}`);
    const box = tab.getByLabel(/^Tulis pesan untuk/);
    await box.fill('Pesanan siap diambil.');
    await tab.keyboard.press('Enter');
    const { dialog, field } = reauthDialog(tab);
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
  },
);
