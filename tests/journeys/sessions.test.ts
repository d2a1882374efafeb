import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import { safeTarget } from '#web/browser/redirect.ts';
import { decode, encode } from '#web/browser/session.ts';
import { returnTarget } from '#web/app/routes/useAuthRedirect.ts';
import { frames } from './browser/browser.ts';
import {
  ask,
  codeFor,
  type Customer,
  forNewBrowser,
  PASSWORD,
  signIn,
  signUp,
} from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';
import { arrivesAt, fillLogin } from './support/steps.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const shop = 'https://toko.example';
const journey = setUpJourney({ SIMULATOR_SPEED: '0', RETURN_ORIGINS: shop });

let registered: Promise<Customer> | undefined;
async function customer(address: string): Promise<Customer> {
  registered ??= signUp(address, { name: 'Klinik Sehat Sentosa', phone: '6281234567001' });
  const { phone } = await registered;
  return { ...(await registered), session: await signIn(address, { phone, password: PASSWORD }) };
}

const savedPath = async (tab: Page): Promise<string> =>
  decode(await tab.evaluate(() => localStorage.getItem('auth-redirect')));

const refusal = (status: number) => new RegExp(`status of ${status}`);

journey('a signed-out person is redirected to sign in, and back', async ({ product, person }) => {
  const who = await customer(product.address);
  const { open } = await person();
  const tab = await open();
  for (const path of ['/', '/token', '/saldo?kind=bonus', '/operator']) {
    await tab.goto(path);
    await arrivesAt(tab, '/auth/login');
    expect(await savedPath(tab)).toBe(path);
  }
  await tab.goto('/message-history?status=read&direction=out#atas');
  await arrivesAt(tab, '/auth/login');
  await fillLogin(tab, who);
  await arrivesAt(tab, '/auth/verify-otp');
  const code = await codeFor(product.address, who.phone, forNewBrowser);
  await tab.getByLabel('Kode verifikasi').fill(code);
  await arrivesAt(tab, '/message-history');
  expect(tab.url()).toBe(`${product.address}/message-history?status=read&direction=out#atas`);
  expect(await savedPath(tab)).toBe('');
});

journey('a signed-in person is redirected from the sign-in pages', async ({ product, person }) => {
  const { session } = await customer(product.address);
  const { open } = await person({ session });
  const tab = await open();
  const pages = ['login', 'register', 'verify-otp', 'forgot-password', 'forgot-password/change'];
  for (const path of ['/auth', ...pages.map((page) => `/auth/${page}`)]) {
    await tab.goto(product.address + path);
    await arrivesAt(tab, '/');
    await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
  }
});

journey('`from` and `callbackUrl` redirect to our own pages only', async ({ product, person }) => {
  const { session } = await customer(product.address);
  const { open } = await person({ session });
  const tab = await open('/?from=%2Ftoken&callbackUrl=%2Fsaldo%3Fkind%3Dbonus');
  await arrivesAt(tab, '/token');
  expect(new URL(tab.url()).search).toBe('?callbackUrl=%2Fsaldo%3Fkind%3Dbonus');
  await tab.goto(`${product.address}/auth/login?from=${encodeURIComponent(product.address)}/saldo`);
  await arrivesAt(tab, '/saldo');
});

const hostile = [
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https://evil.example/',
  'https:evil.example',
  'https://localhost@evil.example/',
  'javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '/\t/evil.example',
];

journey('no address redirects to another site', async ({ product, person }) => {
  const { session } = await customer(product.address);
  const { open, context } = await person({ session });
  const abroad: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== product.address) abroad.push(request.url());
  });
  const tab = await open('/');
  await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
  for (const value of hostile) {
    const raw = encodeURIComponent(value);
    await tab.evaluate((path) => localStorage.setItem('auth-redirect', path), encode(value));
    const known = tab.waitForResponse((response) =>
      /act=app_config/.test(response.request().postData() ?? ''),
    );
    await tab.goto(`${product.address}/auth/login?from=${raw}&callbackUrl=${raw}`);
    await known;
    await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
    await frames(tab);
    expect(new URL(tab.url())).toMatchObject({ origin: product.address, pathname: '/' });
  }
  expect(abroad).toEqual([]);

  await tab.goto(`${product.address}/?from=${encodeURIComponent(`${shop}/kembali`)}`);
  await tab.getByText('Anda akan dibawa ke toko.example.').waitFor();
  expect(abroad).toEqual([]);
});

const corpus = join(import.meta.dirname, '../../../shared/corpora/redirect.txt');

test.skipIf(!existsSync(corpus))('no collected redirect trick leaves our origin', () => {
  const home = 'https://kabari.example';
  const tricks = readFileSync(corpus, 'utf8').split('\n').filter(Boolean);
  expect(tricks.length).toBeGreaterThan(300);
  const away = tricks.flatMap((trick) =>
    [
      safeTarget(trick, home),
      safeTarget(`/${trick}`, home),
      returnTarget(`?from=${trick}`, home, []),
      returnTarget(`?from=${encodeURIComponent(trick)}`, home, []),
      returnTarget(`?from=/token&callbackUrl=${encodeURIComponent(trick)}`, home, []),
    ].filter(
      (target) =>
        target !== null && (!/^\/(?![/\\])/.test(target) || new URL(target, home).origin !== home),
    ),
  );
  expect(away).toEqual([]);
});

const unknown = ['/tidak-ada', '/token/7', '/scan'];

journey('an unknown address shows an error and a link home', async ({ product, person }) => {
  const { session } = await customer(product.address);
  const { open } = await person({ session, expects: [refusal(404)] });
  const tab = await open();
  for (const path of unknown) {
    await tab.goto(path);
    await tab.getByRole('heading', { name: 'Halaman tidak ditemukan' }).waitFor();
    expect(await tab.locator('main img').getAttribute('src')).toBe('/not-found.svg');
    await tab.getByRole('link', { name: 'Kembali ke Halaman Utama', exact: true }).click();
    await arrivesAt(tab, '/');
    await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
    const links = await tab.evaluate(() => [...document.links].map(({ pathname }) => pathname));
    expect(links).toContain('/saldo');
    expect(links.filter((link) => unknown.includes(link))).toEqual([]);
  }
});

journey('signing out in one tab signs out the others', async ({ product, person }) => {
  const { session } = await customer(product.address);
  const { open } = await person({ session, expects: [refusal(401)] });
  const [first, second] = [await open('/saldo'), await open('/token')];
  await second.getByRole('heading', { name: 'Nomor', exact: true }).waitFor();
  await first.getByRole('button', { name: 'Keluar' }).click();
  await arrivesAt(first, '/auth/login');
  await arrivesAt(second, '/auth/login');
  await expect(ask(product.address, checkToken, {}, session)).rejects.toThrow(/401/);
});

journey('a spinner fills the screen until the session is known', async ({ product, person }) => {
  const { session } = await customer(product.address);
  const { open } = await person({ session });
  const tab = await open();
  const released = Promise.withResolvers<void>();
  await tab.route('**/api', async (route) => {
    if (/act=user_check_token/.test(route.request().postData() ?? '')) await released.promise;
    await route.continue();
  });
  await tab.goto(product.address);
  const spinner = tab.getByRole('status').filter({ hasText: 'Memuat…' });
  // One spinner replaces another while the page loads: in between there is nothing to measure.
  await waitFor(async () => {
    const { width, height } = (await spinner.boundingBox()) ?? { width: 0, height: 0 };
    // The page reserves only the room of its scrollbar.
    expect(width).toBeGreaterThan(1440 - 20);
    expect(height).toBe(900);
  });
  expect(await tab.getByRole('navigation').count()).toBe(0);
  released.resolve();
  await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
  await spinner.waitFor({ state: 'detached' });
});
