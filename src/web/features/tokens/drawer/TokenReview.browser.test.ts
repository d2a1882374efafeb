import { expect, inject } from 'vitest';
import { changePhone, confirmPhone } from '#contract/people.ts';
import { createToken } from '#contract/tokens.ts';
import { test } from '#tests/support/gallery.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { ask, codeFor, PASSWORD, signUp } from '#tests/journeys/support/portal.ts';

async function moved() {
  const product = inject('product');
  const end = String(Date.now() % 1e7).padStart(7, '0');
  const { phone, session } = await signUp(product, { name: 'Toko Sari', phone: `628131${end}` });
  for (const name of ['Kasir', 'Gudang']) {
    await ask(product, createToken, { name, channel: 'simulator' }, session);
  }
  const next = `628152${end}`;
  const asked = await ask(product, changePhone, { phone: next }, session);
  const codes = {
    old_challenge: asked.old.challenge,
    old_code: await codeFor(product, phone, ' untuk mengganti nomor'),
    new_challenge: asked.new.challenge,
    new_code: await codeFor(product, next),
  };
  await ask(product, confirmPhone, codes, session);
  return session;
}

const keyRefused = /status of 423 \(Locked\)/;
const passwordAsked = /status of 422/;
/** The closing drawer may request a deleted token once more. */
const lookedLate = /status of 404 \(Not Found\)/;

test('tokens made before a change of number are marked for review, and are kept or deleted', async ({
  profiles,
}) => {
  const session = await moved();
  const { open, wrongs, context } = await profiles.open({
    session,
    expects: [keyRefused, lookedLate, passwordAsked],
  });
  const tab = await open('/token');
  const row = (name: string) => tab.getByRole('row', { name });
  const drawer = tab.getByRole('dialog');
  await row('Kasir').getByText('Perlu diperiksa').waitFor();
  await row('Gudang').getByText('Perlu diperiksa').waitFor();

  await row('Kasir').getByRole('button').click();
  await drawer.getByText(/^Nomor akun ini diganti pada .+ Pastikan token ini/).waitFor();
  await drawer.getByText('Untuk pengembang').click();
  await drawer.getByRole('button', { name: 'Ganti kunci' }).click();
  const question = tab.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Ganti kunci' }).click();
  await question.getByText('Kunci baru dapat dibuat 24 jam lagi.').waitFor();
  await question.getByRole('button', { name: 'Batal' }).click();

  const keep = drawer.getByRole('button', { name: 'Tetap pakai' });
  await keep.focus();
  let asked = 0;
  await fakeActs(tab, {
    token_confirm: () => {
      asked += 1;
      const no = { refused: 'reauth_needed', message: 'Masukkan kata sandi Anda sekali lagi.' };
      return asked === 1 ? no : (undefined as never);
    },
  });
  await keep.press('Enter');
  // The drawer asks for the password itself.
  await drawer.getByLabel('Kata sandi Anda', { exact: true }).fill(PASSWORD);
  expect(await drawer.count()).toBe(1);
  await tab.keyboard.press('Enter');
  await drawer.getByText('Perlu diperiksa').waitFor({ state: 'hidden' });
  const stays = () => drawer.evaluate((one) => one.contains(one.ownerDocument.activeElement));
  expect(await stays()).toBe(true);
  await tab.keyboard.press('Escape');
  await row('Kasir').getByText('Perlu diperiksa').waitFor({ state: 'hidden' });

  await row('Gudang').getByRole('button').click();
  await drawer.getByRole('button', { name: 'Tidak kenal, hapus' }).click();
  await question.getByRole('button', { name: 'Hapus' }).click();
  await row('Gudang').waitFor({ state: 'hidden' });
  await row('Kasir').waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});
