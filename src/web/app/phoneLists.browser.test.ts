import { expect, inject } from 'vitest';
import { exportMessages } from '#contract/exports.ts';
import { addOptout } from '#contract/messages/optouts.ts';
import { shopAt } from '#tests/journeys/seeds/shop.ts';
import { ask } from '#tests/journeys/support/portal.ts';
import { boxOf, test } from '#tests/support/gallery.ts';

const address = inject('product');
/** The lowest begin of a list on a phone of 390 x 844, in px. */
const FIRST_ROW_PX = 220;

test('on a phone each list begins in the upper quarter of the screen', async ({ person }) => {
  const { customer, sender } = await shopAt(address);
  const { session } = customer;
  const stopped = { token_id: sender.id, peer: '+6281234567091', reason: 'Meminta lewat telepon' };
  await ask(address, addOptout, stopped, session);
  await ask(address, exportMessages, { format: 'csv' }, session);
  const { open } = await person({ session, width: 390, height: 844 });
  const tab = await open('/profile');
  const row = 'tbody tr:not([aria-hidden])';
  const lists = [
    ['/message-history', `${row}:has([data-row="open"])`],
    ['/message-history?view=percakapan', '[data-conversation]'],
    ['/message-history/kiriman', row],
    ['/message-history/ekspor', 'main section li'],
    ['/message-history/berhenti', row],
    ['/token', row],
    ['/saldo', row],
    ['/billing', row],
    ['/customer-service', 'main section li'],
  ] as const;
  const low: string[] = [];
  for (const [path, first] of lists) {
    await tab.goto(path);
    const place = tab.locator(first).first();
    await place.waitFor();
    const { y } = await boxOf(place);
    if (y > FIRST_ROW_PX) low.push(`${path}: ${y} px`);
  }
  expect(low).toEqual([]);
});

test('on a phone an element that takes the focus is between the bars', async ({ person }) => {
  const { customer } = await shopAt(address);
  const { open } = await person({ session: customer.session, width: 390, height: 844 });
  const tab = await open('/message-history?view=percakapan');
  const rows = tab.locator('[data-conversation]');
  await rows.nth(15).waitFor();
  const top = await boxOf(tab.getByRole('banner'));
  const bar = await boxOf(tab.getByRole('navigation', { name: 'Menu bawah' }));
  const hidden: string[] = [];
  const look = async (key: string) => {
    await tab.keyboard.press(key);
    const { y, bottom } = await tab
      .locator(':focus')
      .evaluate((one) => one.getBoundingClientRect());
    if (y < top.y + top.height || bottom > bar.y) hidden.push(`${key}: ${y} px`);
  };
  await rows.first().focus();
  for (let step = 0; step < 30; step += 1) await look('Tab');
  for (let step = 0; step < 30; step += 1) await look('Shift+Tab');
  expect(hidden).toEqual([]);
});
