import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { frames } from '#tests/journeys/browser/browser.ts';
import { signUp } from '#tests/journeys/support/portal.ts';
import { arrivesAt } from '#tests/journeys/support/steps.ts';
import { test } from '#tests/support/gallery.ts';
import { decode, encode } from '#web/browser/session.ts';

const address = inject('product');
const shop = 'https://toko.example';

let customer: Promise<string> | undefined;
const session = () =>
  (customer ??= signUp(address, { name: 'Klinik Sehat Sentosa', phone: '6281299300001' }).then(
    (one) => one.session,
  ));

const savePath = (tab: Page, path: string) =>
  tab.evaluate((text) => localStorage.setItem('auth-redirect', text), encode(path));

const home = (tab: Page) => tab.getByRole('heading', { name: 'Beranda' });

test('a signed-out person is redirected to sign in, and the address is saved', async ({
  person,
}) => {
  const { open } = await person();
  const tab = await open();
  for (const path of ['/', '/token', '/saldo?kind=bonus', '/operator']) {
    await tab.goto(path);
    await arrivesAt(tab, '/auth/login');
    const saved = await tab.evaluate(() => localStorage.getItem('auth-redirect'));
    expect(decode(saved)).toBe(path);
  }
});

test('a spinner fills the screen until the session is known, and the sign-in pages lead home', async ({
  person,
}) => {
  const { open } = await person({ session: await session() });
  const tab = await open();
  const released = Promise.withResolvers<void>();
  await tab.route('**/api', async (route) => {
    if (/act=user_check_token/.test(route.request().postData() ?? '')) await released.promise;
    await route.continue();
  });
  await tab.goto('/auth');
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
  await arrivesAt(tab, '/');
  await home(tab).waitFor();
  await spinner.waitFor({ state: 'detached' });
  for (const path of ['register', 'verify-otp', 'forgot-password/change']) {
    await tab.goto(`/auth/${path}`);
    await arrivesAt(tab, '/');
    await home(tab).waitFor();
  }
});

const hostile = [
  '//evil.example',
  '/\\evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
];

test('no address redirects to another site, except to an allowed one after a question', async ({
  person,
}) => {
  const { open, context } = await person({ session: await session() });
  const abroad: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== address) abroad.push(request.url());
  });
  const tab = await open('/not-found.svg');
  await tab.route('**/api', async (route) => {
    if (!/act=app_config/.test(route.request().postData() ?? '')) return route.continue();
    const { data, ...rest } = (await (await route.fetch()).json()) as { data: object };
    return route.fulfill({ json: { ...rest, data: { ...data, return_origins: [shop] } } });
  });
  for (const value of hostile) {
    const raw = encodeURIComponent(value);
    await savePath(tab, value);
    const known = tab.waitForResponse((response) =>
      /act=app_config/.test(response.request().postData() ?? ''),
    );
    await tab.goto(`/auth/login?from=${raw}&callbackUrl=${raw}`);
    await known;
    await home(tab).waitFor();
    await frames(tab);
    expect(new URL(tab.url())).toMatchObject({ origin: address, pathname: '/' });
  }
  for (const [saved, path] of [
    ['/auth/login', '/'],
    ['/operator/topups', '/'],
    ['/saldo?kind=bonus', '/saldo'],
  ] as const) {
    await savePath(tab, saved);
    await tab.goto('/auth/login');
    await arrivesAt(tab, path);
  }
  await tab.goto('/?from=%2Ftoken&callbackUrl=%2Fsaldo%3Fkind%3Dbonus');
  await arrivesAt(tab, '/token');
  expect(new URL(tab.url()).search).toBe('?callbackUrl=%2Fsaldo%3Fkind%3Dbonus');
  await tab.goto(`/auth/login?from=${encodeURIComponent(address)}/saldo`);
  await arrivesAt(tab, '/saldo');
  await tab.goto(`/?from=${encodeURIComponent(`${shop}/kembali`)}`);
  await tab.getByText('Anda akan dibawa ke toko.example.').waitFor();
  expect(abroad).toEqual([]);
});

test('an unknown address, and each of operators, shows a customer an error and a link home', async ({
  person,
}) => {
  const { open } = await person({ session: await session(), expects: [/status of 404/] });
  const tab = await open();
  const unknown = ['/tidak-ada', '/token/7', '/scan', '/operator', '/operator/pembukuan'];
  for (const path of unknown) {
    await tab.goto(path);
    await tab.getByRole('heading', { name: 'Halaman tidak ditemukan' }).waitFor();
    expect(await tab.locator('main img').getAttribute('src')).toBe('/not-found.svg');
  }
  await tab.getByRole('link', { name: 'Kembali ke Halaman Utama', exact: true }).click();
  await arrivesAt(tab, '/');
  await home(tab).waitFor();
  const links = await tab.evaluate(() => [...document.links].map(({ pathname }) => pathname));
  expect(links).toContain('/saldo');
  expect(links.filter((link) => unknown.includes(link))).toEqual([]);
});
