import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a skeleton appears after 120 ms, and then stays for 300 ms', async ({ show }) => {
  const page = await show('skeleton', { own: true });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const place = page.getByRole('region', { name: 'Until something is there' });
  const answered = () => place.getByLabel('The answer is').getByText('there').waitFor();
  const busy = () => place.locator('[aria-busy="true"]').count();

  await place.getByRole('button', { name: 'An answer in 200 ms' }).click();
  const bone = place.locator('[class*="bone"]').first();
  const delays = await bone.evaluate((one) =>
    one.getAnimations().map(({ effect }) => effect?.getTiming().delay),
  );
  expect(delays.length).toBeGreaterThan(0);
  expect(new Set(delays)).toEqual(new Set([120]));
  await page.clock.runFor(200);
  await answered();
  expect(await busy()).toBe(1);
  await page.clock.runFor(215);
  await waitFor(async () => expect(await busy()).toBe(1));
  await page.clock.runFor(10);
  // The clock is stopped, but React schedules by its own time.
  await waitFor(async () => expect(await busy()).toBe(0));

  await place.getByRole('button', { name: 'An answer in 60 ms' }).click();
  await page.clock.runFor(60);
  await answered();
  await page.clock.runFor(1);
  await waitFor(async () => expect(await busy()).toBe(0));
});

test('a skeleton is silent, has the size of the content, and does not move with reduced motion', async ({
  show,
}) => {
  const page = await show('skeleton', { still: true });
  const line = page.getByRole('region', { name: 'A line' }).locator('[aria-hidden="true"]');
  const [own, whole] = await line.evaluate((one) => [
    one.getBoundingClientRect().width,
    one.parentElement?.getBoundingClientRect().width ?? 0,
  ]);
  expect((own ?? 0) / (whole ?? 1)).toBeGreaterThan(0.5);
  const endless = await line.evaluate((one) =>
    one.getAnimations().some(({ effect }) => effect?.getComputedTiming().endTime === Infinity),
  );
  expect(endless).toBe(false);
  const lines = page.getByRole('region', { name: 'Lines of text' }).locator('[class*="bone"]');
  expect(await lines.count()).toBe(4);
});
