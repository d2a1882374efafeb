import type { Locator, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import { exportMessages } from '#contract/exports.ts';
import { addOptout } from '#contract/messages/optouts.ts';
import { adjustSaldo } from '#contract/operator/books.ts';
import { createTopup } from '#contract/saldo.ts';
import { simulatedTransfer } from '#contract/simulator.ts';
import { createToken, linkToken } from '#contract/tokens.ts';
import { addresses } from '#web/app/routes/addresses.ts';
import { operatorAddresses } from '#web/features/operator/addresses.ts';
import { settled } from '#tests/journeys/browser/browser.ts';
import { cutOff } from '#tests/journeys/browser/cut-off.ts';
import { shopAt } from '#tests/journeys/seeds/shop.ts';
import { ask, signIn, topUp } from '#tests/journeys/support/portal.ts';
import { HOME } from '#tests/journeys/support/steps.ts';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const address = inject('product');

/** A desktop at 100 %, smaller ones, and one of 1440 px at 200 %. */
const DESKTOPS = [1440, 1200, 1024, 720] as const;
/** A phone, and the smallest phone. */
const PHONES = [390, 320] as const;

/** The lowest begin of a list on a phone of 390 x 844, in px. */
const FIRST_ROW_PX = 220;

const isSignedOut = (path: string) => path.startsWith('/auth') || path === '/scan/$data';

/** Further views of pages, after all others: a page that only changes its query keeps its heading. */
const views = [
  '/token?view=new',
  '/message-history?view=percakapan',
  '/message-history/kiriman?view=new',
];
const others = ['/message-history?new=1', '/saldo?new=1'];

/** Opens another page of the app in the same document, as Back does, and waits for what it loads. */
async function goWithin(tab: Page, path: string, sight?: Locator): Promise<void> {
  await tab.evaluate((to) => {
    for (const heading of document.querySelectorAll('h1')) heading.dataset['left'] = '';
    const state = { key: to };
    history.pushState(state, '', to);
    dispatchEvent(new PopStateEvent('popstate', { state }));
  }, path);
  const heading = tab.getByRole('heading', { level: 1 });
  await heading.and(tab.locator(':not([data-left])')).first().waitFor();
  await waitFor(async () => expect(await tab.locator('main [aria-busy=true]').count()).toBe(0));
  await sight?.waitFor();
}

/** The filled buttons of the open dialog, else of the page. */
const filledIn = (tab: Page): Promise<string[]> =>
  tab.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.background = 'var(--primary)';
    const fill = getComputedStyle(probe).backgroundColor;
    probe.remove();
    const place = document.querySelector('dialog:modal') ?? document.querySelector('main');
    return [...(place?.querySelectorAll<HTMLElement>('button, a') ?? [])]
      .filter((one) => one.checkVisibility() && getComputedStyle(one).backgroundColor === fill)
      .map((one) => one.innerText || one.ariaLabel || '');
  });

/** The sideways scrolling of the page, with the element that stands out. */
async function tooWide(tab: Page, where: string): Promise<string[]> {
  await settled(tab);
  const { by, at } = await tab.evaluate(() => {
    const { scrollWidth } = document.documentElement;
    const edge = [...document.querySelectorAll('body *')].findLast(
      (one) => one.getBoundingClientRect().right > innerWidth + 1 && one.checkVisibility(),
    );
    return { by: scrollWidth - innerWidth, at: `${edge?.tagName} ${edge?.className}` };
  });
  return by > 0 ? [`${where}: ${by} px too wide (${at})`] : [];
}

/** Amounts and numbers that are cut off, and sideways scrolling, at each width. */
async function lostAt(tab: Page, path: string, widths: readonly number[]): Promise<string[]> {
  const lost: string[] = [];
  for (const width of widths) {
    await tab.setViewportSize({ width, height: 900 });
    const where = `${path} at ${width} px`;
    lost.push(...(await tooWide(tab, where)));
    lost.push(...(await cutOff(tab)).map((what) => `${where}: ${what}`));
  }
  return lost;
}

/** Several primary actions at 320 px, and sideways scrolling there with normal and doubled text. */
async function faultsAtSmallest(tab: Page, path: string): Promise<string[]> {
  await tab.setViewportSize({ width: 320, height: 640 });
  const filled = await filledIn(tab);
  const found =
    filled.length > 1 ? [`${path}: ${filled.length} primary: ${filled.join(', ')}`] : [];
  for (const size of ['200%', '100%']) {
    await tab.evaluate((text) => void (document.documentElement.style.fontSize = text), size);
    found.push(...(await tooWide(tab, `${path}, text ${size}`)));
  }
  return found;
}

test('no page of a customer scrolls sideways or cuts off an amount, and lists begin in the upper quarter of a phone', async ({
  person,
}) => {
  const { customer, sender, peer } = await shopAt(address);
  const { session } = customer;
  await topUp(address, customer, 9_000_000);
  const stopped = { token_id: sender.id, peer: '+6281234567091', reason: 'Meminta lewat telepon' };
  await ask(address, addOptout, stopped, session);
  await ask(address, exportMessages, { format: 'csv' }, session);
  const thread = `/message-history?view=percakapan&open=${sender.id}&peer=62813${55_010_001}`;
  const row = 'tbody tr:not([aria-hidden])';
  /** Pages with amounts or numbers, one after another, and the element that shows that these are loaded. */
  const amounts: Readonly<Record<string, string>> = {
    [HOME]: row,
    '/message-history': `${row}:has([data-row="open"])`,
    '/saldo': row,
    '/message-history?view=percakapan': '[data-conversation]',
    '/billing': row,
    [thread]: 'article',
    '/token': row,
    [`/simulator?phone=${peer}`]: 'li',
  };
  const lists: Readonly<Record<string, string>> = {
    ...amounts,
    '/message-history/kiriman': row,
    '/message-history/ekspor': 'main section li',
    '/message-history/berhenti': row,
    '/customer-service': 'main section li',
  };
  const isList = (path: string) => path in lists && !/home|simulator|peer=/.test(path);
  const own = Object.keys(addresses).filter((path) => path !== '/' && !isSignedOut(path));
  const phone = await (await person({ session, width: 390, height: 844 })).open('/profile');
  const found: string[] = [];
  for (const path of [HOME, ...own, ...views, ...others, thread, `/simulator?phone=${peer}`]) {
    const first = phone.locator(lists[path] ?? 'h1').first();
    await phone.setViewportSize({ width: 390, height: 844 });
    await goWithin(phone, path, first);
    if (isList(path)) {
      await waitFor(async () =>
        expect((await boxOf(first)).y, path).toBeLessThanOrEqual(FIRST_ROW_PX),
      );
    }
    if (path in amounts) found.push(...(await lostAt(phone, path, PHONES)));
    found.push(...(await faultsAtSmallest(phone, path)));
  }

  const tab = await (await person({ session })).open('/profile');
  for (const [path, first] of Object.entries(amounts)) {
    await goWithin(tab, path, tab.locator(first).filter({ visible: true }).first());
    found.push(...(await lostAt(tab, path, DESKTOPS)));
    if (path === '/message-history') {
      expect((await tab.locator('thead').first().boundingBox())?.width ?? 0).toBeLessThanOrEqual(1);
    }
    if (path === '/message-history')
      await expectCards(tab, /Resi: JX4401928810/, /Biaya\s*Rp\s150/);
    if (path === '/saldo') await expectCards(tab, /Isi saldo/, /Saldo setelahnya\s*Rp\s[\d.]+/);
  }
  expect(found).toEqual([]);
});

/** At 200 % a table becomes cards, each with the amount of its row. */
async function expectCards(tab: Page, row: RegExp, amount: RegExp): Promise<void> {
  expect(await tab.getByRole('row', { name: row }).first().innerText()).toMatch(amount);
}

/** Signs in the operator of the installation, and gives them work: unknown money and a proposal. */
async function openWork(): Promise<string> {
  const { customer } = await shopAt(address);
  const { total } = await ask(address, createTopup, { amount: 100_000 }, customer.session);
  const transfer = { amount: total, sender: 'KOPI SENJA' };
  await ask(address, simulatedTransfer, transfer);
  await ask(address, simulatedTransfer, transfer);
  const operator = await signIn(address, inject('operator'));
  const { account_id } = await ask(address, checkToken, {}, customer.session);
  const large = { account_id, direction: 'add', amount: 6_000_000 } as const;
  const why = { cause: 'correction', reason: 'Salah catat saat pindah' } as const;
  await ask(address, adjustSaldo, { ...large, ...why }, operator);
  return operator;
}

test('no page of an operator scrolls sideways or cuts off an amount, and the menu marks the current page', async ({
  person,
}) => {
  const session = await openWork();
  const amounts = [
    '/operator',
    '/operator/pelanggan',
    '/operator/isi-saldo',
    '/operator/mutasi-bank',
  ];
  const addressOf = (path: string) =>
    path +
    ({ '/operator/isi-saldo': '?status=semua', '/operator/mutasi-bank': '?filter=semua' }[path] ??
      '');
  const found: string[] = [];
  const phone = await (await person({ session, width: 390 })).open('/profile');
  const tab = await (await person({ session })).open('/profile');
  for (const path of Object.keys(operatorAddresses)) {
    const hasAmounts = amounts.includes(path);
    const amountIn = (one: Page) =>
      hasAmounts ? one.getByText(/^Rp\s[\d.]+$/).first() : undefined;
    await goWithin(phone, addressOf(path), amountIn(phone));
    if (hasAmounts) found.push(...(await lostAt(phone, path, PHONES)));
    found.push(...(await faultsAtSmallest(phone, path)));

    await tab.setViewportSize({ width: 1440, height: 900 });
    await goWithin(tab, addressOf(path), amountIn(tab));
    const current = tab
      .getByRole('navigation', { name: 'Menu utama' })
      .locator('[aria-current=page]');
    await current.waitFor();
    await settled(tab);
    // The foot of the menu may cover an entry: hit-test its middle.
    const isSeen = await current.evaluate((entry) => {
      const { left, top, width, height } = entry.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return hit !== null && entry.contains(hit);
    });
    if (!isSeen) found.push(`the menu does not show ${path}`);
    if (hasAmounts) found.push(...(await lostAt(tab, path, DESKTOPS)));
  }
  expect(found).toEqual([]);
});

test('no public page scrolls sideways or cuts off an amount', async ({ person }) => {
  const { customer } = await shopAt(address);
  const fields = { name: 'Cabang Imogiri', channel: 'simulator' } as const;
  const { token } = await ask(address, createToken, fields, customer.session);
  const { path: scan } = await ask(address, linkToken, { token_id: token.id }, customer.session);
  const { open } = await person({ expects: [/status of 4(?:04|10)/] });
  const tab = await open();
  const found: string[] = [];
  const signedOut = Object.keys(addresses).filter((path) => path.startsWith('/auth/'));
  for (const path of [scan, '/scan/x', '/simulator?bank=1', '/docs', '/tidak-ada', ...signedOut]) {
    await tab.goto(new URL(path, address).href);
    await tab.getByRole('heading', { level: 1 }).first().waitFor();
    if (!signedOut.includes(path))
      found.push(...(await lostAt(tab, path, [...DESKTOPS, ...PHONES])));
    else found.push(...(await faultsAtSmallest(tab, path)));
  }
  expect(found).toEqual([]);
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
