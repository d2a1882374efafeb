import { type Browser, type Page, chromium } from 'playwright-core';
import { test as base, expect, inject } from 'vitest';
import { openPerson, type Person, type Wish } from '#tests/journeys/browser.ts';
import { signUp } from '#tests/journeys/portal.ts';

type Look = Pick<Wish, 'dark' | 'still' | 'notices' | 'expects'> & {
  /** 1440 when left out; 390 is a phone, with touch. */
  width?: 1440 | 390;
  /** Whether a customer is signed in. */
  session?: boolean;
};

/** Opens a piece of the gallery in a browser's profile of its own; '' is the whole gallery. */
export type ShowPiece = (id: string, look?: Look) => Promise<Page>;

let customer: Promise<string> | undefined;

/** The session of a customer: one for all tests of a file, made when the first needs it. */
function session(): Promise<string> {
  const phone = `62813${String(Date.now() % 1e8).padStart(8, '0')}`;
  customer ??= signUp(inject('product'), { name: 'Ani Wijaya', phone }).then((one) => one.session);
  return customer;
}

/**
 * A test of a piece, in real Chromium. Afterwards nothing may have gone wrong unseen: no error or
 * warning in the console, no script that failed, no breach of the page's policy.
 */
export const test = base.extend<{ browser: Browser; show: ShowPiece }>({
  browser: [
    // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
    async ({}, use) => {
      const browser = await chromium.connect(inject('chromium'));
      await use(browser);
      await browser.close();
    },
    { scope: 'file' },
  ],
  show: async ({ browser }, use) => {
    const people: Person[] = [];
    await use(async (id, { session: signedIn = false, ...wish } = {}) => {
      const known = signedIn ? { session: await session() } : {};
      const person = await openPerson(browser, inject('gallery'), { ...wish, ...known });
      people.push(person);
      const page = await person.open(id === '' ? '/__galeri' : `/__galeri/${id}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    });
    const wrongs = people.flatMap((one) => one.wrongs);
    await Promise.all(people.map(({ context }) => context.close()));
    expect(wrongs).toEqual([]);
  },
});
