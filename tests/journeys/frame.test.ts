import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { budi, gone, shopAt } from './support/frame-shop.ts';
import { topUp } from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';

const journey = setUpSharedJourney();

/** On a phone each of these is fully visible: no bar covers its middle or upper edge. */
async function expectNothingHidden(tab: Page, box: Locator): Promise<void> {
  await tab.setViewportSize({ width: 390, height: 844 });
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
  await tab.setViewportSize({ width: 1440, height: 900 });
}

journey(
  'without a network the page says so, hides nothing on a phone, queues messages, and catches up',
  async (stage) => {
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
    await expectNothingHidden(tab, box);
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
  },
);
