/**
 * Measures a conversation of 100,000 messages with one phone: its pages by offset and by message in the database; and
 * in a browser with a processor slowed four times, the time to draw it once its messages have arrived, the longest task
 * while scrolling, and how far the visible text moves when other messages arrive.
 *
 * `npm run bench:thread`, after `npm run build`; `THREAD_MESSAGES` for another size.
 */
import type { Browser } from 'playwright-core';
import { uuidOf } from '#contract/base/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { messagesWith } from '#server/domains/messages/conversations.ts';
import { openPerson, startBrowser } from '#tests/journeys/browser/browser.ts';
import { type LongThread, openLongThread } from '#tests/journeys/support/long-thread.ts';
import { startProduct } from '#tests/journeys/support/product.ts';
import { openBenchDatabase } from './lib/bench-database.ts';
import { report, table } from './lib/results.ts';
import { median } from './lib/rounds.ts';
import { listenToThread, scrollThread, type Scrolled } from './thread/in-page.ts';

const MESSAGES = Number(process.env['THREAD_MESSAGES'] ?? 100_000);
const DAYS = 400;
const SLOWER = 4;
const ROUNDS = 3;
const OPENED_MS_MAX = 100;
const TASK_MS_MAX = 50;
const MOVED_PX_MAX = 1;
const PAGE_ROUNDS = 50;
/** Some seconds of scrolling. */
const FRAMES = 120;

/** Reads a page near the oldest message, by its offset and by the message before it; in ms. */
async function measurePages(sql: Sql, owner: Sql, { sender, peer }: LongThread) {
  const [row] = await owner<{ account_id: string; before: string }[]>`
    select account_id, message_id as before from messages where peer = ${peer} order by message_id offset 20 limit 1`;
  const tokenId = uuidOf('token', sender.id);
  if (!row || tokenId === undefined) throw new Error('nothing to page through');
  const { account_id: accountId, before } = row;
  const read = async (bounds: { start: number } | { before: string }) => {
    const taken: number[] = [];
    for (let round = 0; round < PAGE_ROUNDS; round++) {
      const began = performance.now();
      const input = { token_id: tokenId, peer, ...bounds };
      await messagesWith(sql, accountId, input, () => '');
      taken.push(performance.now() - began);
    }
    return median(taken);
  };
  return { offset: await read({ start: MESSAGES - 30 }), key: await read({ before }) };
}

/** Opens the conversation from the list, or at a day. @returns its drawing time in ms */
async function open(browser: Browser, address: string, thread: LongThread, at?: string) {
  const { context, open: openTab } = await openPerson(browser, address, {
    session: thread.who.session,
  });
  await context.addInitScript(listenToThread);
  const page = await openTab();
  const wire = await context.newCDPSession(page);
  await wire.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  if (at === undefined) {
    await page.goto(`${address}/message-history?view=percakapan`);
    const row = page.getByLabel('Daftar percakapan').getByRole('listitem').first();
    await row.waitFor();
    await page.waitForTimeout(500);
    await row.click();
  } else await page.goto(`${address}${thread.path}&at=${at}`);
  await page.waitForFunction(() => globalThis.threadBench.drawnAt > 0);
  const ms = await page.evaluate(() => {
    const { cameAt, drawnAt } = globalThis.threadBench;
    return drawnAt - cameAt;
  });
  await page.waitForTimeout(500);
  return { page, ms, close: () => context.close() };
}

const ways = [
  { name: 'up from the newest', px: -60, at: false },
  { name: 'up from the newest, fast', px: -300, at: false },
  { name: 'up from a day in the middle', px: -60, at: true },
  { name: 'down from a day in the middle', px: 60, at: true },
] as const;

async function measureScreen(browser: Browser, address: string, thread: LongThread) {
  const middle = new Date(thread.firstAt.getTime() + (DAYS / 2) * 86_400_000);
  const day = middle.toISOString().slice(0, 10);
  const body: string[][] = [];
  for (const { name, px, at } of ways) {
    const opened: number[] = [];
    const scrolled: Scrolled[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { page, ms, close } = await open(browser, address, thread, at ? day : undefined);
      opened.push(ms);
      scrolled.push(await page.evaluate(scrollThread, { px, frames: FRAMES }));
      await close();
    }
    const openMs = median(opened);
    const task = median(scrolled.map((one) => one.task));
    const moved = Math.max(...scrolled.map((one) => one.moved));
    const held = openMs <= OPENED_MS_MAX && task <= TASK_MS_MAX && moved <= MOVED_PX_MAX;
    body.push([
      name,
      openMs.toFixed(0),
      task === 0 ? '< 50' : task.toFixed(0),
      moved.toFixed(1),
      median(scrolled.map((one) => one.lines)).toFixed(0),
      held ? 'yes' : 'NO',
    ]);
  }
  return table(
    ['', 'drawn after, ms', 'longest task, ms', 'moved, px', 'messages passed', 'held'],
    body,
  );
}

const bench = await openBenchDatabase(2);
const product = await startProduct(
  { SIMULATOR_SPEED: '0', DATABASE_URL: bench.url },
  { yields: true },
);
const browser = await startBrowser();
try {
  const end = new Date(Date.now() - 60_000);
  const thread = await openLongThread(product.address, bench.owner, {
    messages: MESSAGES,
    days: DAYS,
    end,
  });
  const pages = await measurePages(bench.tenantSql, bench.owner, thread);
  const screen = await measureScreen(browser, product.address, thread);
  const read = `A page near the oldest: ${pages.offset.toFixed(1)} ms by its offset, ${pages.key.toFixed(1)} ms by the message before it.`;
  const what = `The processor ${SLOWER} × slower, ${ROUNDS} rounds: medians, of what moved the most.`;
  await report(
    `Thread: ${MESSAGES.toLocaleString('en')} messages with one phone`,
    `${read}\n\n${what}\n\n${screen}`,
  );
} finally {
  await browser.close();
  await product.stop();
  await bench.close();
}
