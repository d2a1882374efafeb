import type { BrowserContext, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { gone, heading, shopAt } from '#tests/journeys/support/frame-shop.ts';
import { arrivesAt } from '#tests/journeys/support/steps.ts';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const address = inject('product');
const away =
  /^Server tidak menjawab\. Yang tampil dari pukul \d\d\.\d\d\. Kabari otomatis mencoba lagi/;
const expects = [/ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED/, /dynamically imported/];

/** Refuses all connections while `off`; the live stream always, because an open one cannot be cut. */
async function powerOf(context: BrowserContext) {
  const power = { off: false, acts: [] as string[] };
  await context.route('**/*', (route) => {
    const act = /(?:^|&)act=(\w+)/.exec(route.request().postData() ?? '')?.[1] ?? '';
    if (power.off || act === 'events') return route.abort('connectionrefused');
    power.acts.push(act);
    return route.continue();
  });
  return power;
}

/** Waits for the words of the bar, which cannot be loaded while the server is away. */
const barLoaded = (tab: Page) =>
  tab.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('OfflineWords')),
  );

test('a server that is away and a missing network have different banners, and refetched when it is back', async ({
  person,
}) => {
  const { customer } = await shopAt(address);
  const { open, context } = await person({ session: customer.session, expects });
  const power = await powerOf(context);
  const tab = await open('/message-history');
  await tab.getByRole('row').nth(3).waitFor();
  await barLoaded(tab);
  const banner = tab.getByRole('status').filter({ hasText: 'Server tidak menjawab.' });
  expect(await banner.count()).toBe(0);
  power.off = true;
  await tab.getByText(away).waitFor();
  await context.setOffline(true);
  await tab.getByText(/^Anda sedang offline\..* Yang tampil dari pukul \d\d\.\d\d\.$/).waitFor();
  expect(await banner.count()).toBe(0);
  await context.setOffline(false);
  await tab.getByText(away).waitFor();
  power.acts = [];
  power.off = false;
  await gone(banner);
  for (const act of ['message_list', 'saldo_summary']) {
    await waitFor(() => expect(power.acts).toContain(act));
  }

  // A page whose code is not loaded yet opens by itself later.
  power.off = true;
  await tab.getByRole('link', { name: 'Tagihan', exact: true }).first().click();
  await heading(tab, 'Halaman belum termuat').waitFor();
  await tab.getByRole('button', { name: 'Coba sekarang' }).waitFor();
  power.off = false;
  await heading(tab, 'Tagihan').waitFor();
});

test('visitors see that the server is away too, and the documentation opens when it is back', async ({
  person,
}) => {
  // The sign-in of an unknown number is refused, if its captcha is solved after the server is back.
  const { open, context } = await person({ expects: [...expects, /status of 401/] });
  const power = await powerOf(context);
  const tab = await open('/auth/login');
  await tab.getByLabel('Nomor ponsel').fill('081355504001');
  await tab.getByLabel('Kata sandi', { exact: true }).fill('Sandi-yang-panjang-1');
  await barLoaded(tab);
  power.off = true;
  await tab.getByRole('button', { name: 'Masuk', exact: true }).click();
  await tab.getByText(/^Server tidak menjawab\./).waitFor();
  power.off = false;
  await gone(tab.getByText(/^Server tidak menjawab\./));

  await tab.goto('/docs');
  await tab.getByRole('heading', { name: 'Kesalahan', exact: true }).waitFor();
  await barLoaded(tab);
  power.off = true;
  const pages = tab.getByRole('navigation', { name: 'Halaman dokumentasi' });
  await pages.getByRole('link', { name: 'Webhook', exact: true }).click();
  await tab.getByText(/^Tidak dapat terhubung ke server\./).waitFor();
  await tab.getByRole('button', { name: 'Coba lagi' }).waitFor();
  await tab.getByText(/^Server tidak menjawab\./).waitFor();
  power.off = false;
  await tab.getByRole('article').waitFor();
  await arrivesAt(tab, '/docs');
  await gone(tab.getByText(/^Server tidak menjawab\./));
});
