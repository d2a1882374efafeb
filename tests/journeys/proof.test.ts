import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { makeDatabase, type TestDatabase } from '#tests/database.ts';
import { soon } from '#tests/soon.ts';
import { faultsOf } from './axe.ts';
import { PASSWORD, signUp } from './portal.ts';
import { setTheStage } from './stage.ts';
import { arrivesAt, isFocused } from './steps.ts';

let made: { db: TestDatabase; drop: () => Promise<void> } | undefined;
const journey = setTheStage(async () => {
  made = await makeDatabase();
  return { SIMULATOR_SPEED: '0', DATABASE_URL: made.db.url };
});
// Hooks of a file end in the other order: the product has left the database by then.
afterAll(() => made?.drop());

/** By the database's clock everybody gave their password six minutes ago. */
async function sixMinutesLater(): Promise<void> {
  if (!made) throw new Error('there is no database yet');
  await made.db.house`update sessions set proved_at = proved_at - interval '6 minutes'`;
}

const proofIn = (tab: Page) => {
  const dialog = tab.getByRole('dialog', { name: 'Masukkan kata sandi Anda' });
  return { dialog, field: dialog.getByLabel('Kata sandi', { exact: true }) };
};

journey(
  'who left the computer alone is asked for the password once more',
  async ({ product: { address }, person }) => {
    const who = await signUp(address, { name: 'Toko Lestari', phone: '6281355504001' });
    const expects = [/status of 403/, /status of 422/];
    const { open } = await person({ still: true, session: who.session, expects });
    const tab = await open('/token?view=new');
    const form = tab.getByRole('dialog', { name: 'Tambah token' });
    await form.getByLabel('Nama').fill('Kasir');
    await sixMinutesLater();
    await form.getByRole('button', { name: 'Tambah' }).click();

    const { dialog, field } = proofIn(tab);
    await soon(() => isFocused(tab, field)).toBe(true);
    await tab.keyboard.press('Enter');
    await dialog.getByText('Tulis kata sandi Anda.').waitFor();
    expect(await faultsOf(tab, 'the password asked for once more')).toEqual([]);
    await tab.keyboard.type('bukan ini kata sandinya');
    await tab.keyboard.press('Enter');
    await dialog.getByText('Kata sandi tidak cocok').waitFor();
    await soon(() => isFocused(tab, field)).toBe(true);
    // Who would rather not gets back to what they were at; nothing is said to have gone wrong.
    await tab.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Nama').inputValue()).toBe('Kasir');
    expect(await tab.getByRole('alert').count()).toBe(0);

    await form.getByRole('button', { name: 'Tambah' }).click();
    await field.fill(PASSWORD);
    await tab.keyboard.press('Enter');
    await tab.getByLabel('Kunci API').waitFor();
    await tab.getByRole('button', { name: 'Sudah saya simpan' }).click();
    await soon(() => tab.getByRole('row', { name: /Kasir/ }).count()).toBe(1);

    // For five minutes nothing asks again, on another screen either.
    await tab.goto(`${address}/profile#data`);
    await tab.getByRole('button', { name: 'Buat arsip data saya' }).click();
    await tab.getByRole('link', { name: 'Unduh arsip' }).waitFor();
    expect(await faultsOf(tab, 'an archive')).toEqual([]);
  },
);

journey(
  'a session that was copied to another browser ends where it is put to the proof',
  async ({ product: { address }, person }) => {
    const who = await signUp(address, { name: 'Toko Anggrek', phone: '6281355504008' });
    const expects = [/status of 403/, /status of 401/];
    const { open, context } = await person({ session: who.session, expects });
    await context.clearCookies();
    const tab = await open('/profile');
    await tab.getByRole('button', { name: 'Buat arsip data saya' }).click();
    const { dialog, field } = proofIn(tab);
    // Even the right password.
    await field.fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Lanjutkan' }).click();
    await arrivesAt(tab, '/auth/login');
    await dialog.waitFor({ state: 'detached' });
  },
);
