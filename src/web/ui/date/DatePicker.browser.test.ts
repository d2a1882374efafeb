import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const button = (page: Page, label: string) =>
  page.getByRole('button', { name: new RegExp(`^${label}: `) });
const emitted = (page: Page, label: string) => page.getByLabel(`${label} emitted`).textContent();
const picker = (page: Page) => page.getByRole('dialog', { name: /^Pilih/ });
const day = (page: Page, name: string) =>
  picker(page).getByRole('gridcell', { name: new RegExp(`(^|, )${name}`) });
const focused = (place: Locator) => place.evaluate((one) => one === document.activeElement);
const standsOn = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLElement).dataset['day']);

test('a preset applies at once and closes; the presets have English names of their own', async ({
  show,
}) => {
  const page = await show('date-picker');
  await button(page, 'Periode').click();
  const names = await picker(page).getByRole('listitem').allInnerTexts();
  expect(names).toEqual([
    'Today',
    'Yesterday',
    'Last 7 Days',
    'Last 30 Days',
    'This Month',
    'Last Month',
    'Custom Range',
  ]);
  expect(await picker(page).getByRole('grid').count()).toBe(0);
  await picker(page).getByRole('button', { name: 'Last 30 Days' }).click();
  await waitFor(async () =>
    expect(await emitted(page, 'Periode')).toBe('2026-10-23 2026-11-21, 1×'),
  );
  expect(await picker(page).count()).toBe(0);
  expect(await focused(button(page, 'Periode'))).toBe(true);

  await button(page, 'Tanggal').click();
  await picker(page).getByRole('button', { name: 'Bulan lalu' }).click();
  await waitFor(async () =>
    expect(await emitted(page, 'Tanggal')).toBe('2026-10-01 2026-10-31, 1×'),
  );
  expect(await button(page, 'Tanggal').getAttribute('aria-label')).toBe('Tanggal: Bulan lalu');
});

test('clicks set start and end, a day before the start restarts, and Apply reports the range', async ({
  show,
}) => {
  const page = await show('date-picker');
  await button(page, 'Tanggal').click();
  await picker(page).getByRole('button', { name: 'Rentang khusus' }).click();
  await waitFor(async () => expect(await picker(page).getByRole('grid').count()).toBe(2));
  const apply = picker(page).getByRole('button', { name: 'Terapkan' });
  expect(await apply.getAttribute('aria-disabled')).toBe('true');
  await day(page, '10 November 2026').click();
  await picker(page).getByText('Mulai 10 Nov 2026. Pilih hari terakhir.').waitFor();
  await day(page, '5 November 2026').click();
  await day(page, '24 Desember 2026').click();
  await picker(page).getByText('5 Nov – 24 Des 2026, 50 hari').waitFor();
  expect(await day(page, 'Kamis, 5 November 2026, mulai').getAttribute('aria-selected')).toBe(
    'true',
  );
  expect(await day(page, 'Kamis, 24 Desember 2026, akhir').count()).toBe(1);
  expect(await day(page, 'Sabtu, 21 November 2026, hari ini').count()).toBe(1);
  expect(await emitted(page, 'Tanggal')).toBe('null, 0×');
  await apply.click();
  await waitFor(async () =>
    expect(await emitted(page, 'Tanggal')).toBe('2026-11-05 2026-12-24, 1×'),
  );

  await button(page, 'Tanggal').click();
  await day(page, '7 November 2026').click();
  await day(page, '7 November 2026').click();
  await picker(page).getByText('7 Nov 2026, 1 hari').waitFor();
  expect(await day(page, '7 November 2026, mulai, akhir').count()).toBe(1);
  await picker(page).getByRole('button', { name: 'Batal' }).click();
  await waitFor(async () =>
    expect(await emitted(page, 'Tanggal')).toBe('2026-11-05 2026-12-24, 1×'),
  );
});

test('Escape restores; a click outside keeps a complete range and drops half of one', async ({
  show,
}) => {
  const page = await show('date-picker');
  const label = 'Periode laporan';
  const start = '2026-10-28 2026-11-03';
  await button(page, label).click();
  await day(page, '10 November 2026').click();
  await day(page, '12 November 2026').click();
  await page.keyboard.press('Escape');
  await waitFor(async () => expect(await picker(page).count()).toBe(0));
  expect(await emitted(page, label)).toBe(`${start}, 0×`);

  await button(page, label).click();
  await day(page, '10 November 2026').click();
  await page.getByRole('heading', { level: 1 }).click();
  await waitFor(async () => expect(await picker(page).count()).toBe(0));
  expect(await emitted(page, label)).toBe(`${start}, 0×`);

  await button(page, label).click();
  await day(page, '10 November 2026').click();
  await day(page, '12 November 2026').click();
  await page.getByRole('heading', { level: 1 }).click();
  await waitFor(async () => expect(await emitted(page, label)).toBe('2026-11-10 2026-11-12, 1×'));
  await page.getByRole('button', { name: `Hapus tanggal, ${label}` }).click();
  await waitFor(async () => expect(await emitted(page, label)).toBe('null, 2×'));
});

test('dates are typed in common notations, and nonsense is ignored', async ({ show }) => {
  const page = await show('date-picker');
  const typed = () => picker(page).getByRole('textbox', { name: 'Ketik rentang tanggal' });
  const type = async (text: string) => {
    await waitFor(async () => expect(await picker(page).count()).toBe(0));
    await button(page, 'Tanggal').click();
    await typed().fill(text);
    await typed().press('Enter');
  };
  await type('1 okt - 07/10/2026');
  await waitFor(async () =>
    expect(await emitted(page, 'Tanggal')).toBe('2026-10-01 2026-10-07, 1×'),
  );
  await type('kemarin');
  await waitFor(async () =>
    expect(await emitted(page, 'Tanggal')).toBe('2026-11-20 2026-11-20, 2×'),
  );
  await type('minggu depan');
  await waitFor(async () => expect(await picker(page).count()).toBe(1));
  await typed().press('Tab');
  await waitFor(async () => expect(await typed().inputValue()).toBe('20 Nov 2026'));
  await typed().fill('28 des - 3 jan 2027');
  await picker(page).getByRole('grid', { name: 'Desember 2026' }).waitFor();
  expect(await focused(typed())).toBe(true);
  await page.getByRole('heading', { level: 1 }).click();
  await waitFor(async () =>
    expect(await emitted(page, 'Tanggal')).toBe('2026-12-28 2027-01-03, 3×'),
  );
});

test('reopened at once, it stays open with the focus in it', async ({ show }) => {
  const page = await show('date-picker');
  await button(page, 'Tanggal').click();
  const preset = picker(page).getByRole('button', { name: 'Bulan lalu' });
  await preset.evaluate(async (one: HTMLElement) => {
    const trigger = document.querySelector<HTMLElement>('[aria-expanded="true"]');
    one.click();
    await Promise.resolve();
    if (trigger?.ariaExpanded !== 'false') throw new Error('it did not close');
    trigger.click();
    await new Promise((late) => setTimeout(late, 1));
    await new Promise((late) => setTimeout(late, 1));
  });
  await waitFor(async () =>
    expect(await picker(page).evaluate((one) => one.contains(document.activeElement))).toBe(true),
  );
});

test('the grid follows the keys of the APG, across months, years and leap days', async ({
  show,
}) => {
  const page = await show('date-picker');
  await button(page, 'Tanggal kirim').focus();
  await page.keyboard.press('Enter');
  await waitFor(async () => expect(await standsOn(page)).toBe('2028-02-29'));
  const steps: readonly (readonly [string, string])[] = [
    ['ArrowRight', '2028-03-01'],
    ['ArrowLeft', '2028-02-29'],
    ['ArrowDown', '2028-03-07'],
    ['ArrowUp', '2028-02-29'],
    ['Home', '2028-02-27'],
    ['End', '2028-03-04'],
    ['PageUp', '2028-02-04'],
    ['PageDown', '2028-03-04'],
    ['Shift+PageDown', '2029-03-04'],
    ['Shift+PageUp', '2028-03-04'],
    ['t', '2026-11-21'],
  ];
  for (const [key, to] of steps) {
    await page.keyboard.press(key);
    await waitFor(async () => expect(await standsOn(page)).toBe(to));
  }
  await picker(page).getByRole('grid', { name: 'November 2026' }).waitFor();
  expect(await picker(page).locator('[data-day][tabindex="0"]').count()).toBe(1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await picker(page).getByText('Sabtu, 28 November 2026').waitFor();
  expect(await emitted(page, 'Tanggal kirim')).toBe('2028-02-29');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await waitFor(async () => expect(await emitted(page, 'Tanggal kirim')).toBe('2026-11-28'));
});

test('a range is selected by the keyboard alone', async ({ show }) => {
  const page = await show('date-picker');
  await button(page, 'Tanggal').focus();
  await page.keyboard.press('Enter');
  await waitFor(async () =>
    expect(await focused(picker(page).getByRole('button', { name: 'Hari ini' }))).toBe(true),
  );
  await picker(page).getByRole('button', { name: 'Rentang khusus' }).focus();
  await page.keyboard.press('Enter');
  await waitFor(async () => expect(await standsOn(page)).toBe('2026-11-21'));
  for (const key of ['PageUp', 'Enter', 'PageDown', 'ArrowRight', 'Enter']) {
    await page.keyboard.press(key);
  }
  await picker(page).getByText('21 Okt – 22 Nov 2026, 33 hari').waitFor();
  await picker(page).getByRole('button', { name: 'Terapkan' }).press('Enter');
  await waitFor(async () =>
    expect(await emitted(page, 'Tanggal')).toBe('2026-10-21 2026-11-22, 1×'),
  );
  expect(await focused(button(page, 'Tanggal'))).toBe(true);
});

test('with autoApply the last click applies', async ({ show }) => {
  const page = await show('date-picker');
  await button(page, 'Jatuh tempo').click();
  await day(page, '30 November 2026').click();
  await waitFor(async () => expect(await emitted(page, 'Jatuh tempo')).toBe('2026-11-30'));
  expect(await picker(page).count()).toBe(0);
  await button(page, 'Rentang cepat').click();
  await picker(page).getByRole('button', { name: 'Rentang khusus' }).click();
  await day(page, '1 November 2026').click();
  await day(page, '3 November 2026').click();
  await waitFor(async () =>
    expect(await emitted(page, 'Rentang cepat')).toBe('2026-11-01 2026-11-03, 1×'),
  );
});

test('days outside the bounds are disabled but focusable', async ({ show }) => {
  const page = await show('date-picker');
  await button(page, 'Riwayat').click();
  const names = await picker(page).getByRole('listitem').allInnerTexts();
  expect(names).toEqual(['Hari ini', 'Kemarin', '7 hari terakhir', 'Rentang khusus']);
  await picker(page).getByRole('button', { name: 'Rentang khusus' }).click();
  await picker(page).getByRole('grid', { name: 'Oktober 2026' }).waitFor();
  const next = picker(page).getByRole('button', { name: 'Bulan berikutnya' });
  expect(await next.getAttribute('aria-disabled')).toBe('true');
  await waitFor(async () => expect(await standsOn(page)).toBe('2026-11-21'));
  await page.keyboard.press('ArrowRight');
  await waitFor(async () => expect(await standsOn(page)).toBe('2026-11-22'));
  const tomorrow = day(page, 'Minggu, 22 November 2026');
  expect(await tomorrow.getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('Enter');
  await picker(page).getByText('Pilih hari pertama').waitFor();

  await day(page, '6 Oktober 2026').click();
  await waitFor(async () =>
    expect(await day(page, '19 Oktober 2026').getAttribute('aria-disabled')).toBe(null),
  );
  expect(await day(page, '20 Oktober 2026').getAttribute('aria-disabled')).toBe('true');
  await day(page, '20 Oktober 2026').click({ force: true });
  await picker(page).getByText('Mulai 6 Okt 2026').waitFor();
  await day(page, '19 Oktober 2026').click();
  await picker(page).getByText('6 – 19 Okt 2026, 14 hari').waitFor();
});

test('the calendars turn together, with weeks from Sunday', async ({ show }) => {
  const page = await show('date-picker');
  await button(page, 'Libur toko').click();
  const months = () =>
    picker(page)
      .getByRole('grid')
      .evaluateAll((grids) =>
        grids.map((grid) => {
          const name = grid.getAttribute('aria-labelledby') ?? '';
          return document.getElementById(name)?.innerText ?? '';
        }),
      );
  expect(await months()).toEqual(['Desember 2026', 'Januari 2027']);
  const heads = await picker(page).getByRole('columnheader').allInnerTexts();
  expect(heads[0]).toContain('Min');
  await picker(page).getByRole('button', { name: 'Bulan sebelumnya' }).click();
  await waitFor(async () => expect(await months()).toEqual(['November 2026', 'Desember 2026']));
  expect(await picker(page).locator('[data-day][tabindex="0"]').count()).toBe(1);
});

test('on a phone it is a sheet as high as the screen, with one month', async ({ show }) => {
  const page = await show('date-picker', { width: 390, still: true });
  await button(page, 'Periode laporan').click();
  const sheet = picker(page);
  expect(await sheet.getByRole('grid').count()).toBe(1);
  const box = await boxOf(sheet.getByRole('heading', { level: 2 }).locator('xpath=../..'));
  const view = page.viewportSize();
  expect(box.height).toBe(view?.height);
  expect(box.width).toBe(view?.width);
  const cell = await day(page, '12 November 2026').count();
  expect(cell).toBe(0);
  await sheet.getByRole('button', { name: 'Bulan berikutnya' }).click();
  const target = await boxOf(day(page, '12 November 2026'));
  expect(target.height).toBeGreaterThanOrEqual(44);
  expect(target.width).toBeGreaterThanOrEqual(44);
  await day(page, '12 November 2026').click();
  await day(page, '14 November 2026').click();
  await sheet.getByRole('button', { name: 'Terapkan' }).click();
  await waitFor(async () =>
    expect(await emitted(page, 'Periode laporan')).toBe('2026-11-12 2026-11-14, 1×'),
  );

  await button(page, 'Tanggal').click();
  await sheet.getByRole('button', { name: '7 hari terakhir' }).click();
  await waitFor(async () =>
    expect(await emitted(page, 'Tanggal')).toBe('2026-11-15 2026-11-21, 1×'),
  );
  expect(await page.getByRole('dialog').count()).toBe(0);
});
