import type { Page } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import type { Person } from './browser/browser.ts';
import { type ProductProxy, openProxy } from './support/proxy.ts';
import { signUp, type Customer } from './support/portal.ts';
import { workerOf } from './support/push.ts';
import { setUpSharedJourney } from './support/stage.ts';

const journey = setUpSharedJourney('whole');
const proxies: ProductProxy[] = [];
afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.cut())));

const proxyOf = async (product: string): Promise<ProductProxy> => {
  const proxy = await openProxy(product);
  proxies.push(proxy);
  return proxy;
};

let registered: Promise<Customer> | undefined;
const customer = (address: string): Promise<Customer> =>
  (registered ??= signUp(address, { name: 'Batik Kenanga', phone: '6281234567801' }));

async function openWithWorker({ context, open }: Person, path: string): Promise<Page> {
  const tab = await open(path);
  await workerOf(context, tab);
  return tab;
}

const unreached =
  /ERR_(?:CONNECTION|FAILED|INTERNET|EMPTY|SOCKET|INCOMPLETE)|Failed to fetch|status of 5/;

const scriptOf = (tab: Page): Promise<string | null> =>
  tab.evaluate(() => document.querySelector('script[type="module"]')?.getAttribute('src') ?? null);

journey(
  'the app opens without a network at any address, loads when it returns, and retries keep the input',
  async ({ product, person }) => {
    const script = await fetch(`${product.address}/sw.js`);
    expect(script.headers.get('cache-control')).toBe('no-cache');
    expect(script.headers.get('content-security-policy')).toContain("connect-src 'self'");

    const { session } = await customer(product.address);
    const proxy = await proxyOf(product.address);
    const who = await person({ session, expects: [unreached] }, proxy.address);
    const tab = await openWithWorker(who, '/saldo?kind=bonus');
    const page = tab.getByRole('heading', { name: 'Saldo', exact: true, level: 1 });
    await page.waitFor();

    await who.context.setOffline(true);
    await tab.reload();
    await tab.getByRole('heading', { name: 'Belum tersambung' }).waitFor();
    expect(new URL(tab.url()).pathname).toBe('/saldo');
    await who.context.setOffline(false);
    await page.waitFor();
    expect(new URL(tab.url()).search).toBe('?kind=bonus');

    // The browser has a network; only the server is unreachable, as during a deploy.
    await proxy.cut();
    await tab.reload();
    await tab.getByText('Server belum dapat dihubungi.').waitFor();
    expect(new URL(tab.url()).pathname).toBe('/saldo');
    await proxy.mend();
    await page.waitFor();
    expect(new URL(tab.url()).search).toBe('?kind=bonus');

    await proxy.cut();
    await tab.goto(`${proxy.address}/auth/register`);
    await tab.getByRole('button', { name: 'Daftar', exact: true }).waitFor();
    await tab.goto(`${proxy.address}/auth/login`);
    await tab.getByRole('button', { name: 'Masuk', exact: true }).waitFor();
    const phone = tab.getByLabel('Nomor ponsel');
    await phone.fill('0812');
    const typed = await phone.inputValue();
    let tries = 0;
    tab.on('requestfailed', (request) => (tries += request.url().endsWith('/api') ? 1 : 0));
    await waitFor(() => expect(tries).toBeGreaterThan(2));
    expect(await phone.inputValue()).toBe(typed);
    await proxy.mend();
    await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
  },
);

journey('a newer version is loaded after a click', async ({ product, person }) => {
  const { session } = await customer(product.address);
  const proxy = await proxyOf(product.address);
  const tab = await openWithWorker(await person({ session }, proxy.address), '/');
  await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
  const old = await scriptOf(tab);

  proxy.deploy();
  await tab.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update();
  });
  const news = tab.getByRole('region', { name: 'Versi baru' }).first();
  await news.getByText('Versi baru tersedia').waitFor();
  expect(await scriptOf(tab)).toBe(old);

  await news.getByRole('button', { name: 'Muat ulang' }).click();
  await waitFor(async () => expect(await scriptOf(tab).catch(() => old)).not.toBe(old));
  await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
  // It was accepted, so the notice must not return. (Chromium decides when the waiting worker takes over: at the latest
  // when the last tab of the old one is closed.)
  await waitFor(async () => expect(await news.isVisible()).toBe(false));
});
