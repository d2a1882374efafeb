import { expect, inject } from 'vitest';
import { heading, shopAt, takesFocus } from '#tests/journeys/support/frame-shop.ts';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const address = inject('product');

test('Back restores a page, headings take the focus, and the theme is there before the page', async ({
  person,
}) => {
  const { customer } = await shopAt(address);
  const { open, context } = await person({ session: customer.session, height: 500 });
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
