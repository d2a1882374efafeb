import type { Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import type { SecondFactorMethod } from '#contract/accounts.ts';
import { fakeActs, type FakeRefusal } from '#tests/journeys/support/fake-acts.ts';
import { fillLogin, isFocused } from '#tests/journeys/support/steps.ts';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

type Profile = { open: (path?: string) => Promise<Page>; wrongs: readonly string[] };
type Fields = Readonly<Record<string, string>>;
type Profiles = { open: (options: object) => Promise<Profile> };

const wrong = (left: number): FakeRefusal => ({
  refused: 'second_factor_wrong',
  message: `Kode itu salah. Sisa ${left} percobaan.`,
  facts: { left },
});
const expired: FakeRefusal = {
  refused: 'second_factor_expired',
  message: 'Verifikasi ini sudah berakhir.',
};
const busy: FakeRefusal = {
  refused: 'too_many_requests',
  message: 'Terlalu banyak percobaan.',
  facts: { seconds: 1 },
};

const challenge = (number: number) =>
  publicId('challenge', `019ab000-0000-7000-8000-${String(number).padStart(12, '0')}`);

/** Opens the second step; the server refuses each answer in turn with one of `refusals`. */
async function at(
  profiles: Profiles,
  methods: readonly SecondFactorMethod[],
  refusals: readonly FakeRefusal[],
) {
  const { open, wrongs } = await profiles.open({ expects: [/status of 422/] });
  const before = wrongs.length;
  const tab = await open();
  onTestFinished(async () => {
    await tab.close();
    expect(wrongs.slice(before)).toEqual([]);
  });
  let challenges = 0;
  const answers = new Map<string, FakeRefusal | undefined>();
  const given: Fields[] = [];
  await fakeActs(tab, {
    user_login: () => {
      challenges += 1;
      const passkey = { challenge: 'AAAA', rpId: 'localhost', allowCredentials: [] };
      const rest = { methods, passkey, expires_in_seconds: 300 };
      return { second_factor: { challenge: challenge(challenges), ...rest } };
    },
    user_second_factor: (fields) => {
      const { key = '' } = fields;
      // A retry of the same answer gets the same refusal.
      if (!answers.has(key)) {
        answers.set(key, refusals[answers.size]);
        given.push(fields);
      }
      return answers.get(key) ?? expired;
    },
  });
  await tab.goto(`${inject('gallery')}/auth/login`);
  await signIn(tab);
  return { tab, given };
}

async function signIn(tab: Page): Promise<void> {
  await fillLogin(tab, { phone: '6281355504001', password: 'sebuah kata sandi panjang' });
  await tab.getByRole('heading', { name: 'Verifikasi dua langkah' }).waitFor();
}

const code = (tab: Page) => tab.getByLabel('Kode autentikator');
const passkey = (tab: Page) => tab.getByRole('button', { name: 'Pakai passkey' });

const passkeys = (tab: Page, answers: 'given' | 'cancelled') =>
  tab.evaluate((how) => {
    const bytes = new ArrayBuffer(8);
    navigator.credentials.get = async () => {
      if (how === 'cancelled') throw new DOMException('cancelled', 'NotAllowedError');
      const response = { authenticatorData: bytes, clientDataJSON: bytes, signature: bytes };
      const facts = { id: 'AAAA', rawId: bytes, type: 'public-key', response };
      return { ...facts, getClientExtensionResults: () => ({}) } as unknown as Credential;
    };
  }, answers);

test('a wrong code shows the remaining attempts and clears its field', async ({ profiles }) => {
  const { tab, given } = await at(profiles, ['totp'], [wrong(4), wrong(3)]);
  await tab.getByRole('button', { name: 'Verifikasi' }).click();
  await tab.getByText('Tulis enam angka dari aplikasi autentikator.').waitFor();
  expect(given).toEqual([]);
  await waitFor(async () => expect(await isFocused(tab, code(tab))).toBe(true));
  await tab.keyboard.type('111111');
  await tab.getByText('Sisa 4 percobaan.').waitFor();
  expect(await code(tab).inputValue()).toBe('');
  await tab.keyboard.type('222222');
  await tab.getByText('Sisa 3 percobaan.').waitFor();
  expect(given).toMatchObject([
    { challenge: challenge(1), code: '111111' },
    { challenge: challenge(1), code: '222222' },
  ]);
});

test('after the last attempt, or too late, sign-in starts again with the password and a new challenge', async ({
  profiles,
}) => {
  const { tab, given } = await at(profiles, ['totp'], [wrong(0), expired]);
  for (const sentence of ['Sisa 0 percobaan.', 'Verifikasi ini sudah berakhir.']) {
    await code(tab).fill('111111');
    await tab.getByText(sentence).waitFor();
    expect(await code(tab).count()).toBe(0);
    await tab.getByRole('button', { name: 'Mulai lagi' }).click();
    await signIn(tab);
  }
  expect(given.map((one) => one['challenge'])).toEqual([challenge(1), challenge(2)]);
});

test('after too many attempts the wait is counted down, and the same challenge continues', async ({
  profiles,
}) => {
  const { tab, given } = await at(profiles, ['totp'], [busy, wrong(4)]);
  await code(tab).fill('111111');
  const wait = tab.getByText(/^Terlalu banyak percobaan\. Coba lagi dalam/);
  await wait.waitFor();
  await wait.waitFor({ state: 'detached' });
  await code(tab).fill('222222');
  await tab.getByText('Sisa 4 percobaan.').waitFor();
  expect(given.map((one) => one['challenge'])).toEqual([challenge(1), challenge(1)]);
});

test('a cancelled passkey does not count as an attempt, and another method is offered', async ({
  profiles,
}) => {
  const { tab, given } = await at(profiles, ['passkey', 'recovery_code'], [wrong(4)]);
  await passkeys(tab, 'cancelled');
  await passkey(tab).click();
  await tab.getByRole('alert').getByText('Passkey tidak jadi dipakai.').waitFor();
  expect(given).toEqual([]);
  await tab.getByRole('button', { name: 'Pakai kode cadangan' }).click();
  const recovery = tab.getByLabel('Kode cadangan');
  await waitFor(async () => expect(await isFocused(tab, recovery)).toBe(true));
  expect(await tab.getByText('Passkey tidak jadi dipakai.').count()).toBe(0);
  await tab.keyboard.type(' abcde-12345 ');
  await tab.keyboard.press('Enter');
  await tab.getByText('Sisa 4 percobaan.').waitFor();
  expect(given).toMatchObject([{ challenge: challenge(1), recovery_code: 'abcde-12345' }]);
});

test('a removed passkey is refused with a message, and the code still works', async ({
  profiles,
}) => {
  const { tab, given } = await at(profiles, ['totp', 'passkey'], [wrong(4), wrong(3)]);
  await passkeys(tab, 'given');
  await passkey(tab).click();
  await tab.getByRole('alert').getByText('Sisa 4 percobaan.').waitFor();
  await tab.getByRole('button', { name: 'Pakai kode autentikator' }).click();
  await code(tab).fill('333333');
  await tab.getByText('Sisa 3 percobaan.').waitFor();
  expect(given).toMatchObject([{ passkey: expect.any(String) }, { code: '333333' }]);
});
