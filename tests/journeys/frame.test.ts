import type { Locator, Response } from 'playwright-core';
import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { faultsHere } from '#tests/support/one-look.ts';
import { frames } from './browser/browser.ts';
import { ask, budi, gone, heading, shopAt, takesFocus } from './support/frame-shop.ts';
import { answerFrom, topUp } from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';

const journey = setUpSharedJourney();

const isAbout = (act: string, answer: Response): boolean =>
  new URLSearchParams(answer.request().postData() ?? '').get('act') === act;

journey('without a network the page says so, queues messages, and catches up', async (stage) => {
  const { product, person } = stage;
  const { customer, sender } = await shopAt(product.address);
  const { open, context } = await person({
    session: customer.session,
    expects: [/ERR_INTERNET_DISCONNECTED/],
  });
  const tab = await open(`/message-history?view=percakapan&open=${sender.id}&peer=${budi}`);
  const box = tab.getByLabel(/^Tulis pesan untuk/);
  await box.waitFor();
  // Attributes are written only while they apply: each one makes the browser restyle the page.
  const styleOf = (name: string) =>
    tab.evaluate((one) => document.documentElement.style.getPropertyValue(one), name);
  expect([await styleOf('--above'), await styleOf('--topbar')]).toEqual(['', '']);
  await context.setOffline(true);
  await tab.getByText('Anda sedang offline. Pesan akan dikirim saat tersambung.').waitFor();
  await waitFor(async () => expect(await styleOf('--above')).toMatch(/^[1-9]\d*px$/));
  await box.fill('Boleh diambil sampai pukul 17.00.');
  await box.press('Enter');
  await tab.getByText('1 pesan menunggu tersambung.').waitFor();
  await tab.getByRole('navigation', { name: 'Menu utama' }).getByText('Pesan').focus();
  await tab.getByRole('link', { name: 'Lihat', exact: true }).click();
  await topUp(product.address, customer, 25_000);
  const requested = new Set<string>();
  tab.on('response', (answer) => {
    const act = /(?:^|&)act=(\w+)/.exec(answer.request().postData() ?? '')?.[1];
    if (act) requested.add(act);
  });
  await context.setOffline(false);
  const bubble = tab.getByRole('article').filter({ hasText: 'sampai pukul 17.00' });
  await waitFor(async () => expect(await bubble.innerText()).toMatch(/Terkirim|Sampai|Dibaca/));
  await gone(tab.getByText('Anda sedang offline. Pesan akan dikirim saat tersambung.'));
  await waitFor(async () => expect(await styleOf('--above')).toBe('0px'));
  expect(await tab.getByText('menunggu tersambung').count()).toBe(0);
  // Everything on the screen is requested again, however recent, with or without an event.
  for (const act of ['saldo_summary', 'conversation_list', 'app_config']) {
    await waitFor(() => expect([...requested]).toContain(act));
  }
});

journey('a new version is announced, and never forced', async ({ product, person }) => {
  const { customer } = await shopAt(product.address);
  const { open } = await person({ session: customer.session });
  const tab = await open();
  await tab.clock.install();
  let deployed = false;
  await tab.route('**/api', async (route) => {
    if (!deployed || !/act=app_config/.test(route.request().postData() ?? '')) {
      return route.continue();
    }
    const response = await route.fetch();
    const { data, ...envelope } = (await response.json()) as { data: object };
    await route.fulfill({ response, json: { ...envelope, data: { ...data, build: 'next' } } });
  });
  await tab.goto('/message-history');
  const search = tab.getByRole('searchbox', { name: 'Cari nomor, nama, atau kata' });
  // Requests in progress would time out when five minutes pass at once.
  const listed = tab.waitForResponse(
    (answer) =>
      isAbout('message_list', answer) && /\bq=081\b/.test(answer.request().postData() ?? ''),
  );
  await search.pressSequentially('081');
  await (await listed).finished();
  await frames(tab);
  const untouched = tab.locator('html[data-untouched]');
  await tab.evaluate(() => document.documentElement.setAttribute('data-untouched', ''));
  const newVersion = tab.getByRole('region', { name: 'Versi baru' });
  /** Advances five minutes, and waits for the answer of the following check. */
  const fiveMinutes = async () => {
    const answered = tab.waitForResponse((answer) => isAbout('app_config', answer));
    await tab.clock.fastForward(300_500);
    await (await answered).finished();
    await frames(tab);
  };
  await fiveMinutes();
  expect(await newVersion.count()).toBe(0);

  deployed = true;
  await fiveMinutes();
  await newVersion.waitFor();
  await tab.getByRole('status').getByText('Versi baru tersedia.').waitFor();
  await fiveMinutes();
  expect(await search.inputValue()).toBe('081');
  expect(await untouched.count()).toBe(1);
  expect(await faultsHere(tab, 'new version')).toEqual([]);
  deployed = false;
  await newVersion.getByRole('button', { name: 'Muat ulang' }).click();
  await gone(untouched);
  await heading(tab, 'Pesan').waitFor();
  expect(await newVersion.count()).toBe(0);
});

journey('the title and the icon show the unread count', async ({ product, person }) => {
  const { customer, sender } = await shopAt(product.address);
  const { open } = await person({ session: customer.session });
  const tab = await open('/token');
  await heading(tab, 'Nomor').waitFor();
  const icon = () => tab.locator('link[rel="icon"]').first().getAttribute('href');
  await waitFor(async () => expect(await tab.title()).toBe('Nomor · Kabari'));
  expect(await icon()).toBe('/favicon.svg');
  await answerFrom(product.address, budi, { sender, text: 'Saya ambil sore ini' });
  await waitFor(async () => expect(await tab.title()).toBe('(1) Nomor · Kabari'));
  await waitFor(async () => expect(await icon()).toBe('/favicon-unread.svg'));
  await tab
    .getByRole('status')
    .getByText(/^Pesan baru dari /)
    .waitFor({ state: 'attached' });
  const badge = tab.getByRole('navigation', { name: 'Menu utama' }).getByRole('link', {
    name: 'Pesan 1 belum dibaca',
  });
  await badge.waitFor();
  await ask(tab, 'percakapan');
  await tab.getByRole('link', { name: /Saya ambil sore ini/ }).click();
  await waitFor(async () => expect(await tab.title()).toBe('Pesan · Kabari'));
  await waitFor(async () => expect(await icon()).toBe('/favicon.svg'));
});

journey('Back restores a page, and headings take the focus', async (stage) => {
  const { product, person } = stage;
  const { customer } = await shopAt(product.address);
  const { open, context } = await person({ session: customer.session, height: 500 });
  const tab = await open('/message-history');
  await tab.locator('tbody [data-row="open"]').nth(9).waitFor();
  await tab.keyboard.press('Tab');
  await tab.keyboard.press('Enter');
  await takesFocus(tab, tab.locator('main'));
  expect(tab.url()).toBe(`${product.address}/message-history`);

  const scrolled = () => tab.evaluate(() => Math.round(window.scrollY));
  await tab.evaluate(() => window.scrollTo(0, 300));
  await waitFor(async () => expect(await scrolled()).toBe(300));
  await tab
    .getByRole('navigation', { name: 'Menu utama' })
    .getByRole('link', { name: 'Saldo', exact: true })
    .click();
  await takesFocus(tab, heading(tab, 'Saldo'));
  expect(await tab.title()).toBe('Saldo · Kabari');
  await waitFor(async () => expect(await scrolled()).toBe(0));
  await tab.goBack();
  await heading(tab, 'Pesan').waitFor();
  await waitFor(async () => expect(await scrolled()).toBe(300));
  await tab.goForward();
  await takesFocus(tab, heading(tab, 'Saldo'));
  await waitFor(async () => expect(await scrolled()).toBe(0));

  await tab.evaluate(() => localStorage.setItem('ui-theme', 'dark'));
  await context.addInitScript(() => {
    new MutationObserver((_, watcher) => {
      if (!document.body) return;
      watcher.disconnect();
      sessionStorage.setItem('first-theme', document.documentElement.dataset['theme'] ?? 'none');
    }).observe(document, { childList: true, subtree: true });
  });
  await tab.reload();
  await heading(tab, 'Saldo').waitFor();
  expect(await tab.evaluate(() => sessionStorage.getItem('first-theme'))).toBe('dark');
});

journey('on a phone without a network nothing hides behind the bars', async (stage) => {
  const { product, person } = stage;
  const { customer, sender } = await shopAt(product.address);
  const { open, context } = await person({
    session: customer.session,
    width: 390,
    expects: [/ERR_INTERNET_DISCONNECTED/],
  });
  const tab = await open(`/message-history?view=percakapan&open=${sender.id}&peer=${budi}`);
  const box = tab.getByLabel(/^Tulis pesan untuk/);
  await box.waitFor();
  await context.setOffline(true);
  await box.fill('Kami tunggu di toko.');
  await box.press('Enter');
  // Each is fully visible: nothing covers its middle or upper edge.
  const inSight = (place: Locator) =>
    place.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return [top + 2, top + height / 2].every((y) => {
        const there = document.elementFromPoint(left + width / 2, y);
        return there !== null && (element.contains(there) || there.contains(element));
      });
    });
  for (const place of [
    tab.getByText('1 pesan menunggu tersambung.'),
    tab.getByRole('banner').getByRole('button', { name: /^Akun/ }),
    tab.getByRole('link', { name: 'Kembali ke daftar' }),
    box,
  ]) {
    await place.waitFor();
    await waitFor(async () => expect(await inSight(place)).toBe(true));
  }
  await context.setOffline(false);
  const bubble = tab.getByRole('article').filter({ hasText: 'Kami tunggu di toko.' });
  await waitFor(async () => expect(await bubble.innerText()).toMatch(/Terkirim|Sampai|Dibaca/));
});
