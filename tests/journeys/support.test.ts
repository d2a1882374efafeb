import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { supportMessages } from '#contract/support.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { faultsHere } from '#tests/support/one-look.ts';
import { askRows, type Customer, signIn, signUp } from './support/portal.ts';
import { setUpSharedJourney, type Stage } from './support/stage.ts';

const journey = setUpSharedJourney();

const awayErrors = [
  /ERR_INTERNET_DISCONNECTED/,
  /ERR_CONNECTION/,
  /ERR_INCOMPLETE/,
  /ERR_SOCKET/,
  /ERR_EMPTY/,
  /Unable to preload/,
];

/** Tall enough to show everything: a thread renders only its visible part. */
const SCREEN = { height: 2_400, expects: awayErrors };

async function bothSides({ product, person }: Stage, name: string, phone: string) {
  const { address, operator } = product;
  const who = await signUp(address, { name, phone });
  const shop = await person({ session: who.session, ...SCREEN });
  const customer = await shop.open('/customer-service');
  await write(customer, ['Selamat pagi']);
  const session = await signIn(address, operator);
  const operatorSide = await person({ session, ...SCREEN });
  const other = await operatorSide.open('/operator/layanan');
  await other.getByRole('link', { name }).click();
  await other.getByRole('article').filter({ hasText: 'Selamat pagi' }).waitFor();
  return { who, shop, desk: operatorSide, customer, operator: other };
}

async function write(tab: Page, lines: readonly string[]): Promise<void> {
  const box = tab.getByRole('textbox', { name: /^Tulis pesan untuk/ });
  for (const line of lines) {
    await box.fill(line);
    await box.press('Enter');
    await tab.getByRole('article').filter({ hasText: line }).first().waitFor();
  }
}

const LINE = /(?:Tanya|Jawab) \d\d/g;

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix} ${String(n + 1).padStart(2, '0')}`);

async function lines(address: string, { session }: Customer): Promise<string[]> {
  const rows: { seq: number; text: string }[] = [];
  for (let start = 0; ;) {
    const page = await askRows(address, supportMessages, { start: String(start) }, session);
    rows.push(...page.map(({ seq, content }) => ({ seq, text: content.caption })));
    if (page.length === 0) break;
    start += page.length;
  }
  return rows
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ text }) => text)
    .filter((text) => text.match(LINE));
}

/** Messages of this journey in a tab, from top to bottom; `unsent` counts those not sent yet. */
async function shown(tab: Page): Promise<{ texts: string[]; unsent: number }> {
  const articles = tab.getByRole('article');
  const texts = (await articles.allInnerTexts()).flatMap((text) => text.match(LINE) ?? []);
  return { texts, unsent: await articles.getByText('Menunggu', { exact: true }).count() };
}

/** The server has each message once, in order per side, and both tabs show exactly that. */
async function expectNothingLost(
  tabs: readonly Page[],
  { address, who, written }: { address: string; who: Customer; written: readonly string[][] },
): Promise<void> {
  const all = written.flat().toSorted();
  for (const tab of tabs) {
    await waitFor(async () => {
      const { texts, unsent } = await shown(tab);
      expect({ texts: texts.toSorted(), unsent }).toEqual({ texts: all, unsent: 0 });
    });
  }
  const stored = await lines(address, who);
  expect(stored.toSorted()).toEqual(all);
  for (const side of written) expect(stored.filter((text) => side.includes(text))).toEqual(side);
  for (const tab of tabs) expect((await shown(tab)).texts).toEqual(stored);
}

journey(
  'a question and its answers arrive once and in order with either side offline',
  async (stage) => {
    const { address } = stage.product;
    const { who, shop, desk, customer, operator } = await bothSides(
      stage,
      'Kopi Senja',
      '6281355509001',
    );
    const questions = named('Tanya', 4);
    const answered = named('Jawab', 4);

    await write(customer, questions.slice(0, 1));
    await write(operator, answered.slice(0, 1));
    await customer.getByRole('article').filter({ hasText: 'Jawab 01' }).waitFor();
    await customer
      .getByRole('article')
      .filter({ hasText: 'Tanya 01' })
      .getByText('Dibaca')
      .waitFor({ state: 'attached' });

    await desk.context.setOffline(true);
    await write(operator, answered.slice(1, 3));
    await write(customer, questions.slice(1, 2));
    await customer.getByText('Menunggu', { exact: true }).waitFor({ state: 'detached' });
    await shop.context.setOffline(true);
    await write(customer, questions.slice(2));
    await desk.context.setOffline(false);
    await operator.getByRole('article').filter({ hasText: 'Tanya 02' }).waitFor();
    await shop.context.setOffline(false);
    await customer.reload();
    await write(operator, answered.slice(3));
    await expectNothingLost([customer, operator], { address, who, written: [questions, answered] });
    expect(await faultsHere(customer, 'customer service')).toEqual([]);
    expect(await faultsHere(operator, 'the inbox')).toEqual([]);
  },
);

journey(
  'messages survive a server kill while both sides write, once and in order',
  async (stage) => {
    const { address } = stage.product;
    const { who, customer, operator } = await bothSides(stage, 'Roti Fajar', '6281355509002');
    const questions = named('Tanya', 6);
    const answered = named('Jawab', 6);
    const writing = Promise.all([write(customer, questions), write(operator, answered)]);
    await customer.getByRole('article').filter({ hasText: 'Tanya 02' }).waitFor();
    await stage.product.killAndRestart();
    await writing;
    await expectNothingLost([customer, operator], { address, who, written: [questions, answered] });
  },
);
