import { expect, test } from 'vitest';
import { csvCell } from '#server/infra/csv.ts';
import { zipOf } from '#tests/support/hostile/hostile-files.ts';
import { readList } from './read-list.ts';

const peerAt = (n: number): string => `62812${30_000_000 + n}`;

test('returns a whole list in order', async () => {
  const lines = Array.from({ length: 4_500 }, (_, n) => `${peerAt(n)},Pelanggan ${n}`);
  const { columns, recipients } = await readList(Buffer.from(lines.join('\n')), 'toko');
  expect(columns).toEqual(['nama']);
  expect(recipients.map(({ peer, cells }) => [peer, ...cells])).toEqual(
    lines.map((_, n) => [peerAt(n), `Pelanggan ${n}`]),
  );
});

test('reads a text that begins with PK as text', async () => {
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

test('reads an exported file back as its original texts', async () => {
  const texts = ['Halo;=1+1', '- susu\n- roti', '"+62"', "'-5"];
  const lines = [['Nomor', 'Isi'], ...texts.map((text, at) => [`+${peerAt(at)}`, text])];
  const csv = lines.map((line) => `${line.map(csvCell).join(',')}\r\n`).join('');
  expect(csv).toContain("'+62");
  const { columns, recipients } = await readList(Buffer.from(csv), 'toko');
  expect(columns).toEqual(['Isi']);
  // A list turns a line break into a space, and drops the apostrophe before a number.
  expect(recipients.map(({ peer, cells }) => [peer, ...cells])).toEqual(
    ['Halo;=1+1', '- susu - roti', '"+62"', '-5'].map((text, at) => [peerAt(at), text]),
  );
});

const SHEETS = 'http://schemas.openxmlformats.org';

type Workbook = {
  sheet: string;
  workbookPr?: string;
  strings?: string;
  formats?: readonly string[];
};

/** Builds a workbook from XML; style 1 is the first of its formats. */
const workbookOf = ({ sheet, workbookPr = '', strings = '', formats = [] }: Workbook) =>
  zipOf({
    '[Content_Types].xml': `<Types xmlns="${SHEETS}/package/2006/content-types"/>`,
    'xl/workbook.xml':
      `<workbook xmlns="${SHEETS}/spreadsheetml/2006/main" xmlns:r="${SHEETS}/officeDocument/2006/relationships">` +
      `${workbookPr}<sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      `<Relationships xmlns="${SHEETS}/package/2006/relationships"><Relationship Id="rId1" ` +
      `Type="${SHEETS}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${SHEETS}/spreadsheetml/2006/main">${sheet}</worksheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${SHEETS}/spreadsheetml/2006/main">${strings}</sst>`,
    'xl/styles.xml':
      `<styleSheet xmlns="${SHEETS}/spreadsheetml/2006/main"><numFmts>${formats
        .map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code}"/>`)
        .join(
          '',
        )}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>` +
      `${formats.map((_, at) => `<xf numFmtId="${164 + at}"/>`).join('')}</cellXfs></styleSheet>`,
  });

/** The cells read beside the number of one row, which is in the last column. */
async function cellsRead(cells: readonly string[], more: Partial<Workbook> = {}) {
  const last = cells.length;
  const row = [...cells, '<c r="@"><v>6281234567890</v></c>'].map((cell, at) =>
    cell.replace('@', `${String.fromCharCode(65 + at)}1`),
  );
  const sheet = `<sheetData><row r="1">${row.join('')}</row></sheetData>`;
  const { recipients } = await readList(await workbookOf({ sheet, ...more }), 'toko');
  expect(recipients).toMatchObject([{ peer: '6281234567890' }]);
  return recipients[0]?.cells.slice(0, last);
}

const refusalOf = (bytes: Uint8Array, cpuMsMax?: number) =>
  readList(bytes, 'toko', cpuMsMax).then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
const unreadable = (why: string) => ({ code: 'recipients_unreadable', facts: { why } });

const numberAt = (at: string) => `<c r="${at}"><v>6281234567890</v></c>`;

test('reads a cell at the far corner of a sheet at the cost of one beside it', async () => {
  const sheet =
    '<dimension ref="A1:XFD1048576"/><sheetData>' +
    `<row r="1">${numberAt('A1')}</row>` +
    `<row r="1048576">${numberAt('A1048576')}${numberAt('XFD1048576')}</row></sheetData>`;
  // A reader that allocates the cells between them needs many seconds, or all memory.
  const { recipients } = await readList(await workbookOf({ sheet }), 'toko', 1_500);
  expect(recipients.map(({ peer, isDuplicate }) => [peer, isDuplicate])).toEqual([
    ['6281234567890', false],
    ['6281234567890', true],
  ]);
});

test.each([
  ['a column beyond the last', `<sheetData><row r="1">${numberAt('XFE1')}</row></sheetData>`],
  ['a column of seven letters', `<sheetData><row r="1">${numberAt('ZZZZZZZ1')}</row></sheetData>`],
  [
    'a row beyond the last',
    `<sheetData><row r="1048577">${numberAt('A1048577')}</row></sheetData>`,
  ],
  [
    'a declared range beyond the last cell',
    `<dimension ref="A1:ZZZ9999999"/><sheetData><row r="1">${numberAt('A1')}</row></sheetData>`,
  ],
  ['an end in the middle', `<sheetData><row r="1">${numberAt('A1')}`],
])('refuses a workbook with %s', async (_name, sheet) => {
  expect(await refusalOf(await workbookOf({ sheet }))).toMatchObject(unreadable('broken'));
});

test('refuses a workbook with more cells than it counts', async () => {
  const row = `<row>${'<c/>'.repeat(10_000)}</row>`;
  const sheet = `<sheetData>${row.repeat(501)}</sheetData>`;
  expect(await refusalOf(await workbookOf({ sheet }))).toMatchObject(unreadable('too_many'));
});

test('ends the reader of a list that takes too much CPU', async () => {
  // Each line opens a quoted cell that is not closed nearby.
  const lines = Buffer.from('"a"a"a"a"a\n'.repeat(5_000));
  expect(await refusalOf(lines)).toMatchObject(unreadable('no_numbers'));
  expect(await refusalOf(lines, 1)).toMatchObject(unreadable('broken'));
});

test('reads a workbook text with its runs, entities and escapes', async () => {
  expect(
    await cellsRead(
      [
        '<c r="@" t="s"><v>0</v></c>',
        '<c r="@" t="inlineStr"><is><t>Toko &lt;A&gt; &amp; &#66;</t></is></c>',
        '<c r="@" t="str"><f>A1&amp;"x"</f><v>Jl._x000A_Mawar</v></c>',
        '<c r="@"/>',
      ],
      {
        strings:
          '<si><r><rPr><b/></rPr><t xml:space="preserve">Bu </t></r><r><t>Sari</t></r>' +
          '<rPh sb="0" eb="1"><t>サリ</t></rPh></si>',
      },
    ),
  ).toEqual(['Bu Sari', 'Toko <A> & B', 'Jl. Mawar', '']);
});

/** Each format with a number and the text that a spreadsheet shows for it. */
const shown: readonly [format: string, value: string, text: string][] = [
  ['h:mm', '0.6041666666666666', '14:30'],
  ['hh:mm:ss', '0.6042245370370371', '14:30:05'],
  ['h:mm AM/PM', '45000.60416666667', '14:30'],
  ['mm:ss', '0.00144675925925926', '02:05'],
  ['dd/mm/yyyy hh:mm', '46347.60416666667', '2026-11-21 14:30'],
  ['dd/mm/yyyy', '46347.60416666667', '2026-11-21'],
  ['[$-421]dd mmmm yyyy;@', '46347', '2026-11-21'],
  ['mmm-yy', '46347', '2026-11-21'],
  ['yyyy-mm-dd', '1', '1900-01-01'],
  ['yyyy-mm-dd', '60', '1900-02-29'],
  ['yyyy-mm-dd', '61', '1900-03-01'],
  ['yyyy-mm-dd', '-5', '-5'],
  ['[h]:mm', '1.5', '36:00'],
  ['[h]:mm:ss', '1.5', '36:00:00'],
  ['[mm]:ss', '0.0625', '90:00'],
  ['0%', '0.15', '15%'],
  ['0.0%', '0.1555', '15.6%'],
  ['00000', '1234', '01234'],
  ['&quot;Rp&quot;#,##0', '150000', '150000'],
  ['0.00', '0.30000000000000004', '0.3'],
  ['0&quot; hari&quot;', '3', '3'],
  ['General', '1.5E3', '1500'],
];

test('reads a number as the spreadsheet shows it', async () => {
  expect(
    await cellsRead(
      shown.map(([, value], at) => `<c r="@" s="${at + 1}"><v>${value}</v></c>`),
      { formats: shown.map(([format]) => format) },
    ),
  ).toEqual(shown.map(([, , text]) => text));
});

test('reads the same dates and times from a workbook that counts from 1904', async () => {
  const formats = ['yyyy-mm-dd hh:mm', 'h:mm', '[h]:mm'];
  const cells = ['44885.60416666667', '0.6041666666666666', '1.5'].map(
    (value, at) => `<c r="@" s="${at + 1}"><v>${value}</v></c>`,
  );
  expect(await cellsRead(cells, { formats, workbookPr: '<workbookPr date1904="1"/>' })).toEqual([
    '2026-11-21 14:30',
    '14:30',
    '36:00',
  ]);
});

test('reads booleans and written dates, and an error as an empty cell', async () => {
  expect(
    await cellsRead([
      '<c r="@" t="b"><v>1</v></c>',
      '<c r="@" t="d"><v>2026-11-21T14:30:00</v></c>',
      '<c r="@" t="d"><v>2026-11-21</v></c>',
      '<c r="@" t="e"><v>#N/A</v></c>',
    ]),
  ).toEqual(['TRUE', '2026-11-21 14:30', '2026-11-21', '']);
});
