import type { BrowserContext, Locator, Page } from 'playwright-core';
import { PASSWORD } from './portal.ts';

export async function tabFrom(context: BrowserContext, click: () => Promise<void>): Promise<Page> {
  const [tab] = await Promise.all([context.waitForEvent('page'), click()]);
  await tab.waitForLoadState('domcontentloaded');
  return tab;
}

export const arrivesAt = (tab: Page, path: string): Promise<void> =>
  tab.waitForURL((url) => url.pathname === path);

export async function fillRegistration(
  tab: Page,
  { name, phone }: { name: string; phone: string },
): Promise<void> {
  await tab.getByLabel('Nama Anda atau nama usaha').fill(name);
  await tab.getByLabel('Nomor ponsel').fill(phone);
  await tab.getByLabel('Kata sandi', { exact: true }).fill(PASSWORD);
  await tab.getByLabel('Saya menyetujui syarat layanan').check();
  await tab.getByRole('button', { name: 'Daftar', exact: true }).click();
  await arrivesAt(tab, '/auth/verify-otp');
}

export async function fillLogin(
  tab: Page,
  { phone, password }: { phone: string; password: string },
): Promise<void> {
  await tab.getByLabel('Nomor ponsel').fill(phone);
  await tab.getByLabel('Kata sandi', { exact: true }).fill(password);
  await tab.getByRole('button', { name: 'Masuk', exact: true }).click();
}

export const rupiahIn = (text: string | null): number => Number((text ?? '').replace(/[^\d]/g, ''));

/** A list of conversations has two focus stops per row. */
const STEPS_MAX = 120;

export const isFocused = async (tab: Page, place: Locator): Promise<boolean> =>
  (await place.and(tab.locator(':focus')).count()) === 1;

/** Presses Tab until a place has the focus. @throws if it never does. */
async function tabTo(tab: Page, place: Locator): Promise<void> {
  // Found once, not at each step: a role is looked for in the whole page.
  let one = await place.elementHandle();
  for (let step = 0; step < STEPS_MAX; step++) {
    const isHere = await one?.evaluate((it) => it.isConnected && (it as Element).matches(':focus'));
    if (isHere) return;
    await tab.keyboard.press('Tab');
    if (!(await one?.evaluate((it) => it.isConnected))) one = await place.elementHandle();
  }
  throw new Error(`the focus never came to ${place.toString()}`);
}

export async function write(tab: Page, place: Locator, text: string): Promise<void> {
  await tabTo(tab, place);
  await tab.keyboard.type(text);
}

/** Beranda, also with unread messages: an address with a query is not the start of a visit. */
export const HOME = '/?home';

export async function press(tab: Page, place: Locator, key = 'Enter'): Promise<void> {
  await tabTo(tab, place);
  await tab.keyboard.press(key);
}
