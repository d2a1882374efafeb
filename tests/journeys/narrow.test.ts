import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { settled } from './browser/browser.ts';
import { cutOff } from './browser/cut-off.ts';
import { signIn, topUp } from './support/portal.ts';
import { HOME } from './support/steps.ts';
import { shopAt } from './seeds/shop.ts';
import { setUpSharedJourney } from './support/stage.ts';

const journey = setUpSharedJourney();

/** A desktop at 100 %, smaller ones, one of 1440 px at 200 %, a phone, and the smallest phone. */
const widths = [1440, 1200, 1024, 720, 390, 320] as const;

async function lostAt(tab: Page, path: string): Promise<string[]> {
  const lost: string[] = [];
  for (const width of widths) {
    await tab.setViewportSize({ width, height: 900 });
    await settled(tab);
    const where = `${path} at ${width} px`;
    lost.push(...(await cutOff(tab)).map((what) => `${where}: ${what}`));
    const over = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) lost.push(`${where}: ${over} px too wide`);
  }
  return lost;
}

journey(
  'amounts and phone numbers are fully visible from a desktop to the smallest phone',
  async ({ product: { address }, person }) => {
    const { customer, sender, peer } = await shopAt(address);
    await topUp(address, customer, 9_000_000);
    const { open } = await person({ session: customer.session });
    const tab = await open(HOME);
    const thread = `view=percakapan&open=${sender.id}&peer=62813${55_010_001}`;
    const screens = [
      [HOME, () => tab.getByRole('row').nth(3)],
      ['/message-history', () => tab.getByRole('row').nth(3)],
      ['/saldo', () => tab.getByRole('row').nth(3)],
      ['/billing', () => tab.getByRole('row').nth(1)],
      ['/token', () => tab.getByRole('row').nth(1)],
      ['/message-history?view=percakapan', () => tab.getByRole('listitem').nth(3)],
      [`/message-history?${thread}`, () => tab.getByRole('article').first()],
      [`/simulator?phone=${peer}`, () => tab.getByRole('listitem').first()],
    ] as const;
    const lost: string[] = [];
    for (const [path, sight] of screens) {
      await tab.setViewportSize({ width: 1440, height: 900 });
      await tab.goto(address + path);
      await sight().waitFor();
      lost.push(...(await lostAt(tab, path)));
    }
    expect(lost).toEqual([]);
  },
);

journey(
  'amounts of an operator, and the public pages, fit from a desktop to the smallest phone',
  async ({ product: { address, operator }, person }) => {
    const { customer, waiting } = await shopAt(address);
    await topUp(address, customer, 9_000_000);
    const session = await signIn(address, operator);
    const { open } = await person({ session });
    const tab = await open('/operator');
    const lost: string[] = [];
    for (const path of [
      '/operator',
      '/operator/pelanggan?q=Batik',
      '/operator/isi-saldo?status=semua',
      '/operator/mutasi-bank?filter=semua',
    ]) {
      await tab.setViewportSize({ width: 1440, height: 900 });
      await tab.goto(address + path);
      await tab
        .getByText(/^Rp\s[\d.]+$/)
        .first()
        .waitFor();
      lost.push(...(await lostAt(tab, path)));
    }
    const guest = await person({ expects: [/status of 4(04|10)/] });
    const outside = await guest.open('/auth/login');
    for (const path of [waiting.scan, '/scan/x', '/simulator?bank=1', '/docs', '/tidak-ada']) {
      await outside.goto(new URL(path, address).href);
      await outside.getByRole('heading', { level: 1 }).first().waitFor();
      lost.push(...(await lostAt(outside, path)));
    }
    expect(lost).toEqual([]);
  },
);

journey(
  'at 200 % a table becomes cards, each with the price of its row',
  async ({ product: { address }, person }) => {
    const { customer } = await shopAt(address);
    const { open } = await person({ session: customer.session, width: 720 });
    const tab = await open('/message-history');
    const card = tab.getByRole('row', { name: /Resi: JX4401928810/ });
    await card.waitFor();
    const head = tab.locator('thead');
    const hidden = async () => ((await head.boundingBox())?.width ?? 0) <= 1;
    expect(await hidden()).toBe(true);
    expect(await card.innerText()).toMatch(/Biaya\s*Rp\s150/);
    await tab.goto(`${address}/saldo`);
    const entry = tab.getByRole('row', { name: /Isi saldo/ }).first();
    await entry.waitFor();
    expect(await entry.innerText()).toMatch(/Saldo setelahnya\s*Rp\s[\d.]+/);
  },
);
