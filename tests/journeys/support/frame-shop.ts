import { expect } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { waitFor } from '#tests/support/wait-for.ts';
import {
  deliverText,
  newSender,
  type Customer,
  type Sender,
  sendTexts,
  signUp,
  topUp,
} from './portal.ts';

export const budi = '6281299991001';
/** Test workers share a product: each has a shop of its own. */
const names = {
  name: 'Batik Kenanga',
  phone: `628135551600${process.env['VITEST_POOL_ID'] ?? 1}`,
};

type FrameShop = { customer: Customer; sender: Sender };

async function openFrameShop(address: string): Promise<FrameShop> {
  const customer = await signUp(address, names);
  await topUp(address, customer, 100_000);
  const sender = await newSender(address, customer, { name: 'Kasir', phone: names.phone });
  const many = Array.from({ length: 25 }, (_, index) => ({
    to: `6281355${String(600_001 + index)}`,
    text: `Pesanan nomor ${2_411 + index} sudah siap.`,
  }));
  await sendTexts(address, sender, many);
  await deliverText(address, sender, { to: budi, text: 'Jas Anda sudah selesai, Pak Budi.' });
  return { customer, sender };
}

const shops = new Map<string, Promise<FrameShop>>();

export const shopAt = (address: string): Promise<FrameShop> =>
  shops.getOrInsertComputed(address, openFrameShop);

export const heading = (tab: Page, name: string): Locator =>
  tab.getByRole('heading', { level: 1, name, exact: true });

export const palette = (tab: Page): Locator =>
  tab.getByRole('dialog', { name: 'Cari atau lompat' });

export const gone = (place: Locator): Promise<void> => place.waitFor({ state: 'detached' });

const isFocused = async (tab: Page, place: Locator): Promise<boolean> =>
  (await place.and(tab.locator(':focus')).count()) === 1;

export const takesFocus = (tab: Page, place: Locator) =>
  waitFor(async () => expect(await isFocused(tab, place)).toBe(true));

export async function ask(tab: Page, words: string): Promise<void> {
  await tab.keyboard.press('Control+k');
  await takesFocus(tab, tab.getByRole('combobox', { name: 'Cari atau lompat ke' }));
  await tab.keyboard.type(words);
  await tab.keyboard.press('Enter');
  await gone(palette(tab));
}
