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
  person: (options?: PersonOptions) => Promise<Person>;
};

type Options = Pick<ProductOptions, 'freePlan'> & {
  /**
   * Whether it starts its own PostgreSQL, as `npm start` does. That takes longer than many a journey, so most get a
   * database of the run's.
   */
  ownServer?: boolean;
};

/** The light browser of this process: files run in sequence, each person has a profile. */
let light: Browser | undefined;

async function browserOf(kind: BrowserKind): Promise<Browser> {
  if (kind !== 'light') return startBrowser(kind);
  if (light?.isConnected() !== true) light = await startBrowser(kind);
  return light;
}

/**
 * One product and browser for the journeys of a file, created before the first and closed after the last. Call it once
 * at the top of the file.
 * @param settings those of the product.
 * @param kind the whole browser, with the app's worker, for journeys about notices and the app.
 */
export function setUpJourney(
  settings: Record<string, string> = {},
  kind: BrowserKind = 'light',
  { freePlan, ownServer = false }: Options = {},
) {
  const worker = kind === 'whole';
  let database: Awaited<ReturnType<typeof makeDatabase>> | undefined;
  let product: Product;
  let browser: Browser;
  const start = async () => {
    database = ownServer ? undefined : await makeDatabase();
    const place = database && { DATABASE_URL: database.db.url };
    return startProduct({ ...place, ...settings }, { freePlan });
  };
  beforeAll(async () => {
    [product, browser] = await Promise.all([start(), browserOf(kind)]);
  });
  afterAll(async () => {
    if (browser !== light) await browser?.close();
    await product?.stop();
    await database?.drop();
  });
  const db = (): TestDatabase => {
    if (!database) throw new Error('The product keeps what it has in a PostgreSQL of its own.');
    return database.db;
  };

  /** A test in real browsers, which fails on unexpected errors in any of them. */
  return (sentence: string, go: (stage: Stage) => Promise<void>, timeoutMs = 240_000): void => {
    test(sentence, { timeout: timeoutMs }, async () => {
      const people: Person[] = [];
      const lines: string[] = [];
      const person = async (options?: PersonOptions) => {
        const one = await openPerson(browser, product.address, { worker, ...options }, lines);
        people.push(one);
        return one;
      };
      try {
        await go({
          product,
          person,
          get db() {
            return db();
          },
        });
        expect(people.flatMap(({ wrongs }) => wrongs)).toEqual([]);
      } catch (error) {
        process.stderr.write(`${await saveEvidence(people, lines, product)}\n`);
        throw error;
      } finally {
        await Promise.all(people.map(({ context }) => context.close()));
      }
    });
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
