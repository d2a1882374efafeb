import type { Page, Response } from 'playwright-core';
import { expect, inject } from 'vitest';
import { frames } from '#tests/journeys/browser/browser.ts';
import { gone, heading } from '#tests/journeys/support/frame-shop.ts';
import { newSender, signUp } from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { faultsHere } from '#tests/support/one-look.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const address = inject('product');

const customer = async (phone: string): Promise<string> =>
  (await signUp(address, { name: 'Batik Kenanga', phone })).session;

const isAbout = (act: string, answer: Response): boolean =>
  new URLSearchParams(answer.request().postData() ?? '').get('act') === act;

test('a new version is announced, and never forced', async ({ person }) => {
  const { open } = await person({ session: await customer('6281299300011') });
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

const scriptOf = (tab: Page): Promise<string | null> =>
  tab.evaluate(() => document.querySelector('script[type="module"]')?.getAttribute('src') ?? null);

test('a chunk missing after a deploy reloads the page, except while a person types', async ({
  person,
}) => {
  const { open } = await person({ session: await customer('6281299300012') });
  const tab = await open();
  let deployed = false;
  await tab.route(
    (url) => url.pathname === '/' || url.pathname === '/token',
    async (route) => {
      if (!deployed) return route.continue();
      const response = await route.fetch();
      // The same file under another spelling: another address would run the app twice.
      const text = (await response.text()).replace('src="/assets', 'src="/./assets');
      return route.fulfill({ response, body: text });
    },
  );
  await tab.goto('/token?view=new');
  const name = tab.getByRole('dialog').getByLabel('Nama');
  await name.waitFor();
  const old = await scriptOf(tab);
  /** Reports a missing part, and waits until the page has looked for another version. */
  const missing = async () => {
    const looked = tab.waitForResponse((response) => new URL(response.url()).pathname === '/');
    await tab.evaluate(
      () => void dispatchEvent(new Event('vite:preloadError', { cancelable: true })),
    );
    await looked;
  };
  await missing();
  deployed = true;
  await name.fill('Kasir Toko');
  await missing();
  // Behind the dialog, where roles are hidden.
  await tab.locator('[aria-label="Versi baru"]').first().waitFor({ state: 'attached' });
  expect(await name.inputValue()).toBe('Kasir Toko');
  expect(await scriptOf(tab)).toBe(old);

  await name.fill('');
  await missing();
  await waitFor(async () => expect(await scriptOf(tab).catch(() => old)).not.toBe(old));
});

test('the app is offered to a returning, active person, and not again after "later"', async ({
  person,
}) => {
  // With a number: the first steps of a new account make its token, in one of several tabs.
  const who = await signUp(address, { name: 'Batik Kenanga', phone: '6281299300013' });
  await newSender(address, who, { name: 'Kasir', phone: who.phone });
  const { context, open } = await person({ session: who.session });
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
  let saved = 0;
  const act = async (tab: Page) => {
    await tab.getByRole('link', { name: /^Profil / }).click();
    await tab.getByLabel('Nama Anda atau nama usaha').fill(`Batik ${(saved += 1)}`);
    await tab.getByRole('button', { name: 'Simpan profil' }).click();
    await tab.getByText('Profil disimpan.').first().waitFor();
    await tab.getByRole('link', { name: 'Beranda', exact: true }).first().click();
    await heading(tab, 'Beranda').waitFor();
  };
  const offer = (tab: Page) => tab.getByRole('region', { name: 'Pasang Kabari' });

  const first = await open('/');
  await act(first);
  expect(await offer(first).count()).toBe(0);

  const second = await open('/');
  await heading(second, 'Beranda').waitFor();
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
});
