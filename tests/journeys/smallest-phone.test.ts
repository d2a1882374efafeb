import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { addresses } from '#web/app/routes/addresses.ts';
import { operatorAddresses } from '#web/features/operator/addresses.ts';
import { settled } from './browser/browser.ts';
import { openOperatorWork } from './seeds/desk.ts';
import { shopAt } from './seeds/shop.ts';
import { setUpSharedJourney } from './support/stage.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const journey = setUpSharedJourney();

const views: Readonly<Record<string, readonly string[]>> = {
  '/token': ['', '?view=new'],
  '/message-history': ['', '?view=percakapan', '?new=1'],
  '/message-history/kiriman': ['', '?new=1'],
  '/saldo': ['', '?view=topup'],
  '/operator/isi-saldo': ['?status=semua'],
};

const viewsOf = (path: string): readonly string[] =>
  (views[path] ?? ['']).map((query) => path + query);

const isSignedOut = (path: string) => path.startsWith('/auth') || path === '/scan/$data';

/** Opens another page of the app in the same document, as Back does. @returns once it is shown */
async function goWithin(tab: Page, path: string): Promise<void> {
  await tab.evaluate((to) => {
    for (const heading of document.querySelectorAll('h1')) heading.dataset['left'] = '';
    const state = { key: to };
    history.pushState(state, '', to);
    dispatchEvent(new PopStateEvent('popstate', { state }));
  }, path);
  const heading = tab.getByRole('heading', { level: 1 });
  await heading.and(tab.locator(':not([data-left])')).first().waitFor();
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

/**
 * Opens pages at 320 px, with normal and doubled text.
 * @returns those that scroll horizontally or have several primary actions
 */
async function faultsOf(tab: Page, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  await tab.setViewportSize({ width: 320, height: 640 });
  for (const path of paths) {
    const isHere = new URL(tab.url()).pathname === path.split('?')[0];
    // Pages to sign in may redirect to each other.
    if (isHere || isSignedOut(path)) {
      await tab.goto(path);
      await tab.getByRole('heading', { level: 1 }).first().waitFor();
    } else {
      await goWithin(tab, path);
    }
    await waitFor(async () => expect(await tab.locator('main [aria-busy=true]').count()).toBe(0));
    const filled = await filledIn(tab);
    if (filled.length > 1) found.push(`${path}: ${filled.length} primary: ${filled.join(', ')}`);
    for (const textSize of ['200%', '100%']) {
      await tab.evaluate((size) => void (document.documentElement.style.fontSize = size), textSize);
      await settled(tab);
      const over = await tab.evaluate(() => {
        const { scrollWidth } = document.documentElement;
        const edge = [...document.querySelectorAll('body *')].findLast(
          (one) => one.getBoundingClientRect().right > innerWidth + 1 && one.checkVisibility(),
        );
        return { by: scrollWidth - innerWidth, at: `${edge?.tagName} ${edge?.className}` };
      });
      if (over.by > 0) found.push(`${path}, text ${textSize}: ${over.by} px (${over.at})`);
    }
  }
  return found;
}

journey(
  'at 320 px no page of a customer scrolls sideways, with text of 200 % too, or has two primary actions',
  async ({ product: { address }, person }) => {
    const { customer } = await shopAt(address);
    const { open } = await person({ session: customer.session, width: 390 });
    const own = Object.keys(addresses).filter(
      (path) => !isSignedOut(path) && !path.startsWith('/operator'),
    );
    expect(await faultsOf(await open('/profile'), own.flatMap(viewsOf))).toEqual([]);
    const guest = await person({ width: 390, expects: [/4\d\d/] });
    const public_ = Object.keys(addresses).filter((path) => path.startsWith('/auth/'));
    const tab = await guest.open('/auth/login');
    expect(await faultsOf(tab, public_)).toEqual([]);
  },
);

journey(
  'no page of an operator scrolls sideways at 320 px, and the menu marks the current page',
  async ({ product, person }) => {
    const { operator } = await openOperatorWork(product);
    const { open } = await person({ session: operator, width: 390 });
    const paths = Object.keys(operatorAddresses).flatMap(viewsOf);
    expect(await faultsOf(await open('/operator'), paths)).toEqual([]);

    const operatorSide = await person({ session: operator, width: 1440, height: 900 });
    const tab = await operatorSide.open('/profile');
    await tab.getByRole('heading', { level: 1 }).first().waitFor();
    for (const path of Object.keys(operatorAddresses)) {
      await goWithin(tab, path);
      const menu = tab.getByRole('navigation', { name: 'Menu utama' });
      const current = menu.locator('[aria-current=page]');
      await current.waitFor();
      await settled(tab);
      // The foot of the menu may cover an entry: hit-test its middle.
      const isSeen = await current.evaluate((entry) => {
        const { left, top, width, height } = entry.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return hit !== null && entry.contains(hit);
      });
      expect(isSeen, path).toBe(true);
    }
  },
);
