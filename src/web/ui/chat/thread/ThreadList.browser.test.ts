import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const left = (scroller: Locator) =>
  scroller.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight);
const topOf = (line: Locator) => line.evaluate((one) => one.getBoundingClientRect().top);
const grow = (line: Locator, px: number) =>
  line.evaluate((one, height) => (one.style.height = `${height}px`), px);

async function scrolledToEnd(page: Page) {
  const scroller = page.getByRole('region', { name: 'Pesan dalam percakapan' }).first();
  await scroller.hover();
  await page.mouse.wheel(0, 2_000);
  await waitFor(async () => expect(await left(scroller)).toBeLessThanOrEqual(1));
  return { page, scroller };
}

test('text being read does not move while lines around it grow; at the end the end stays in view', async ({
  show,
}) => {
  const page = await show('thread-list');
  const scroller = page.getByRole('region', { name: 'Pesan dalam percakapan' }).first();
  const line = (number: number) =>
    scroller.getByRole('article').filter({ hasText: `Pesan nomor ${number}09.05` });
  await line(59).waitFor();
  await scroller.hover();
  await page.mouse.wheel(0, 2_000);
  await waitFor(async () => expect(await left(scroller)).toBeLessThanOrEqual(1));
  await grow(line(58), 300);
  await waitFor(async () => {
    expect((await line(58).boundingBox())?.height).toBe(300);
    expect(await left(scroller)).toBeLessThanOrEqual(1);
  });

  await page.mouse.wheel(0, -600);
  await waitFor(async () => expect(await left(scroller)).toBeGreaterThan(500));
  const { read, above } = await scroller.evaluate((one) => {
    const { top } = one.getBoundingClientRect();
    const lines = [...one.querySelectorAll('article')];
    const numbers = lines.map((each) =>
      Number(/nomor (\d+)09\.05/.exec(each.textContent ?? '')?.[1]),
    );
    const first = lines.findIndex((each) => each.getBoundingClientRect().top > top);
    return { read: numbers[first] ?? 0, above: numbers[first - 2] ?? 0 };
  });
  const stood = await topOf(line(read));
  await grow(line(above), 250);
  await waitFor(async () => {
    expect((await line(above).boundingBox())?.height).toBe(250);
    expect(Math.abs((await topOf(line(read))) - stood)).toBeLessThan(1);
  });
});

test('a hidden thread shows its newest line when it is shown again', async ({ show }) => {
  const page = await show('thread-list');
  const scroller = page.getByRole('region', { name: 'Pesan dalam percakapan' }).first();
  const handle = await scroller.elementHandle();
  const display = (value: string) =>
    handle?.evaluate((one, how) => ((one as HTMLElement).style.display = how), value);
  await display('none');
  await page.getByRole('button', { name: 'Kirim satu lagi' }).click();
  await display('');
  await scroller.getByRole('article').filter({ hasText: 'Pesan nomor 6009.05' }).waitFor();
  await waitFor(async () => expect(await left(scroller)).toBeLessThanOrEqual(1));
});

test('a hidden thread keeps its scroll position', async ({ show }) => {
  const { page, scroller } = await scrolledToEnd(await show('thread-list'));
  await page.mouse.wheel(0, -300);
  await waitFor(async () => expect(await left(scroller)).toBe(300));
  await scroller.evaluate(async (one) => {
    one.style.display = 'none';
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    one.style.display = '';
  });
  await waitFor(async () => expect(await left(scroller)).toBe(300));
});

test('scrolling up a little from the end is not reverted by lines that render', async ({
  show,
}) => {
  const { scroller } = await scrolledToEnd(await show('thread-list'));
  const lefts = await scroller.evaluate(async (one) => {
    const seen: number[] = [];
    one.dispatchEvent(new WheelEvent('wheel'));
    for (let step = 0; step < 40; step++) {
      one.scrollTop -= 10;
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
      seen.push(one.scrollHeight - one.scrollTop - one.clientHeight);
    }
    return seen;
  });
  const before = [0, ...lefts.slice(0, -1)];
  expect(lefts.map((each, step) => Math.round(each - (before[step] ?? 0)))).toEqual(
    lefts.map(() => 10),
  );
});

test('scrolling away from the end as a line arrives is not reverted', async ({ show }) => {
  const { page, scroller } = await scrolledToEnd(await show('thread-list'));
  const button = await page.getByRole('button', { name: 'Terima satu lagi' }).elementHandle();
  if (!button) throw new Error('no button');
  // In one task: the line renders before the scroll event.
  await scroller.evaluate((one, press) => {
    one.dispatchEvent(new WheelEvent('wheel'));
    one.scrollTop -= 200;
    (press as HTMLElement).click();
  }, button);
  await scroller.getByRole('article').filter({ hasText: 'Pesan nomor 6009.05' }).waitFor();
  expect(await left(scroller)).toBeGreaterThan(200);
  await page.getByRole('button', { name: 'Ke pesan terbaru' }).waitFor();
});

test('a sent line is at the end even if the box below shrinks with it', async ({ show }) => {
  const { page, scroller } = await scrolledToEnd(await show('thread-list'));
  const button = await page.getByRole('button', { name: 'Kirim satu lagi' }).elementHandle();
  if (!button) throw new Error('no button');
  // In one task, as when attachments leave the box: the view grows by more than the line's height.
  await scroller.evaluate((one, press) => {
    const place = one.parentElement?.parentElement;
    if (place) place.style.height = '560px';
    (press as HTMLElement).click();
  }, button);
  const sent = scroller.getByRole('article').filter({ hasText: 'Pesan nomor 6009.05' });
  await sent.waitFor();
  await grow(sent, 300);
  await waitFor(async () => {
    expect((await sent.boundingBox())?.height).toBe(300);
    expect(await left(scroller)).toBeLessThanOrEqual(1);
  });
});
