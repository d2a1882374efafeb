import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('it appears at once on keyboard focus, after a delay on hover, and Escape hides it', async ({
  show,
}) => {
  const page = await show('tooltip', { own: true });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const icon = page.getByRole('button', { name: 'Tema: gelap' });
  const tip = page.locator('[popover]:popover-open');
  await page.keyboard.press('Tab');
  while (!(await icon.evaluate((one) => one === document.activeElement))) {
    await page.keyboard.press('Tab');
  }
  expect(await tip.textContent()).toBe('Tema: gelap');
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await tip.count()).toBe(0));

  await icon.hover();
  await page.clock.runFor(350);
  await waitFor(async () => expect(await tip.count()).toBe(0));
  await page.clock.runFor(100);
  await waitFor(async () => expect(await tip.textContent()).toBe('Tema: gelap'));
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await tip.count()).toBe(0));

  await page.getByRole('button', { name: 'Simulator ponsel' }).hover();
  await page.clock.runFor(1_000);
  await waitFor(async () => expect(await tip.count()).toBe(0));
});
