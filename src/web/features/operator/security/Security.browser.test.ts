import type { Locator, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import { publicId } from '#contract/base/ids.ts';
import { test, type OpenPerson } from '#tests/support/gallery.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { ask, PASSWORD, signUp } from '#tests/journeys/support/portal.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const SIX_MINUTES = 6 * 60_000;
const idOf = (kind: 'factor' | 'challenge', end: number) =>
  publicId(kind, `019ab000-0000-7000-8000-00000000000${end}`);
const factorOf = (kind: 'totp' | 'passkey', end: number) => ({
  id: idOf('factor', end),
  kind,
  name: kind === 'passkey' ? 'Laptop' : '',
  created_at: '2026-01-02T03:04:05.000Z',
  used_at: null,
});
const codes = Array.from({ length: 10 }, (_, n) => `kode-${n}`);

/** An operator's page of factors, six minutes after the password; the second factor is too old as well. */
async function security(person: OpenPerson) {
  const address = inject('product');
  const phone = `62858${String(Date.now() % 1e8).padStart(8, '0')}`;
  const { session } = await signUp(address, { name: 'Dimas', phone });
  const user = await ask(address, checkToken, {}, session);
  const { open } = await person({ session, expects: [/status of 422/] });
  const tab = await open('/not-found.svg');
  let factors = [factorOf('totp', 1), factorOf('passkey', 2)];
  let isProved = false;
  const state = () => ({
    required: true,
    factors,
    recovery: { left: 9, made_at: '2026-01-02T03:04:05.000Z' },
  });
  const again = { refused: 'second_factor_again', message: 'Masukkan lagi faktor kedua Anda.' };
  const done = await fakeActs(tab, {
    user_check_token: () => ({ ...user, role: 'operator', operator_roles: ['money'] }),
    second_factor_get: state,
    second_factor_ask: () => ({
      challenge: idOf('challenge', 3),
      methods: ['totp'],
      expires_in_seconds: 600,
      passkey: null,
    }),
    second_factor_confirm: ({ token = '' }) => {
      isProved = true;
      return { seconds: 300, token };
    },
    second_factor_codes_renew: () => (isProved ? { recovery_codes: codes } : again),
    second_factor_remove: ({ factor_id: gone }) => {
      if (!isProved) return again;
      factors = factors.filter(({ id }) => id !== gone);
      return state();
    },
  });
  await tab.evaluate(
    (at) => localStorage.setItem('auth-password-at', at),
    String(Date.now() - SIX_MINUTES),
  );
  await tab.goto(`${inject('gallery')}/operator/keamanan`);
  const times = (act: string) => done.filter((one) => one['act'] === act).length;
  return { tab, times };
}

const fieldIn = (dialog: Locator) => dialog.getByLabel('Kata sandi Anda', { exact: true });

async function giveFactor(tab: Page): Promise<void> {
  const dialog = tab.getByRole('dialog', { name: 'Verifikasi dua langkah' });
  await dialog.getByLabel('Kode autentikator').fill('123456');
  await dialog.waitFor({ state: 'detached' });
}

test('new recovery codes ask for an old password in their own question', async ({ person }) => {
  const { tab, times } = await security(person);
  const { faults, look } = inspectionHere();
  await tab.getByRole('button', { name: 'Buat kode baru' }).click();
  const question = tab.getByRole('alertdialog');
  await fieldIn(question).waitFor();
  expect(await question.locator('input:not([hidden])').last().getAttribute('name')).toBe(
    'password',
  );
  await look(tab, 'the question with the password');
  await question.getByRole('button', { name: 'Buat kode baru' }).click();
  await question.getByText('Tulis kata sandi Anda.').waitFor();
  expect(times('second_factor_codes_renew')).toBe(0);
  await fieldIn(question).fill(PASSWORD);
  await tab.keyboard.press('Enter');
  await giveFactor(tab);
  const made = tab.getByRole('dialog', { name: 'Simpan kode cadangan Anda' });
  await waitFor(async () =>
    expect(await made.getByRole('listitem').allTextContents()).toEqual(codes),
  );
  expect(await question.count()).toBe(0);
  expect(faults).toEqual([]);
});

test('a removal says in its question that the password is wrong, then asks for the factor', async ({
  person,
}) => {
  const { tab, times } = await security(person);
  await tab.getByRole('button', { name: 'Hapus passkey Laptop' }).click();
  const question = tab.getByRole('alertdialog', { name: 'Hapus passkey Laptop?' });
  await fieldIn(question).fill('bukan ini kata sandinya');
  await tab.keyboard.press('Enter');
  await question.getByText('Kata sandi tidak cocok').waitFor();
  expect(times('second_factor_remove')).toBe(0);
  await fieldIn(question).fill(PASSWORD);
  await tab.keyboard.press('Enter');
  const factor = tab.getByRole('dialog', { name: 'Verifikasi dua langkah' });
  await factor.getByRole('button', { name: 'Tutup' }).click();
  // Without the factor nothing is removed, and the question stays open.
  await question.getByRole('button', { name: 'Hapus' }).click();
  await giveFactor(tab);
  await question.waitFor({ state: 'detached' });
  await tab.getByText('Passkey Laptop dihapus.').waitFor();
  await tab.getByText('Wajib: satu cara harus tetap terpasang').waitFor();
});

test('a new passkey asks for the password as the last field of its dialog', async ({ person }) => {
  const { tab, times } = await security(person);
  await tab.getByRole('button', { name: 'Tambah passkey' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Tambah passkey' });
  await dialog.getByLabel('Nama passkey').fill('Ponsel');
  await fieldIn(dialog).waitFor();
  await tab.keyboard.press('Enter');
  await dialog.getByText('Tulis kata sandi Anda.').waitFor();
  expect(await dialog.getByText('Passkey tidak jadi dipakai').count()).toBe(0);
  expect(await tab.getByRole('dialog').count()).toBe(1);
  expect(times('second_factor_passkey_begin')).toBe(0);
});
