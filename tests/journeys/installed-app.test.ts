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

journey('the app opens without a network, at any of its addresses', async ({ product, person }) => {
  const worker = await fetch(`${product.address}/sw.js`);
  expect(worker.headers.get('cache-control')).toBe('no-cache');
  expect(worker.headers.get('content-security-policy')).toContain("connect-src 'self'");

  const proxy = await proxyOf(product.address);
  const who = await person({ expects: [unreached] }, proxy.address);
  const tab = await openWithWorker(who, '/auth/login');
  await tab.goto(`${proxy.address}/auth/login`);
  await tab.getByRole('button', { name: 'Masuk', exact: true }).waitFor();

  await proxy.cut();
  await tab.goto(`${proxy.address}/auth/register`);
  await tab.getByRole('button', { name: 'Daftar', exact: true }).waitFor();
  await tab.goto(`${proxy.address}/auth/login`);
  await tab.getByRole('button', { name: 'Masuk', exact: true }).waitFor();
});

journey(
  'a page opened without a network loads when it returns, and retries keep the input of another',
  async ({ product, person }) => {
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
    await tab.goto(`${proxy.address}/auth/login`);
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

journey(
  'a chunk missing after a deploy reloads the page, except while a person types',
  async ({ product, person }) => {
    const { session } = await customer(product.address);
    const proxy = await proxyOf(product.address);
    const who = await person({ session }, proxy.address);
    const tab = await openWithWorker(who, '/token?view=new');
    const old = await scriptOf(tab);
    const missing = () =>
      tab.evaluate(() => void dispatchEvent(new Event('vite:preloadError', { cancelable: true })));
    const nextRequest = () =>
      tab.waitForResponse((response) => new URL(response.url()).pathname === '/');

    const first = nextRequest();
    await missing();
    await first;
    proxy.deploy();
    await tab.getByRole('dialog').getByLabel('Nama').fill('Kasir Toko');
    const second = nextRequest();
    await missing();
    await second;
    // Behind the dialog, where roles are hidden.
    await tab.locator('[aria-label="Versi baru"]').first().waitFor({ state: 'attached' });
    expect(await tab.getByRole('dialog').getByLabel('Nama').inputValue()).toBe('Kasir Toko');
    expect(await scriptOf(tab)).toBe(old);

    await tab.getByRole('dialog').getByLabel('Nama').fill('');
    await missing();
    await waitFor(async () => expect(await scriptOf(tab).catch(() => old)).not.toBe(old));
  },
);

journey(
  'the app is offered to a returning, active person, and not again after "later"',
  async ({ product: { address }, person }) => {
    const { session } = await customer(address);
    const { context, open } = await person({ session, worker: false });
    await context.addInitScript(() => {
      addEventListener('load', () => {
        const offer = new Event('beforeinstallprompt', { cancelable: true });
        const prompt = async () => {
          document.documentElement.dataset['asked'] = 'yes';
          return { outcome: 'accepted' };
        };
        dispatchEvent(Object.assign(offer, { prompt }));
      });
    });
    const act = async (tab: Page) => {
      await tab.getByRole('link', { name: 'Nomor', exact: true }).first().click();
      await tab.getByRole('button', { name: 'Tambah token' }).first().click();
      await tab.getByRole('dialog').getByLabel('Nama').fill(`Kasir ${Date.now()}`);
      await tab.getByRole('button', { name: 'Tambah', exact: true }).click();
      await tab.getByLabel('Kunci API').waitFor();
      await tab.getByRole('button', { name: 'Sudah saya simpan' }).click();
      await tab.getByRole('link', { name: 'Beranda', exact: true }).first().click();
      await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
    };
    const offer = (tab: Page) => tab.getByRole('region', { name: 'Pasang Kabari' });

    const first = await open('/');
    await act(first);
    expect(await offer(first).count()).toBe(0);

    const second = await open('/');
    await second.getByRole('heading', { name: 'Beranda' }).waitFor();
    expect(await offer(second).count()).toBe(0);
    await act(second);
    await offer(second).getByRole('button', { name: 'Pasang' }).click();
    await second.getByText('Kabari terpasang di perangkat ini.').waitFor();
    expect(await second.evaluate(() => document.documentElement.dataset['asked'])).toBe('yes');
    await waitFor(async () => expect(await offer(second).count()).toBe(0));

    const third = await open('/');
    await act(third);
    await offer(third).getByRole('button', { name: 'Nanti saja' }).click();
    await waitFor(async () => expect(await offer(third).count()).toBe(0));
    await third.reload();
    await act(third);
    expect(await offer(third).count()).toBe(0);
  },
);
