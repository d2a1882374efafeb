import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { boxOf, test } from '#tests/support/gallery.ts';

const box = (page: Page) => page.getByRole('textbox', { name: 'Tulis pesan untuk Budi' });
const toggle = (page: Page) => page.getByRole('button', { name: 'Lampiran' });
const focused = (page: Page, name: string) =>
  page.evaluate(
    (label) =>
      document.activeElement?.getAttribute('aria-label') === label ||
      document.activeElement?.closest('label')?.textContent === label,
    name,
  );
const chosen = (page: Page) => page.getByLabel('Chosen files').textContent();

test('Enter sends, Shift+Enter breaks the line, ArrowUp restores the last text', async ({
  show,
}) => {
  const page = await show('composer', { width: 1440 });
  await box(page).focus();
  await page.keyboard.press('ArrowUp');
  expect(await box(page).inputValue()).toBe('');
  await page.keyboard.type('Halo Budi');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('kuenya siap');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Sent texts').textContent()).toBe(
    JSON.stringify('Halo Budi\nkuenya siap'),
  );
  expect(await box(page).inputValue()).toBe('');
  await page.keyboard.type('   ');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Sent texts').textContent()).not.toContain('   ');
  await box(page).fill('');
  await page.keyboard.press('ArrowUp');
  expect(await box(page).inputValue()).toBe('Halo Budi\nkuenya siap');
  expect(await focused(page, 'Tulis pesan untuk Budi')).toBe(true);

  // During composition, Enter belongs to the input method.
  await box(page).evaluate((area) =>
    area.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }),
    ),
  );
  expect(await box(page).inputValue()).toBe('Halo Budi\nkuenya siap');
});

test('the tools open, choose and close by keys alone', async ({ show }) => {
  const page = await show('composer', { width: 390 });
  await box(page).focus();
  await page.keyboard.press('Shift+Tab');
  expect(await focused(page, 'Lampiran')).toBe(true);
  const tools = page.locator(`[id="${await toggle(page).getAttribute('aria-controls')}"]`);
  expect(await tools.isVisible()).toBe(false);
  await page.keyboard.press('Enter');
  expect(await toggle(page).getAttribute('aria-expanded')).toBe('true');
  expect(await tools.isVisible()).toBe(true);
  for (const name of ['Gambar', 'Kamera', 'Dokumen', 'Kontak']) {
    await page.keyboard.press('Tab');
    expect(await focused(page, name)).toBe(true);
  }
  await page.keyboard.press('Escape');
  expect(await tools.isVisible()).toBe(false);
  expect(await focused(page, 'Lampiran')).toBe(true);

  await page.keyboard.press('Enter');
  const inputs = await tools
    .locator('input[type=file]')
    .evaluateAll((all) =>
      all.map((one) => ['accept', 'multiple', 'capture'].map((name) => one.getAttribute(name))),
    );
  expect(inputs).toEqual([
    ['image/jpeg,image/png,image/webp', '', null],
    ['image/*', null, 'environment'],
    ['.pdf,.docx,.xlsx,.csv,.txt,.zip', '', null],
    ['.vcf,text/vcard', null, null],
  ]);
  const pdf = { name: 'harga.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') };
  await page.getByLabel('Dokumen').setInputFiles(pdf);
  await waitFor(async () => expect(await chosen(page)).toBe('harga.pdf (application/pdf)'));
  expect(await tools.isVisible()).toBe(false);
  expect(await focused(page, 'Tulis pesan untuk Budi')).toBe(true);
});

test('a press outside closes the tools', async ({ show }) => {
  const page = await show('composer', { width: 1440 });
  await toggle(page).click();
  await page.getByText('Gambar', { exact: true }).waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  expect(await toggle(page).getAttribute('aria-expanded')).toBe('false');
  expect(await page.getByRole('button', { name: 'Lampiran' }).count()).toBe(1);
  await page.getByText('Nomor Kasir terputus.').waitFor();
});

test('files are dropped and pasted while the tools are closed', async ({ show }) => {
  const page = await show('composer', { width: 1440 });
  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['a'], 'kue.png', { type: 'image/png' }));
    data.items.add(new File(['b'], 'menu.pdf', { type: 'application/pdf' }));
    return data;
  });
  await box(page).dispatchEvent('dragover', { dataTransfer: dropped });
  await page.getByPlaceholder('Lepaskan untuk melampirkan').waitFor();
  await box(page).dispatchEvent('drop', { dataTransfer: dropped });
  await waitFor(async () =>
    expect(await chosen(page)).toBe('kue.png (image/png), menu.pdf (application/pdf)'),
  );
  await box(page).evaluate((area) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['c'], 'layar.png', { type: 'image/png' }));
    area.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  });
  await waitFor(async () => expect(await chosen(page)).toBe('layar.png (image/png)'));
  expect(await toggle(page).getAttribute('aria-expanded')).toBe('false');

  const words = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'hanya teks');
    return data;
  });
  await box(page).dispatchEvent('drop', { dataTransfer: words });
  await waitFor(async () => expect(await chosen(page)).toBe('layar.png (image/png)'));
});

test('a text beyond the limit stays in the box, is counted, and cannot be sent', async ({
  show,
}) => {
  const page = await show('composer', { width: 390 });
  const sari = page.getByRole('textbox', { name: 'Tulis pesan untuk Sari' });
  await sari.evaluate((one, pasted) => {
    (one as HTMLTextAreaElement).focus();
    document.execCommand('insertText', false, pasted);
  }, 'a'.repeat(5_000));
  expect(await sari.inputValue()).toHaveLength(5_000);
  const state = page.getByRole('region', { name: 'Text only' });
  await state.getByText('5.000 / 4.096').waitFor();
  await sari.press('Enter');
  expect(await sari.inputValue()).toHaveLength(5_000);

  const long = page.getByRole('region', { name: 'Too long' });
  const rina = long.getByRole('textbox', { name: 'Tulis pesan untuk Rina' });
  const send = long.getByRole('button', { name: 'Kirim' });
  const sentence = 'Terlalu panjang. Pendekkan sampai paling banyak 60 karakter.';
  await long.getByText(sentence).waitFor();
  const sentenceId = await rina.getAttribute('aria-describedby');
  expect(await long.locator(`[id="${sentenceId}"]`).textContent()).toBe(sentence);
  expect(await send.getAttribute('aria-disabled')).toBe('true');
  await send.click({ force: true });
  await rina.press('Enter');
  expect(await page.getByLabel('Sent texts').textContent()).toBe('');
  await rina.fill(`  ${'b'.repeat(60)}  `);
  await long.getByText('60 / 60').waitFor();
  expect(await rina.getAttribute('aria-invalid')).toBe(null);
  await send.click();
  expect(await page.getByLabel('Sent texts').textContent()).toBe(JSON.stringify('b'.repeat(60)));
  await rina.fill('Baik');
  expect(await long.getByText('/ 60').count()).toBe(0);
});

test('at 320 px a line has ten letters, with the emoji button in the box', async ({ show }) => {
  const page = await show('composer', { width: 390 });
  await page.setViewportSize({ width: 320, height: 640 });
  const words = () =>
    box(page).evaluate((area) => {
      const { paddingLeft, paddingRight } = getComputedStyle(area);
      return area.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    });
  // Ten letters, in the gallery's narrower frame: it was five.
  expect(await words()).toBeGreaterThan(80);
  const emoji = page
    .getByRole('region', { name: 'With tools' })
    .getByRole('button', { name: 'Emoji' });
  const [field, button] = [await boxOf(box(page)), await boxOf(emoji)];
  expect(button.x + button.width).toBeLessThanOrEqual(field.x + field.width);
  expect(button.y + button.height).toBeLessThanOrEqual(field.y + field.height);
});
