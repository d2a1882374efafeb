import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { createToken } from '#contract/tokens.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { ask, PASSWORD, signUp } from '#tests/journeys/support/portal.ts';
import { isFocused } from '#tests/journeys/support/steps.ts';
import { test } from '#tests/support/gallery.ts';

const address = inject('product');
const refusedHere = [/status of 422/, /status of 403/];

async function shop(phone: string, token?: string): Promise<string> {
  const { session } = await signUp(address, { name: 'Toko Melati', phone });
  if (token !== undefined)
    await ask(address, createToken, { name: token, channel: 'simulator' }, session);
  return session;
}

/** Dates the password back, as this browser knows it. */
async function minutesLater(tab: Page, minutes: number): Promise<void> {
  const at = String(Date.now() - minutes * 60_000);
  await tab.evaluate((text) => localStorage.setItem('auth-password-at', text), at);
  await tab.reload();
}

async function openCreate(tab: Page) {
  await tab.getByRole('button', { name: 'Tambah token' }).first().click();
  const dialog = tab.getByRole('dialog', { name: 'Tambah token' });
  await dialog.getByLabel('Nama').fill('Gudang');
  const field = dialog.getByLabel('Kata sandi Anda', { exact: true });
  const add = dialog.getByRole('button', { name: 'Tambah', exact: true });
  return { dialog, field, add };
}

test('a dialog asks for an old password itself, as its last field, and says there what is wrong; the key it makes cannot vanish by accident', async ({
  person,
}) => {
  const session = await shop('6281355504701', 'Kasir');
  const { open } = await person({ still: true, session, expects: refusedHere });
  const { faults, look } = inspectionHere();
  const tab = await open('/token');
  await minutesLater(tab, 16);
  const { dialog, field, add } = await openCreate(tab);
  await field.waitFor();
  const fields = dialog.locator('input:not([hidden])');
  expect(await fields.last().getAttribute('name')).toBe('password');
  await add.click();
  await dialog.getByText('Tulis kata sandi Anda.').waitFor();
  await look(tab, 'a password asked for in a dialog');
  await field.fill('bukan ini kata sandinya');
  await tab.keyboard.press('Enter');
  await dialog.getByText('Kata sandi tidak cocok').waitFor();
  await waitFor(async () => expect(await isFocused(tab, field)).toBe(true));
  expect(await tab.getByRole('dialog').count()).toBe(1);
  await field.fill(PASSWORD);
  await tab.keyboard.press('Enter');
  const key = tab.getByLabel('Kunci API');
  await key.waitFor();
  expect(faults).toEqual([]);
  const shown = await key.textContent();
  // A key that is shown only once must not vanish by accident.
  await tab.evaluate(() => history.back());
  const sure = tab.getByRole('alertdialog', { name: 'Sudah menyimpan kuncinya?' });
  await sure.getByRole('button', { name: 'Kembali' }).click();
  await sure.waitFor({ state: 'detached' });
  expect(await key.textContent()).toBe(shown);
  await tab.getByRole('button', { name: 'Sudah saya simpan' }).click();
  await waitFor(async () => expect(await tab.getByRole('row', { name: /Gudang/ }).count()).toBe(1));
});

test('the field appears when the server asks, and what was typed stays', async ({ person }) => {
  const session = await shop('6281355504702', 'Kasir');
  const { open } = await person({ still: true, session, expects: refusedHere });
  const tab = await open('/token');
  let asked = 0;
  await fakeActs(tab, {
    token_create: () => {
      asked += 1;
      const no = { refused: 'reauth_needed', message: 'Masukkan kata sandi Anda sekali lagi.' };
      return asked === 1 ? no : (undefined as never);
    },
  });
  const { dialog, field, add } = await openCreate(tab);
  await dialog.getByText('Kanal').first().waitFor();
  expect(await field.count()).toBe(0);
  await add.click();
  await waitFor(async () => expect(await isFocused(tab, field)).toBe(true));
  expect(await tab.getByRole('dialog').count()).toBe(1);
  expect(await dialog.getByLabel('Nama').inputValue()).toBe('Gudang');
  await field.fill(PASSWORD);
  await add.click();
  await tab.getByLabel('Kunci API').waitFor();
  expect(asked).toBe(2);
});

test('the first token of an account needs no password', async ({ person }) => {
  const { open } = await person({ still: true, session: await shop('6281355504703') });
  const tab = await open('/token');
  await minutesLater(tab, 16);
  const { field, add } = await openCreate(tab);
  expect(await field.count()).toBe(0);
  await add.click();
  await tab.getByLabel('Kunci API').waitFor();
});

test('after six minutes a new key in place of the old asks, a new token does not', async ({
  person,
}) => {
  const session = await shop('6281355504704', 'Kasir');
  const { open } = await person({ still: true, session });
  const tab = await open('/token');
  await minutesLater(tab, 6);
  const { field } = await openCreate(tab);
  expect(await field.count()).toBe(0);
  await tab.keyboard.press('Escape');
  await tab.getByRole('row', { name: 'Kasir' }).getByRole('button').click();
  await tab.getByRole('dialog').getByText('Untuk pengembang').click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Ganti kunci' }).click();
  const question = tab.getByRole('alertdialog');
  await question.getByLabel('Kata sandi Anda', { exact: true }).fill(PASSWORD);
  await tab.keyboard.press('Enter');
  await tab.getByLabel('Kunci API').waitFor();
});
