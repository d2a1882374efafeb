import { expect, test } from 'vitest';
import { zipOf } from '#tests/support/hostile/hostile-files.ts';
import { readList } from './read-list.ts';

const peerAt = (n: number): string => `62812${30_000_000 + n}`;

test('a list is handed over whole, in its order', async () => {
  const lines = Array.from({ length: 4_500 }, (_, n) => `${peerAt(n)},Pelanggan ${n}`);
  const { columns, recipients } = await readList(Buffer.from(lines.join('\n')), 'toko');
  expect(columns).toEqual(['nama']);
  expect(recipients.map(({ peer, cells }) => [peer, ...cells])).toEqual(
    lines.map((_, n) => [peerAt(n), `Pelanggan ${n}`]),
  );
});

test('a text that begins as the word PK is read as a text', async () => {
  const { columns, recipients } = await readList(
    Buffer.from('PKK RT,No HP\nMawar,081234567890'),
    'toko',
  );
  expect([columns, recipients[0]?.peer]).toEqual([['PKK RT'], '6281234567890']);
});

test.each([
  ['Nama;No HP;Alamat', 'Budi, S.E.;081234567890;Jl. Mawar 1, RT 1, RW 2, Bandung'],
  ['081234567890;Budi, S.E., M.M.', '081234567891;Siti'],
  ['Nama,No HP,Catatan', 'Budi,081234567890,"merah; biru; hijau; kuning"'],
  ['sep=;', 'Nama;No HP', 'Budi;081234567890'],
  ['Nama\tNo HP\tAlamat', 'Budi\t081234567890\tJl. Mawar 1, RT 1; RW 2, a, b'],
])('the cells of %s are parted by what its lines have in common', async (...lines) => {
  const { recipients } = await readList(Buffer.from(lines.join('\r\n')), 'toko');
  expect(recipients[0]?.peer).toBe('6281234567890');
  expect(recipients.every(({ peer }) => peer !== null)).toBe(true);
});

const SHEETS = 'http://schemas.openxmlformats.org';

/** A workbook with one cell, wherever that says it is. */
const sheetWith = (at: string) =>
  zipOf({
    '[Content_Types].xml': `<Types xmlns="${SHEETS}/package/2006/content-types"/>`,
    'xl/workbook.xml':
      `<workbook xmlns="${SHEETS}/spreadsheetml/2006/main" xmlns:r="${SHEETS}/officeDocument/2006/relationships">` +
      '<sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      `<Relationships xmlns="${SHEETS}/package/2006/relationships"><Relationship Id="rId1" ` +
      `Type="${SHEETS}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml':
      `<worksheet xmlns="${SHEETS}/spreadsheetml/2006/main"><sheetData><row r="1">` +
      `<c r="${at}"><v>6281234567890</v></c></row></sheetData></worksheet>`,
  });

test('a spreadsheet that takes all memory there is ends its reader alone', async () => {
  expect((await readList(await sheetWith('A1'), 'toko')).recipients).toHaveLength(1);
  const refusal = await readList(await sheetWith('ZZZZZZZ1'), 'toko').catch((one: unknown) => one);
  expect(refusal).toMatchObject({ code: 'recipients_unreadable', facts: { why: 'broken' } });
});
