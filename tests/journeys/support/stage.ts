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
import { type Product, type ProductOptions, startProduct } from './product.ts';

/** What a journey gets. */
export type Stage = {
  product: Product;
  person: (options?: PersonOptions) => Promise<Person>;
};

type Settings = Record<string, string>;

/**
 * One product and one browser for the journeys of a file, made before the first and gone after the
 * last. Call it once at the top of the file.
 *
 * @param settings those of the product; or how to come by them, where something must be made for them.
 * @param kind the whole browser, with the app's worker, for journeys about notices and the app.
 * @param freePlan see `startProduct`.
 */
export function setUpJourney(
  settings: Settings | (() => Promise<Settings>) = {},
  kind: BrowserKind = 'light',
  freePlan: ProductOptions['freePlan'] = 'paying',
) {
  const worker = kind === 'whole';
  let product: Product;
  let browser: Browser;
  beforeAll(async () => {
    const given = typeof settings === 'function' ? await settings() : settings;
    [product, browser] = await Promise.all([startProduct(given, { freePlan }), startBrowser(kind)]);
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  /** A test in real browsers. Afterwards nothing may have gone wrong unseen in any of them. */
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
        await go({ product, person });
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

/** Saves what every tab shows and what led there. @returns a sentence that says where. */
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
