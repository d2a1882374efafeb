import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import { createToken } from '#contract/tokens.ts';
import { decode } from '#web/browser/session.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { faultsHere, inspectionHere } from '#tests/support/one-look.ts';
import {
  ask,
  codeFor,
  forNewBrowser,
  forNewPassword,
  PASSWORD,
  signIn,
  signUp,
  textsIn,
} from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';
import { arrivesAt, fillLogin, isFocused, press, write } from './support/steps.ts';

const journey = setUpSharedJourney();

const NEW_PASSWORD = 'perahu kertas di hujan sore';
const refusal = (status: number) => new RegExp(`status of ${status}`);
const wrongCode = refusal(422);
const goneCode = refusal(410);
const tooSoon = refusal(429);

const unlike = (code: string): string => (code === '111111' ? '222222' : '111111');

const codeField = (tab: Page) => tab.getByLabel('Kode verifikasi');

async function askForPassword(tab: Page, address: string, phone: string): Promise<void> {
  await tab.goto(`${address}/auth/forgot-password`);
  await arrivesAt(tab, '/auth/forgot-password/phone');
  await tab.getByLabel('Nomor ponsel').fill(phone);
  await tab.getByRole('button', { name: 'Kirim kode' }).click();
  await arrivesAt(tab, '/auth/forgot-password/otp');
  await codeField(tab).waitFor();
}

journey('a forgotten password is reset with the keyboard only', async (stage) => {
  const { address } = stage.product;
  const phone = '6281355503001';
  const who = await signUp(address, { name: 'Toko Sepatu Melati', phone });
  await ask(address, createToken, { name: 'Kasir', channel: 'simulator' }, who.session);
  const { open } = await stage.person({ expects: [wrongCode] });
  const { faults, look } = inspectionHere();
  const tab = await open('/auth/login');
  await write(tab, tab.getByLabel('Nomor ponsel'), '081355503001');
  await press(tab, tab.getByRole('link', { name: 'Lupa kata sandi?' }));
  await waitFor(async () => expect(await tab.title()).toBe('Lupa kata sandi · Kabari'));
  expect(new URL(tab.url()).pathname).toBe('/auth/forgot-password/phone');
  expect(await tab.getByLabel('Nomor ponsel').inputValue()).toBe('+62 813-5550-3001');
  await press(tab, tab.getByRole('button', { name: 'Kirim kode' }));

  await arrivesAt(tab, '/auth/forgot-password/otp');
  await waitFor(async () => expect(await isFocused(tab, codeField(tab))).toBe(true));
  const code = await codeFor(address, phone, forNewPassword);
  await tab.keyboard.type(unlike(code));
  await tab.getByText('Kode tidak cocok. Sisa 4 percobaan.').waitFor();
  await look(tab, 'a code that was wrong');
  await waitFor(async () => expect(await isFocused(tab, codeField(tab))).toBe(true));
  await tab.keyboard.type(code);

  await arrivesAt(tab, '/auth/forgot-password/change');
  await tab.getByText(/Waktu yang tersisa: (10\.00|09\.)/).waitFor();
  const [password, repeat] = [
    tab.getByLabel('Kata sandi baru', { exact: true }),
    tab.getByLabel('Ulangi kata sandi baru', { exact: true }),
  ];
  await write(tab, password, 'password123');
  await write(tab, repeat, 'password124');
  await tab.keyboard.press('Enter');
  await tab.getByText('Kedua kata sandi ini berbeda.').waitFor();
  await look(tab, 'a new password with mistakes');
  await waitFor(async () => expect(await isFocused(tab, repeat)).toBe(true));
  await tab.keyboard.press('ControlOrMeta+a');
  await tab.keyboard.type('password123');
  await tab.keyboard.press('Enter');
  await tab.getByText('Kata sandi ini terlalu mudah ditebak. Pilih yang lain.').waitFor();
  await waitFor(async () => expect(await isFocused(tab, password)).toBe(true));

  await tab.reload();
  await write(tab, password, NEW_PASSWORD);
  await write(tab, repeat, NEW_PASSWORD);
  await tab.keyboard.press('Enter');
  await arrivesAt(tab, '/');
  await tab.getByText('Kata sandi sudah diganti. Sesi di browser lain diakhiri.').waitFor();
  await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
  // An intruder with the old password may have created a token: its owner has to check it.
  await press(tab, tab.getByRole('link', { name: /^Kasir\s*Perlu diperiksa/ }));
  const details = tab.getByRole('dialog', { name: 'Kasir' });
  await details.getByRole('button', { name: 'Tetap pakai' }).waitFor();

  await expect(ask(address, checkToken, {}, who.session)).rejects.toThrow(/401/);
  await expect(signIn(address, { phone, password: PASSWORD })).rejects.toThrow(/401/);
  await signIn(address, { phone, password: NEW_PASSWORD });
  const isNotified = async () =>
    (await textsIn(address, phone)).some((text) => /baru saja diganti/.test(text));
  await waitFor(isNotified);
  expect(faults).toEqual([]);
});

journey('an unknown number is answered like any other, and gets no code', async (stage) => {
  const { address } = stage.product;
  const { open } = await stage.person();
  const tab = await open();
  await askForPassword(tab, address, '081355503002');
  await tab.getByText(/Bila nomor ini terdaftar, kami mengirim enam angka/).waitFor();
  expect(await textsIn(address, '6281355503002')).toEqual([]);
  await tab.getByRole('link', { name: 'Ganti nomor' }).click();
  await arrivesAt(tab, '/auth/forgot-password/phone');
  await tab.getByRole('button', { name: 'Kirim kode' }).click();
  // The same number again: the page waits for the first code and requests no other.
  await arrivesAt(tab, '/auth/forgot-password/otp');
});

journey(
  'a new browser requires a code once and then shows the requested page, and the owner gets a notice',
  async (stage) => {
    const { address } = stage.product;
    const phone = '6281355503003';
    const who = await signUp(address, { name: 'Warung Pak Darto', phone });
    // Beranda may still be loading when the person signs out.
    const { open } = await stage.person({ expects: [refusal(401)] });
    const path = '/message-history?status=read&direction=out#atas';
    const tab = await open(path);
    await arrivesAt(tab, '/auth/login');
    await fillLogin(tab, who);
    await arrivesAt(tab, '/auth/verify-otp');
    await tab.getByText(/Browser ini belum dikenal/).waitFor();
    expect(await faultsHere(tab, 'a new browser')).toEqual([]);
    await tab.getByRole('heading', { name: 'Verifikasi browser' }).waitFor();
    await tab.reload();
    await tab.getByText(/Kirim ulang dalam 00\.[0-5]/).waitFor();
    const code = await codeFor(address, phone, forNewBrowser);
    await codeField(tab).evaluate((field, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', text);
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }, `Kode verifikasi Kabari: ${code}. Berlaku 5 menit.`);
    await arrivesAt(tab, '/message-history');
    expect(tab.url()).toBe(`${address}${path}`);
    expect(await tab.evaluate(() => localStorage.getItem('auth-redirect'))).toBeFalsy();
    await waitFor(async () =>
      (await textsIn(address, phone)).some((text) => /dibuka dari browser baru/.test(text)),
    );

    await tab.getByRole('button', { name: 'Keluar' }).click();
    await arrivesAt(tab, '/auth/login');
    await fillLogin(tab, who);
    await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
  },
);

journey('wrong, throttled and expired codes are reported as such', async (stage) => {
  const { address } = stage.product;
  const phone = '6281355503004';
  await signUp(address, { name: 'Kedai Kopi Senja', phone });
  const { open } = await stage.person({ expects: [wrongCode, goneCode, tooSoon] });
  const tab = await open();
  await tab.clock.install();
  await askForPassword(tab, address, phone);
  // This browser's clock runs ahead, but the server knows how long to wait. (First of all, while the minute lasts: a
  // slow machine may take longer for the rest.)
  await tab.clock.fastForward(61_000);
  await tab.getByRole('button', { name: 'Kirim ulang kode' }).click();
  await tab.getByText(/Kirim ulang dalam 00\.[0-5]/).waitFor();

  const code = await codeFor(address, phone, forNewPassword);
  for (const left of [4, 3, 2, 1]) {
    await codeField(tab).fill(unlike(code));
    await tab.getByText(`Kode tidak cocok. Sisa ${left} percobaan.`).waitFor();
  }
  await codeField(tab).fill(unlike(code));
  await tab.getByText('Kode tidak cocok. Minta kode baru.').waitFor();
  await codeField(tab).fill(code);
  const spent = 'Kode ini sudah dipakai atau percobaannya habis. Minta kode baru.';
  await tab.getByText(spent).waitFor();
  await tab.reload();
  await codeField(tab).waitFor();
  await tab.clock.fastForward(240_000);
  await tab.getByText('Kode sudah tidak berlaku. Minta kode baru.').waitFor();
});

journey('a code used in one tab is invalid in another', async (stage) => {
  const { address } = stage.product;
  const phone = '6281355503005';
  await signUp(address, { name: 'Bengkel Motor Abadi', phone });
  const { open } = await stage.person({ expects: [goneCode] });
  const first = await open();
  await askForPassword(first, address, phone);
  const waiting = await first.evaluate(() => sessionStorage.getItem('kept:otp-pending') ?? '');
  const twin = async () => {
    const tab = await open('/auth/forgot-password/phone');
    await tab.evaluate((text) => sessionStorage.setItem('kept:otp-pending', text), waiting);
    await tab.goto(`${address}/auth/forgot-password/otp`);
    await codeField(tab).waitFor();
    return tab;
  };
  const second = await twin();
  const code = await codeFor(address, phone, forNewPassword);
  await codeField(first).fill(code);
  await arrivesAt(first, '/auth/forgot-password/change');
  await second.getByText(/Kode ini sudah dipakai di tab lain/).waitFor();
  await second.getByRole('link', { name: 'Mulai lagi' }).click();
  await arrivesAt(second, '/auth/forgot-password/phone');

  // A later tab asks the server, which knows as well.
  const third = await twin();
  await codeField(third).fill(code);
  await third.getByText(/Kode ini sudah dipakai atau percobaannya habis/).waitFor();
  await first.clock.install();
  await first.reload();
  await first.getByLabel('Kata sandi baru', { exact: true }).waitFor();
  await first.clock.fastForward(601_000);
  await first
    .getByText('Waktu untuk mengganti kata sandi sudah habis.', { exact: false })
    .waitFor();
  expect(await first.evaluate(() => sessionStorage.getItem('kept:forgot-grant'))).toBeNull();
});

journey('signing in and out in one tab signs the others in and out', async (stage) => {
  const { address } = stage.product;
  const phone = '6281355503006';
  const who = await signUp(address, { name: 'Apotek Kasih', phone });
  const { open } = await stage.person({ expects: [refusal(401)] });
  const [first, second] = [await open('/auth/login'), await open('/auth/register')];
  await second.getByRole('button', { name: 'Daftar', exact: true }).waitFor();
  await fillLogin(first, who);
  await arrivesAt(first, '/auth/verify-otp');
  await codeField(first).fill(await codeFor(address, phone, forNewBrowser));
  await arrivesAt(first, '/');
  await arrivesAt(second, '/');
  await second.getByRole('heading', { name: 'Beranda' }).waitFor();

  const session = decode(await first.evaluate(() => localStorage.getItem('auth-token')));
  await first.getByRole('button', { name: 'Keluar' }).click();
  await arrivesAt(first, '/auth/login');
  await arrivesAt(second, '/auth/login');
  await expect(ask(address, checkToken, {}, session)).rejects.toThrow(/401/);
});
