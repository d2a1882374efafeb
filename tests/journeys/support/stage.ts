import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type BrowserKind,
  openPerson,
  type Person,
  startBrowser,
  type PersonOptions,
} from '#tests/journeys/browser/browser.ts';
import { makeDatabase, type TestDatabase } from '#tests/support/database/database.ts';
import { type Product, type ProductOptions, startProduct } from './product.ts';

export type Stage = {
  product: Product;
  /** The product's database. @throws if it runs its own PostgreSQL. */
  readonly db: TestDatabase;
  /** @param address another one than the product's, such as that of a proxy. */
  person: (options?: PersonOptions, address?: string) => Promise<Person>;
};

type Options = Pick<ProductOptions, 'freePlan'> & {
  /**
   * Whether it starts its own PostgreSQL, as `npm start` does. That takes longer than many a journey, so most get a
   * database of the run's.
   */
  ownServer?: boolean;
};

type Running = { product: Product; db?: TestDatabase | undefined; stop: () => Promise<void> };

/** Browsers of this process: files run in sequence, each person has a profile. */
const browsers = new Map<BrowserKind, Browser>();

async function browserOf(kind: BrowserKind): Promise<Browser> {
  const known = browsers.get(kind);
  if (known?.isConnected()) return known;
  const browser = await startBrowser(kind);
  browsers.set(kind, browser);
  return browser;
}

async function start(
  settings: Record<string, string>,
  { freePlan, ownServer = false }: Options,
): Promise<Running> {
  const database = ownServer ? undefined : await makeDatabase();
  const place = database && { DATABASE_URL: database.db.url };
  const product = await startProduct({ ...place, ...settings }, { freePlan });
  const stop = async () => {
    await product.stop();
    await database?.drop();
  };
  return { product, db: database?.db, stop };
}

/** Has the product that the files of this process share. */
const shared = test.extend<{ common: Running }>({
  common: [
    // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
    async ({}, use) => {
      const one = await start({ SIMULATOR_SPEED: '0' }, {});
      await use(one);
      await one.stop();
    },
    { scope: 'worker' },
  ],
});

/** Plays a journey. */
type Go = (stage: Stage) => Promise<void>;

/**
 * The journeys of a file whose accounts and phone numbers are its own, at the product that such files share. Call it
 * once at the top of the file.
 * @param kind the whole browser, with the app's worker, for journeys about notices and the app.
 */
export function setUpSharedJourney(kind?: BrowserKind) {
  const play = prepare(kind);
  return (sentence: string, go: Go): void => shared(sentence, ({ common }) => play(common, go));
}

/**
 * The journeys of a file that changes or counts what belongs to the whole installation, or needs its own settings: at a
 * product of its own, started before the first and stopped after the last. Call it once at the top of the file.
 * @param settings those of the product.
 * @param kind the whole browser, with the app's worker, for journeys about notices and the app.
 */
export function setUpJourney(
  settings: Record<string, string> = {},
  kind?: BrowserKind,
  options: Options = {},
) {
  const play = prepare(kind);
  let own: Running;
  beforeAll(async () => {
    own = await start(settings, options);
  });
  afterAll(() => own?.stop());
  return (sentence: string, go: Go): void => test(sentence, () => play(own, go));
}

/** @returns plays a journey in real browsers, and fails on unexpected errors in any of them */
function prepare(kind: BrowserKind = 'light') {
  const worker = kind === 'whole';
  let browser: Browser;
  beforeAll(async () => {
    browser = await browserOf(kind);
  });
  return async ({ product, db }: Running, go: Go): Promise<void> => {
    const people: Person[] = [];
    const lines: string[] = [];
    const person = async (options?: PersonOptions, address = product.address) => {
      const one = await openPerson(browser, address, { worker, still: true, ...options }, lines);
      people.push(one);
      return one;
    };
    try {
      await go({
        product,
        person,
        get db() {
          if (!db) throw new Error('The product keeps what it has in a PostgreSQL of its own.');
          return db;
        },
      });
      expect(people.flatMap(({ wrongs }) => wrongs)).toEqual([]);
    } catch (error) {
      process.stderr.write(`${await saveEvidence(people, lines, product)}\n`);
      throw error;
    } finally {
      await Promise.all(people.map(({ context }) => context.close()));
    }
  };
}

/** Saves the screen and trace of every tab. @returns a sentence with the path. */
async function saveEvidence(
  people: readonly Person[],
  lines: readonly string[],
  product: Product,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-journey-failed-'));
  const tabs = people.flatMap(({ context }) => context.pages());
  for (const [index, page] of tabs.entries()) {
    const shot = page.screenshot({ path: join(folder, `tab-${index}.png`), timeout: 5_000 });
    await shot.catch(() => undefined);
  }
  const places = tabs.map((page, index) => `tab ${index}: ${page.url()}`);
  const trace = [...lines, '', ...places, '', product.log()];
  await writeFile(join(folder, 'trace.txt'), trace.join('\n'));
  return `What the tabs showed, and what led there: ${folder}`;
}
