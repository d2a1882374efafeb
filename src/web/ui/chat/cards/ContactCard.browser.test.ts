import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a contact is called, copied, messaged and saved by keys alone', async ({ show }) => {
  const page = await show('contact-card', { width: 390 });
  const budi = page.getByRole('group', { name: 'Budi Santoso' });
  const phone = budi.getByRole('link', { name: '+62 812-3456-7890' });
  expect(await phone.getAttribute('href')).toBe('tel:+6281234567890');
  await phone.focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await budi.getByRole('button', { name: 'Tersalin' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await waitFor(async () =>
    expect(await page.getByLabel('Wants to write to').textContent()).toBe('6281234567890'),
  );
  await page.keyboard.press('Tab');
  const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  expect(file.suggestedFilename()).toBe('Budi Santoso.vcf');
  expect(await text(await file.createReadStream())).toBe(
    'BEGIN:VCARD\r\nVERSION:3.0\r\nN:;Budi Santoso;;;\r\nFN:Budi Santoso\r\n' +
      'TEL;TYPE=CELL,VOICE:+6281234567890\r\nEND:VCARD\r\n',
  );
});

test('a card shows only the fields it has', async ({ show }) => {
  const page = await show('contact-card', { width: 390 });
  const shop = page.getByRole('group', { name: 'Toko Kue; Lapis, & Teman' });
  expect(await shop.getByRole('link').getAttribute('href')).toBe('tel:+6581234567');
  await shop.getByText('PT Kue Nusantara').waitFor();
  expect(await shop.getByRole('button').allTextContents()).toEqual(['Salin', 'Simpan kontak']);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    shop.getByRole('button', { name: 'Simpan kontak' }).click(),
  ]);
  expect(await text(await file.createReadStream())).toContain(
    'FN:Toko Kue\\; Lapis\\, & Teman\r\n',
  );
  const sari = page.getByRole('group', { name: 'Sari' });
  await sari.getByText('Tanpa nomor').waitFor();
  expect(await sari.getByRole('button').count()).toBe(0);
  await page.getByRole('group', { name: 'Kontak tanpa nama' }).waitFor();
});

test('a card shows, calls and saves each number, and its e-mail', async ({ show }) => {
  const page = await show('contact-card', { width: 390 });
  const ratna = page.getByRole('group', { name: 'Bu Ratna' });
  const numbers = await ratna.getByRole('link').all();
  expect(await Promise.all(numbers.map((one) => one.getAttribute('href')))).toEqual([
    'tel:+6281211112222',
    'tel:+62215551234',
    'tel:+85291234567',
  ]);
  await ratna.getByText('ratna@kue.example').waitFor();
  const save = async (name: string) => {
    const card = page.getByRole('group', { name });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      card.getByRole('button', { name: 'Simpan kontak' }).click(),
    ]);
    return text(await file.createReadStream());
  };
  expect(await save('Bu Ratna')).toContain(
    'ORG:CV Kue Nusantara\r\nTEL;TYPE=CELL,VOICE:+6281211112222\r\n' +
      'TEL;TYPE=CELL,VOICE:+62215551234\r\nTEL;TYPE=CELL,VOICE:+85291234567\r\n' +
      'EMAIL:ratna@kue.example\r\n',
  );
  const office = page.getByRole('group', { name: 'Kantor pusat' });
  await office.getByText('Tanpa nomor').waitFor();
  expect(await office.getByRole('button').allTextContents()).toEqual(['Simpan kontak']);
  expect(await save('Kantor pusat')).not.toContain('TEL');
});
