import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a checkbox is 20 px in a target of 44, and its label toggles it too', async ({ show }) => {
  const page = await show('checkbox', { width: 390 });
  const agree = page.getByRole('checkbox', { name: 'Saya menyetujui syarat layanan' });
  expect(await boxOf(agree)).toMatchObject({ width: 20, height: 20 });
  expect((await boxOf(agree.locator('..'))).height).toBeGreaterThanOrEqual(44);
  await page.getByText('Saya menyetujui syarat layanan').click();
  await waitFor(async () =>
    expect(await page.getByLabel('Agreed', { exact: true }).textContent()).toBe('yes'),
  );
  await agree.focus();
  await page.keyboard.press('Space');
  await waitFor(async () =>
    expect(await page.getByLabel('Agreed', { exact: true }).textContent()).toBe('no'),
  );
  const partly = page.getByRole('checkbox', { name: 'Semua cabang' });
  expect(await partly.evaluate((one) => one.matches(':indeterminate'))).toBe(true);
});

test('a group has a name, a select-all box with a mixed state, and leaves disabled boxes alone', async ({
  show,
}) => {
  const page = await show('checkbox');
  const group = page.getByRole('group', { name: 'Kirim webhook saat' });
  const all = group.getByRole('checkbox', { name: 'Semua peristiwa' });
  const events = page.getByLabel('Events', { exact: true });
  expect(await all.evaluate((one) => one.matches(':indeterminate'))).toBe(true);
  await all.focus();
  await page.keyboard.press('Space');
  await waitFor(async () => expect(await events.textContent()).toBe('sent delivered read billing'));
  expect(await all.evaluate((one) => one.matches(':checked:not(:indeterminate)'))).toBe(true);
  await page.keyboard.press('Space');
  await waitFor(async () => expect(await events.textContent()).toBe('billing'));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await waitFor(async () => expect(await events.textContent()).toBe('delivered billing'));

  const open = page.getByRole('group', { name: /^Hari buka/ });
  const noteId = await open.getAttribute('aria-describedby');
  const note = page.locator(`[id="${noteId}"]`);
  expect(await note.textContent()).toBe('Pilih minimal satu hari.');
  const monday = open.getByRole('checkbox', { name: 'Senin' });
  expect(await monday.getAttribute('aria-invalid')).toBe('true');
  await monday.check();
  await waitFor(async () => expect(await monday.getAttribute('aria-invalid')).toBeNull());
});
