import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPushService } from '#tests/push/push-service.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { openFirefox, startFirefox } from './browser/firefox.ts';
import { openProxy } from './support/proxy.ts';
import { answerFrom, newSender, type Sender, signUp } from './support/portal.ts';
import { startProduct } from './support/product.ts';
import { storedToken } from './support/push.ts';

const service = await startPushService();
const peer = '62800000031';
const DELIVERED = 100;
let product: Awaited<ReturnType<typeof startProduct>>;
let proxy: Awaited<ReturnType<typeof openProxy>>;
let browser: Browser;
let session: string;
let sender: Sender;
let tab: Page;

beforeAll(async () => {
  [product, browser] = await Promise.all([
    startProduct({ SIMULATOR_SPEED: '0', PUSH_SERVICES: service.origin }),
    startFirefox(service),
  ]);
  proxy = await openProxy(product.address);
  const who = await signUp(product.address, { name: 'Batik Kenanga', phone: '6281234569001' });
  sender = await newSender(product.address, who, { name: 'Kasir', phone: '6281234569002' });
  ({ session } = who);
  tab = await openFirefox(browser, proxy.address, session);
});
afterAll(async () => {
  await browser?.close();
  await proxy?.cut();
  await product?.stop();
  await service.close();
});

const answer = (text: string) => answerFrom(product.address, peer, { sender, text });
const taken = () => service.posts.filter(({ status }) => status === 201);
const delivered = () => service.acks.filter(({ code }) => code === DELIVERED).length;

test('delivers a message to a page in Firefox by encrypted push', async () => {
  await tab.goto(`${proxy.address}/`);
  await waitFor(() => expect(service.endpoints().length).toBe(1));
  await tab.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await tab.evaluate(() => {
    const observed: unknown[] = [];
    Object.assign(globalThis, { observed });
    navigator.serviceWorker.addEventListener('message', ({ data }) => void observed.push(data));
  });
  // The subscription exists a moment before our server stores it.
  await waitFor(async () =>
    expect(await tab.evaluate(storedToken)).toMatchObject({
      token: expect.stringMatching(/^psh_/),
    }),
  );
  await answer('Rahasia: warna marun');
  await waitFor(() => expect(delivered()).toBe(1));
  const observed = () =>
    tab.evaluate(() => (globalThis as unknown as { observed: unknown[] }).observed);
  await waitFor(async () =>
    expect(await observed()).toMatchObject([
      { kind: 'push', title: 'Pesan baru dari +62 800-0000-31', body: 'Pesan baru' },
    ]),
  );
  expect(taken()[0]?.headers['content-encoding']).toBe('aes128gcm');
  expect(taken()[0]?.body.toString('latin1')).not.toMatch(/web_push|Rahasia/);
});

test('arrives in Firefox without an open page', async () => {
  const empty = await browser.newPage();
  await tab.close();
  tab = empty;
  await answer('Ada orang?');
  await waitFor(() => expect(delivered()).toBe(2));
});

test('renews a subscription that the push service dropped, without an open page', async () => {
  const before = new Set(service.endpoints());
  // The server learns it first, from the service's answer to a post.
  service.reach(false);
  service.rotate();
  await answer('Siapa di sana?');
  await waitFor(() => expect(service.posts.at(-1)?.status).toBe(410));
  service.reach(true);
  // A slow Firefox may subscribe twice; the server posts to the last subscription.
  const isNew = (endpoint: string) =>
    !before.has(endpoint) && service.endpoints().includes(endpoint);
  await waitFor(() => expect(service.endpoints().some(isNew)).toBe(true));
  await waitFor(async () => {
    await answer('Masih di sana?');
    expect(taken().some(({ endpoint }) => isNew(endpoint))).toBe(true);
  });
  await waitFor(() => expect(delivered() >= 3).toBe(true));
});

test('opens the app in Firefox without a network', async () => {
  await tab.goto(`${proxy.address}/saldo`);
  await tab.waitForSelector('h1');
  await proxy.cut();
  await tab.goto(`${proxy.address}/message-history`);
  await tab.waitForSelector('#root > *');
  expect(await tab.title()).toContain('Kabari');
});

test('ends the subscription on sign-out, in the browser and on the server', async () => {
  const reopened = await openFirefox(browser, product.address, session);
  tab = reopened;
  const others = service.endpoints();
  await tab.goto(`${product.address}/`);
  const own = () => service.endpoints().filter((endpoint) => !others.includes(endpoint));
  await waitFor(() => expect(own().length).toBe(1));
  await waitFor(async () =>
    expect(await tab.evaluate(storedToken)).toMatchObject({
      token: expect.stringMatching(/^psh_/),
    }),
  );
  await (await tab.waitForSelector('::-p-aria([name="Keluar"][role="button"])'))?.click();
  await tab.waitForSelector('form');
  await waitFor(() => expect(own()).toEqual([]));
  const databases = () => tab.evaluate(async () => (await indexedDB.databases()).length);
  await waitFor(async () => expect(await databases()).toBe(0));
});
