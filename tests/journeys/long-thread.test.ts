import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { civilDate, formatDate } from '#contract/base/time.ts';
import { listConversations } from '#contract/messages/conversations.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { frames } from './browser/browser.ts';
import { type LongThread, openLongThread } from './support/long-thread.ts';
import { askRows, deliverText, answerFrom, topUp } from './support/portal.ts';
import { setUpSharedJourney, type Stage } from './support/stage.ts';
import { isFocused, press } from './support/steps.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const journey = setUpSharedJourney();

const MESSAGES = 1_200;
const DAYS = 40;
const DAY_MS = 86_400_000;

const region = (tab: Page) => tab.getByRole('region', { name: 'Pesan dalam percakapan' });
const message = (tab: Page, number: number) =>
  region(tab)
    .getByRole('article')
    .filter({ hasText: new RegExp(`Pesan nomor ${number}\\.`) });

let thread: Promise<LongThread> | undefined;

const longThread = ({ product: { address }, db }: Stage): Promise<LongThread> =>
  (thread ??= openLongThread(address, db.owner, {
    messages: MESSAGES,
    days: DAYS,
    end: new Date(Date.now() - 3_600_000),
  }));

function dayOf({ firstAt }: LongThread, number: number) {
  const stepMs = (DAYS * DAY_MS) / MESSAGES;
  const at = (n: number) => new Date(firstAt.getTime() + (n - 1) * stepMs);
  const day = civilDate(at(number));
  let first = number;
  while (first > 1 && civilDate(at(first - 1)) === day) first -= 1;
  return { day, first };
}

const inView = (tab: Page): Promise<number[]> =>
  region(tab).evaluate((scroller) => {
    const place = scroller.getBoundingClientRect();
    return [...scroller.querySelectorAll('article')]
      .filter((line) => {
        const { top, bottom } = line.getBoundingClientRect();
        return bottom > place.top && top < place.bottom;
      })
      .map((line) => Number(/Pesan nomor (\d+)\./.exec(line.textContent ?? '')?.[1]));
  });

/**
 * Scrolls in small steps to a message, and checks on every frame that the visible messages move by the same distance.
 * @returns the largest deviation in pixels
 */
async function scrollTo(tab: Page, number: number, px: number): Promise<number> {
  // Pointer events are off while the list scrolls.
  await waitFor(async () =>
    expect(await region(tab).getByRole('list').first().getAttribute('style')).not.toContain(
      'pointer-events',
    ),
  );
  return region(tab).evaluate(
    async (scroller, { target, step }) => {
      const { top, height } = scroller.getBoundingClientRect();
      const named = new RegExp(`Pesan nomor ${target}\\.`);
      let moved = 0;
      // Marks the scrolling as a person's, as a wheel does.
      scroller.dispatchEvent(new WheelEvent('wheel'));
      for (;;) {
        const lines = [...scroller.querySelectorAll('article')];
        const line = lines.find((one) => one.getBoundingClientRect().bottom > top + height / 2);
        const was = line?.getBoundingClientRect().top ?? 0;
        const before = scroller.scrollTop;
        scroller.scrollTop = before + step;
        const by = scroller.scrollTop - before;
        await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
        if (line?.isConnected) {
          moved = Math.max(moved, Math.abs(line.getBoundingClientRect().top - (was - by)));
        }
        if (lines.some((one) => named.test(one.textContent ?? ''))) return moved;
      }
    },
    { target: number, step: px },
  );
}

const unreadOf = async ({ product: { address } }: Stage, { who }: LongThread) => {
  const [row] = await askRows(address, listConversations, {}, who.session);
  return row?.unread;
};

journey(
  'a day of a long conversation opens and scrolls both ways without a jump',
  async (stage) => {
    const long = await longThread(stage);
    const { open } = await stage.person({ session: long.who.session });
    const { faults, look } = inspectionHere();
    const tab = await open(long.path);
    await message(tab, MESSAGES).waitFor();
    expect(await scrollTo(tab, MESSAGES - 70, -90)).toBeLessThan(1);

    const { day, first } = dayOf(long, 500);
    await press(tab, tab.getByRole('button', { name: 'Tindakan percakapan' }));
    await tab.getByRole('menuitem', { name: 'Lompat ke tanggal' }).waitFor();
    await tab.keyboard.press('ArrowUp');
    await tab.keyboard.press('Enter');
    const dialog = tab.getByRole('dialog', { name: 'Lompat ke tanggal' });
    await look(tab, 'choosing a day');
    await dialog.getByLabel('Ketik tanggal').focus();
    await tab.keyboard.type(formatDate(`${day}T00:00:00Z`, 'UTC'));
    await tab.keyboard.press('Enter');
    await message(tab, first).waitFor();
    await waitFor(async () => expect((await inView(tab))[0]).toBe(first));
    await waitFor(async () => expect(await isFocused(tab, region(tab))).toBe(true));
    expect(new URL(tab.url()).searchParams.get('at')).toBe(day);
    await look(tab, 'a day of long ago');
    expect(await scrollTo(tab, first - 60, -90)).toBeLessThan(1);
    expect(await scrollTo(tab, first + 60, 90)).toBeLessThan(1);

    await tab.reload();
    await waitFor(async () => expect((await inView(tab))[0]).toBe(first));
    await press(tab, tab.getByRole('button', { name: 'Ke pesan terbaru' }));
    await message(tab, MESSAGES).waitFor();
    expect(new URL(tab.url()).searchParams.has('at')).toBe(false);
    await tab.getByRole('button', { name: 'Ke pesan terbaru' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  },
);

journey('a quoted message opens, and scrolling returns to the newest', async (stage) => {
  const long = await longThread(stage);
  const { open } = await stage.person({ session: long.who.session });
  const tab = await open(long.path);
  const answered = MESSAGES / 10;
  await message(tab, MESSAGES)
    .getByRole('button', { name: /^Buka pesan yang dijawab/ })
    .click();
  await message(tab, answered).waitFor();
  await waitFor(async () => expect(await inView(tab)).toContain(answered));
  const box = tab.getByRole('textbox', { name: /^Tulis pesan untuk/ });
  await topUp(stage.product.address, long.who, 50_000);
  await box.fill('Yang ini sudah kami kirim');
  await box.press('Enter');
  await region(tab).getByRole('article').filter({ hasText: 'Yang ini sudah' }).waitFor();
  await message(tab, MESSAGES).waitFor();

  const { day, first } = dayOf(long, MESSAGES - 120);
  await tab.goto(`${stage.product.address}${long.path}&at=${day}`);
  await message(tab, first).waitFor();
  expect(await scrollTo(tab, MESSAGES, 90)).toBeLessThan(1);
  await region(tab).press('End');
  await region(tab).getByRole('article').filter({ hasText: 'Yang ini sudah' }).waitFor();
  await tab.getByRole('button', { name: 'Ke pesan terbaru' }).waitFor({ state: 'detached' });
  await tab.goto(`${stage.product.address}${long.path}&at=2020-02-01`);
  await tab.getByText(/^Tidak ada pesan pada 1 Feb 2020\. Yang ditampilkan mulai/).waitFor();
  await message(tab, 1).waitFor();
});

journey('an inbound message stays unread until it is in view', async (stage) => {
  const long = await longThread(stage);
  const { address } = stage.product;
  const { sender, peer } = long;
  await topUp(address, long.who, 50_000);
  await deliverText(address, sender, { to: peer, text: 'Masih ada?' });
  const { open } = await stage.person({ session: long.who.session });
  const tab = await open(long.path);
  await region(tab).getByRole('article').filter({ hasText: 'Masih ada?' }).waitFor();
  await scrollTo(tab, MESSAGES - 40, -200);
  const before = await inView(tab);
  await answerFrom(address, peer, { sender, text: 'Ada, Kak' });
  const down = tab.getByRole('button', { name: /^Ke pesan terbaru 1 belum dibaca/ });
  await down.waitFor();
  await frames(tab);
  expect(await inView(tab)).toEqual(before);
  expect(await unreadOf(stage, long)).toBe(1);
  await press(tab, down);
  await region(tab).getByRole('article').filter({ hasText: 'Ada, Kak' }).waitFor();
  await waitFor(async () => expect(await unreadOf(stage, long)).toBe(0));

  const hand = await (
    await stage.person({ session: long.who.session, width: 390 })
  ).open(long.path);
  const heading = hand.getByRole('heading', { level: 2, name: /^\+62/ });
  await heading.waitFor();
  const lines = await heading.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  });
  expect(lines).toBe(1);
  const { faults, look } = inspectionHere();
  await hand.getByRole('button', { name: 'Tindakan percakapan' }).click();
  await look(hand, 'the menu of a conversation on a phone');
  await hand.getByRole('menuitem', { name: 'Tandai berhenti' }).click();
  await hand.getByRole('dialog', { name: /^Tandai .* berhenti/ }).waitFor();
  expect(faults).toEqual([]);
});
