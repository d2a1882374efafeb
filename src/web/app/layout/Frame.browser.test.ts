import { expect, inject } from 'vitest';
import { heading, shopAt, takesFocus } from '#tests/journeys/support/frame-shop.ts';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const address = inject('product');

test('Back restores a page, and headings take the focus', async ({ person }) => {
  const { customer } = await shopAt(address);
  const { open } = await person({ session: customer.session, height: 500 });
  const tab = await open('/message-history');
  await tab.locator('tbody [data-row="open"]').nth(9).waitFor();
  await tab.keyboard.press('Tab');
  await tab.keyboard.press('Enter');
  await takesFocus(tab, tab.locator('main'));
  expect(tab.url()).toBe(`${address}/message-history`);

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
});
