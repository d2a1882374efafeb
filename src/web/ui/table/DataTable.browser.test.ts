import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { settled } from '#tests/journeys/browser/browser.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true });
const firstCells = (place: Locator) => place.locator('tbody tr td:first-child').allInnerTexts();
const requestedFields = async (page: Page, caption: string) =>
  JSON.parse((await page.getByLabel(`${caption} asked`).textContent()) || '{}') as Record<
    string,
    unknown
  >;
const turns = (page: Page, caption: string) =>
  page.getByRole('navigation', { name: `Halaman ${caption}` });
const focused = (place: Locator) => place.evaluate((one) => one === document.activeElement);

test('it pages ten rows at a time, with the request of its paging type', async ({ show }) => {
  const page = await show('data-table');
  const sent = table(page, 'Pesan terkirim');
  await waitFor(async () => expect(await sent.getByRole('row').count()).toBe(11));
  expect(await requestedFields(page, 'Pesan terkirim')).toMatchObject({ page: 0, start: 0 });

  const third = turns(page, 'Pesan terkirim').getByRole('button', {
    name: 'Halaman 3',
    exact: true,
  });
  await third.click();
  await waitFor(async () =>
    expect(await requestedFields(page, 'Pesan terkirim')).toMatchObject({ page: 2, start: 2 }),
  );
  await turns(page, 'Pesan terkirim').getByText('Halaman 3 dari 12').waitFor();
  expect(await focused(third)).toBe(true);
  expect(await third.getAttribute('aria-current')).toBe('page');

  await turns(page, 'Pesan arrow').getByRole('button', { name: 'Halaman terakhir' }).click();
  await waitFor(async () =>
    expect(await requestedFields(page, 'Pesan arrow')).toMatchObject({ page: 4, start: 4 }),
  );
  await waitFor(async () =>
    expect(await table(page, 'Pesan arrow').getByRole('row').count()).toBe(5),
  );

  const next = turns(page, 'Pesan manual').getByRole('button', { name: 'Halaman berikutnya' });
  await next.click();
  await waitFor(async () =>
    expect(await requestedFields(page, 'Pesan manual')).toMatchObject({ page: 2, start: 10 }),
  );
  await next.click();
  await next.click();
  await waitFor(async () =>
    expect(await requestedFields(page, 'Pesan manual')).toMatchObject({ page: 4, start: 30 }),
  );
  await waitFor(async () => expect(await next.getAttribute('aria-disabled')).toBe('true'));
});

test('a header sorts ascending, then toggles, and returns to the first page', async ({ show }) => {
  const page = await show('data-table');
  const sent = table(page, 'Pesan terkirim');
  const header = sent.getByRole('columnheader', { name: 'Tanggal' });
  expect(await header.getAttribute('aria-sort')).toBe('none');
  expect(await header.getAttribute('scope')).toBe('col');
  await turns(page, 'Pesan terkirim')
    .getByRole('button', { name: 'Halaman 2', exact: true })
    .click();
  await header.getByRole('button').press('Enter');
  await waitFor(async () => expect(await header.getAttribute('aria-sort')).toBe('ascending'));
  await waitFor(async () =>
    expect(await requestedFields(page, 'Pesan terkirim')).toMatchObject({
      page: 0,
      sort_by: 'at',
      sort_type: 'asc',
    }),
  );
  await header.getByRole('button').press('Enter');
  await waitFor(async () => expect(await header.getAttribute('aria-sort')).toBe('descending'));
  await header.getByRole('button').press('Enter');
  await waitFor(async () => expect(await header.getAttribute('aria-sort')).toBe('ascending'));
});

test('skeletons appear once; afterwards the old rows stay until the next arrive', async ({
  show,
}) => {
  const page = await show('data-table');
  const held = table(page, 'Pesan ditahan');
  const answer = page.getByRole('button', { name: 'Answer', exact: true });
  expect(await held.getAttribute('aria-busy')).toBe('true');
  expect(await held.locator('tbody tr[aria-hidden]').count()).toBe(10);
  await answer.click();
  await waitFor(async () =>
    expect(await held.locator('tbody tr:not([aria-hidden])').count()).toBe(10),
  );
  expect(await held.getAttribute('aria-busy')).toBe(null);

  const before = await firstCells(held);
  await turns(page, 'Pesan ditahan').getByRole('button', { name: 'Halaman berikutnya' }).click();
  await waitFor(async () => expect(await held.getAttribute('aria-busy')).toBe('true'));
  expect(await firstCells(held)).toEqual(before);
  await answer.click();
  await waitFor(async () => expect(await firstCells(held)).not.toEqual(before));
  expect(await held.getAttribute('aria-busy')).toBe(null);
});

test('a loading table is one animation, however many skeletons it has', async ({ show }) => {
  const page = await show('data-table');
  const body = table(page, 'Pesan ditahan').locator('tbody');
  expect(await body.locator('[class*="bone"]').count()).toBeGreaterThan(10);
  expect(await body.evaluate((one) => one.getAnimations({ subtree: true }).length)).toBe(1);
});

test('a failure is reported once, in a toast and to the owner, and leaves an empty list', async ({
  show,
}) => {
  const page = await show('data-table');
  const held = table(page, 'Pesan ditahan');
  const failure = page.getByLabel('Pesan ditahan failed');
  const answer = page.getByRole('button', { name: 'Answer', exact: true });
  await answer.click();
  await waitFor(async () => expect(await held.getByRole('row').count()).toBe(11));
  const turn = turns(page, 'Pesan ditahan').getByRole('button', { name: 'Halaman berikutnya' });
  await turn.click();
  await page.getByRole('button', { name: 'Refuse' }).click();
  const words = 'Server sedang sibuk. Coba lagi sebentar lagi.';
  await page
    .getByRole('region', { name: /Pemberitahuan/ })
    .getByText(words)
    .waitFor();
  await held.getByText('Data tidak ditemukan').waitFor();
  expect(await failure.textContent()).toBe(words);
  expect(await turns(page, 'Pesan ditahan').count()).toBe(0);

  // Another order is a new request: a text and a null are no lists either.
  const header = held.getByRole('columnheader', { name: 'Kepada' }).getByRole('button');
  for (const name of ['Answer a text', 'Answer null']) {
    await header.click();
    await page.getByRole('button', { name }).click();
    await held.getByText('Data tidak ditemukan').waitFor();
  }
  await waitFor(async () => expect((await failure.textContent())?.split(', ').length).toBe(3));
  expect(await failure.textContent()).toContain('Error');
});

test('a page that no longer exists becomes the last one, without a history entry', async ({
  show,
}) => {
  const page = await show('data-table');
  const far = table(page, 'Pesan jauh');
  await waitFor(async () => expect(await far.getByRole('row').count()).toBe(5));
  expect(await requestedFields(page, 'Pesan jauh')).toMatchObject({ page: 3 });
  expect(await page.getByLabel('Pesan jauh replaced').textContent()).toBe('1');

  const shrinking = table(page, 'Pesan berkurang');
  await turns(page, 'Pesan berkurang').getByRole('button', { name: 'Halaman terakhir' }).click();
  await waitFor(async () =>
    expect(await requestedFields(page, 'Pesan berkurang')).toMatchObject({ page: 4 }),
  );
  await page.getByRole('button', { name: 'Keep 12 rows' }).click();
  await waitFor(async () =>
    expect(await requestedFields(page, 'Pesan berkurang')).toMatchObject({ page: 2 }),
  );
  await waitFor(async () => expect(await shrinking.getByRole('row').count()).toBe(3));
});

test('an empty list shows a message over its whole width, with an action', async ({ show }) => {
  const page = await show('data-table');
  const empty = table(page, 'Pesan kosong');
  const cell = empty.getByRole('cell', { name: /Data tidak ditemukan/ });
  expect(await cell.getAttribute('colspan')).toBe('5');
  const button = await boxOf(cell.getByRole('button', { name: 'Kirim pesan pertama' }));
  const literal = await boxOf(cell.getByText('Data tidak ditemukan'));
  expect(literal.y + literal.height).toBeLessThanOrEqual(button.y);
  expect(await turns(page, 'Pesan kosong').count()).toBe(0);
});

test('columns are resized by keys and by the pointer, never under 20 px', async ({ show }) => {
  const page = await show('data-table', { still: true });
  const sent = table(page, 'Pesan terkirim');
  const line = sent.getByRole('separator', { name: 'Lebar kolom Kepada' });
  const header = sent.getByRole('columnheader', { name: /^Kepada/ });
  const width = async () => Math.round((await boxOf(header)).width);
  const now = async () => Number(await line.getAttribute('aria-valuenow'));
  const start = await width();
  await waitFor(async () => expect(await now()).toBe(start));
  expect(await line.getAttribute('aria-valuemin')).toBe('20');

  await sent
    .getByRole('columnheader', { name: /^Kepada/ })
    .getByRole('button')
    .focus();
  await page.keyboard.press('Tab');
  expect(await focused(line)).toBe(true);
  await page.keyboard.press('ArrowRight');
  await waitFor(async () => expect(await width()).toBe(start + 10));
  await waitFor(async () => expect(await now()).toBe(start + 10));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await waitFor(async () => expect(await width()).toBe(start - 10));
  await page.keyboard.press('Home');
  await waitFor(async () => expect(await now()).toBe(20));
  await page.keyboard.press('ArrowLeft');
  await waitFor(async () => expect(await width()).toBe(20));
  await page.keyboard.press('End');
  await waitFor(async () => expect(await width()).toBe(150));
  expect(Number(await line.getAttribute('aria-valuemax'))).toBeGreaterThan(150);

  const box = await boxOf(line);
  await page.mouse.move(box.x + box.width / 2, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 60, box.y + 10, { steps: 3 });
  await page.mouse.up();
  await waitFor(async () => expect(await width()).toBe(210));
  await turns(page, 'Pesan terkirim')
    .getByRole('button', { name: 'Halaman 2', exact: true })
    .click();
  await waitFor(async () =>
    expect(await requestedFields(page, 'Pesan terkirim')).toMatchObject({ page: 1 }),
  );
  expect(await width()).toBe(210);
});

test('the keyboard moves between rows, opens and selects them', async ({ show }) => {
  const page = await show('data-table');
  const list = table(page, 'Pesan pilihan');
  const chosen = page.getByLabel('Chosen', { exact: true });
  await list.getByRole('button', { name: 'Budi Santoso 1', exact: true }).focus();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  expect(await focused(list.getByRole('button', { name: 'Dewi Lestari 2' }))).toBe(true);
  await page.keyboard.press('x');
  expect(await chosen.textContent()).toBe('msg-002');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Opened from the chosen').textContent()).toBe('msg-002');

  await page.keyboard.press('Shift+Tab');
  const box = list.getByRole('checkbox', { name: 'Pilih baris Dewi Lestari 2' });
  expect(await focused(box)).toBe(true);
  await page.keyboard.press('j');
  await page.keyboard.press('Space');
  expect(await chosen.textContent()).toBe('msg-002 msg-003');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Opened from the chosen').textContent()).toBe('msg-003');
});

test('a row’s own menu is named after it, and opens nothing else', async ({ show }) => {
  const page = await show('data-table');
  const sent = table(page, 'Pesan terkirim');
  await sent.getByRole('button', { name: 'Tindakan untuk Budi Santoso 1', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Salin isi' }).click();
  expect(await page.getByLabel('Done', { exact: true }).textContent()).toBe('Salin msg-001');
  expect(await page.getByLabel('Opened', { exact: true }).textContent()).toBe('');
  await sent.getByText('Kontrol gigi besok').first().click();
  expect(await page.getByLabel('Opened', { exact: true }).textContent()).toBe('msg-002');
});

test('rows are 44 px high, or 36, as stored in this browser', async ({ show }) => {
  const page = await show('data-table');
  const row = table(page, 'Pesan terkirim').getByRole('row').nth(2);
  const height = async () => Math.round((await boxOf(row)).height);
  await row.waitFor();
  expect(await height()).toBe(44);
  await page.getByRole('button', { name: 'Baris rapat, Pesan terkirim' }).press('Enter');
  await waitFor(async () => expect(await height()).toBe(36));
  await page.reload();
  await row.waitFor();
  expect(await height()).toBe(36);
  const button = page.getByRole('button', { name: 'Baris rapat, Pesan arrow' });
  expect(await button.getAttribute('aria-pressed')).toBe('true');
});

test('on a phone a row is a card and no element is wider than the screen', async ({ show }) => {
  const page = await show('data-table', { width: 390 });
  const sent = table(page, 'Pesan terkirim');
  const row = sent.getByRole('row').filter({ hasText: 'Budi Santoso 1' }).first();
  await row.waitFor();
  const box = await boxOf(row);
  expect(box.height).toBeGreaterThanOrEqual(44);
  expect(box.height).toBeLessThan(104);
  expect(await row.getByRole('cell').count()).toBe(6);
  // Text too long for a card is truncated, also inside the button that opens it.
  const opens = page.locator('[data-row="open"]').first();
  expect(await opens.evaluate((one) => getComputedStyle(one).textOverflow)).toBe('ellipsis');
  const over = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await over()).toBe(0);

  const sort = page.getByLabel('Urutkan Pesan terkirim');
  expect((await boxOf(sort.locator('xpath=..'))).height).toBeGreaterThanOrEqual(44);
  await sort.selectOption('Tanggal, turun');
  await waitFor(async () =>
    expect(await requestedFields(page, 'Pesan terkirim')).toMatchObject({
      sort_by: 'at',
      sort_type: 'desc',
    }),
  );
  await page.getByRole('button', { name: 'Pilih baris, Pesan pilihan' }).click();
  const bar = page.getByRole('group', { name: /Baris terpilih/ });
  await bar.getByRole('checkbox', { name: 'Pilih semua baris di halaman ini' }).check();
  await bar.getByText('10 dipilih').waitFor();
  const one = table(page, 'Pesan pilihan').getByRole('checkbox').first();
  const target = await boxOf(one.locator('xpath=..'));
  expect(Math.min(target.width, target.height)).toBeGreaterThanOrEqual(44);
});

test('rows of one day have one heading; a row expands in place', async ({ show }) => {
  for (const width of [1440, 390] as const) {
    const page = await show('data-table', { width });
    const daily = table(page, 'Pesan per hari');
    await daily.getByRole('rowheader').first().waitFor();
    expect(await daily.getByRole('rowheader').allInnerTexts()).toEqual([
      '20 Nov 2026',
      '19 Nov 2026',
      '18 Nov 2026',
    ]);
    const opener = daily.getByRole('button', { name: /^Rincian/ }).first();
    expect(await opener.getAttribute('aria-expanded')).toBe('false');
    const rows = await daily.getByRole('row').count();
    await opener.press('Enter');
    await waitFor(async () => expect(await opener.getAttribute('aria-expanded')).toBe('true'));
    expect(await daily.getByRole('row').count()).toBe(rows + 1);
    const detail = daily.getByRole('row').nth(3);
    expect((await boxOf(detail)).width).toBeGreaterThan(300);
    await opener.press('Enter');
    await waitFor(async () => expect(await daily.getByRole('row').count()).toBe(rows));
  }
});

test('phones have a sort list only if something is sortable', async ({ show }) => {
  const page = await show('data-table', { width: 390 });
  const order = (caption: string) =>
    page.getByRole('combobox', { name: `Urutkan ${caption}`, exact: true });
  await table(page, 'Pesan tunggal').getByText('Budi Santoso 1').waitFor();
  await waitFor(async () => expect(await order('Pesan terkirim').count()).toBe(1));
  expect(await order('Pesan tunggal').count()).toBe(0);
  await waitFor(async () => expect(await order('Pesan kosong').count()).toBe(0));
});

test('money is never truncated: in a table, in its cards, nor in a narrowed column', async ({
  show,
}) => {
  const page = await show('data-table');
  const sent = table(page, 'Pesan terkirim');
  await sent.getByText('Rp 150').first().waitFor();
  const cut = () =>
    sent
      .locator('td[data-whole]')
      .evaluateAll((cells) =>
        cells.filter(
          (cell) =>
            cell.scrollWidth > cell.clientWidth || getComputedStyle(cell).overflowX !== 'visible',
        ),
      );
  const price = sent.getByRole('columnheader', { name: 'Biaya' });
  for (const width of [1440, 1024, 720, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    expect({ width, cut: await cut() }).toEqual({ width, cut: [] });
    const isCard = (await boxOf(sent.locator('thead'))).width <= 1;
    expect({ width, isCard }).toEqual({ width, isCard: width <= 720 });
  }
  expect(await sent.getByRole('row').nth(1).innerText()).toMatch(/Biaya\s*Rp\s[\d.]+$/);

  await page.setViewportSize({ width: 1440, height: 900 });
  const before = await boxOf(price);
  const line = sent.getByRole('separator', { name: 'Lebar kolom Tanggal' });
  await line.press('End');
  while ((await boxOf(price)).width > 60) await line.press('ArrowRight');
  expect((await boxOf(price)).width).toBeLessThan(before.width);
  expect(await cut()).toEqual([]);
});
