import type { Browser, Locator, Page } from 'playwright-core';
import { test as base, expect, inject } from 'vitest';
import {
  openPerson,
  startBrowser,
  type Person,
  settled,
  type PersonOptions,
} from '#tests/journeys/browser/browser.ts';
import { signUp } from '#tests/journeys/support/portal.ts';

type Look = Pick<PersonOptions, 'dark' | 'still' | 'notices' | 'expects'> & {
  /** 1440 by default; 390 is a phone, with touch. */
  width?: 1440 | 390;
  session?: boolean;
  /** A separate profile, for tests that change more than the page, such as its clock. */
  own?: boolean;
};

export type ShowPiece = (id: string, look?: Look) => Promise<Page>;

/** Opens a profile at the product without animations, shared by tests with the same options. */
export type OpenPerson = (options?: PersonOptions) => Promise<Person>;

/** Profiles shared by consecutive tests, so that they fetch everything only once. */
type Profiles = {
  open: (options: PersonOptions) => Promise<Person>;
  browser: Browser;
  idle: Map<Person, Page[]>;
};

let customer: Promise<string> | undefined;

/** A customer's session, shared by all tests of a worker and created at the first use. */
function session(): Promise<string> {
  const phone = `62813${String(Date.now() % 1e8).padStart(8, '0')}`;
  customer ??= signUp(inject('product'), { name: 'Ani Wijaya', phone })
    .then((one) => one.session)
    .catch((error: unknown) => {
      // The next test tries again.
      customer = undefined;
      throw error;
    });
  return customer;
}

/** Position and size in CSS pixels at rest, to the hundredth: browsers may report 43.99998. */
export async function boxOf(thing: Locator) {
  await settled(thing.page());
  const box = await thing.boundingBox();
  if (!box) throw new Error('what is measured is not shown');
  const [x = 0, y = 0, width = 0, height = 0] = [box.x, box.y, box.width, box.height].map(
    (size) => Math.round(size * 100) / 100,
  );
  return { x, y, width, height };
}

async function openProfiles(): Promise<Profiles> {
  const browser = await startBrowser();
  const known = new Map<string, Promise<Person>>();
  const open = (options: PersonOptions) => {
    const key = JSON.stringify(options, (_, one) => (one instanceof RegExp ? one.source : one));
    const one = known.get(key) ?? openPerson(browser, inject('gallery'), options);
    known.set(key, one);
    return one;
  };
  return { open, browser, idle: new Map() };
}

/** A small file of the product: a tab that shows it keeps its process, and the code compiled there. */
const REST = '/favicon.svg';

/** Methods whose effects outlast a document. */
const lasting = [
  'addInitScript',
  'emulateMedia',
  'exposeBinding',
  'exposeFunction',
  'on',
  'once',
  'route',
  'routeWebSocket',
  'setViewportSize',
] as const;

/** A tab of a shared profile, and the number of errors there before. */
type Tab = { page: Page; person: Person; before: number; isChanged: boolean };

/** Takes an idle tab of a profile, or a new one, which costs twice as much. */
async function takeTab(person: Person, idle: Map<Person, Page[]>): Promise<Tab> {
  const tabs = (idle.get(person) ?? []).filter((one) => !one.isClosed());
  const page = tabs.pop() ?? (await person.open());
  idle.set(person, tabs);
  const tab = { page, person, before: person.wrongs.length, isChanged: false };
  for (const name of lasting) {
    const method = page[name] as (...given: unknown[]) => unknown;
    const value = (...given: unknown[]) => {
      tab.isChanged = true;
      return method.apply(page, given);
    };
    Object.defineProperty(page, name, { configurable: true, value });
  }
  return tab;
}

/** Makes a tab idle, or closes it if the test changed more than its document. */
async function leaveTab({ page, person, isChanged }: Tab, idle: Map<Person, Page[]>) {
  for (const name of lasting) Reflect.deleteProperty(page, name);
  if (isChanged) {
    await page.evaluate(() => localStorage.clear());
    return page.close();
  }
  await page.goto(REST);
  await page.evaluate(() => [localStorage, sessionStorage].forEach((one) => one.clear()));
  await page.mouse.move(-1, -1);
  idle.set(person, [...(idle.get(person) ?? []), page]);
}

/**
 * Tests a piece in Chromium; fails on console messages, failed scripts and policy violations.
 */
export const test = base.extend<{ profiles: Profiles; show: ShowPiece; person: OpenPerson }>({
  profiles: [
    // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
    async ({}, use) => {
      const profiles = await openProfiles();
      await use(profiles);
      await profiles.browser.close();
    },
    { scope: 'worker' },
  ],
  person: async ({ profiles }, use) => {
    const before = new Map<Person, number>();
    await use(async (options) => {
      const one = await profiles.open({ still: true, ...options });
      if (!before.has(one)) before.set(one, one.wrongs.length);
      return one;
    });
    const wrongs = [...before].flatMap(([one, count]) => one.wrongs.slice(count));
    const tabs = [...before.keys()].flatMap(({ context }) => context.pages());
    await Promise.all(tabs.map((tab) => tab.close()));
    expect(wrongs).toEqual([]);
  },
  show: async ({ profiles, task }, use) => {
    const shared: Tab[] = [];
    const owned: Person[] = [];
    await use(async (id, { session: signedIn = false, own = false, ...look } = {}) => {
      const alone = own || signedIn || look.notices || look.expects;
      const options = { ...look, ...(signedIn && { session: await session() }) };
      const person = alone
        ? await openPerson(profiles.browser, inject('gallery'), options)
        : await profiles.open(options);
      const tab = await takeTab(person, profiles.idle);
      if (alone) owned.push(person);
      else shared.push(tab);
      await tab.page.goto(id === '' ? '/__galeri' : `/__galeri/${id}`);
      const { page } = tab;
      // By frames: a locator looks again only after half a second.
      await page.waitForFunction(() => document.querySelector('h1')?.checkVisibility());
      return page;
    });
    const wrongs = [
      ...owned.flatMap((one) => one.wrongs),
      ...shared.flatMap(({ person, before }) => person.wrongs.slice(before)),
    ];
    await Promise.all(owned.map(({ context }) => context.close()));
    const isBroken = (task.result?.errors?.length ?? 0) > 0;
    await Promise.all(
      shared.map((tab) =>
        leaveTab({ ...tab, isChanged: tab.isChanged || isBroken }, profiles.idle),
      ),
    );
    expect(wrongs).toEqual([]);
  },
});
