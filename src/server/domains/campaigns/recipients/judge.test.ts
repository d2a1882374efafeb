import { expect, test } from 'vitest';
import { fillVariables, variableKey } from '#contract/campaigns.ts';
import { judgeList } from './judge.ts';

async function read(lines: readonly (readonly string[])[]) {
  const list = await judgeList(lines);
  if (typeof list === 'string') throw new Error(list);
  const { columns, recipients } = list;
  return {
    columns,
    peers: recipients.flatMap(({ peer, isDuplicate }) => (peer && !isDuplicate ? [peer] : [])),
  };
}

test('reads a header with dots as column names, and no word with a dot as a user id', async () => {
  for (const head of ['NO.HP', 'No.WA', 'NO. TELP', 'no hp']) {
    expect(
      await read([
        ['Nama', head],
        ['Budi', '0812-3456-7890'],
      ]),
    ).toEqual({ columns: ['Nama'], peers: ['6281234567890'] });
  }
  expect(
    await read([
      ['PT.Maju', '0812-3456-7890'],
      ['CV.Jaya', '0812-3456-7891'],
    ]),
  ).toEqual({ columns: ['nama'], peers: ['6281234567890', '6281234567891'] });
  // A person named like a number column still gets their message.
  expect((await read([['To', '0812-3456-7890']])).peers).toEqual(['6281234567890']);
  expect((await read([['ID.1A2B3C4D'], ['0812-3456-7890']])).peers).toEqual([
    'ID.1A2B3C4D',
    '6281234567890',
  ]);
});

test('reads a number with a 0 after the country code as the same phone', async () => {
  const written = [
    '0812-3456-7890',
    '+62 (0)812-3456-7890',
    '62 0812 3456 7890',
    '00620812345 67890',
  ];
  expect((await read([['No HP'], ...written.map((one) => [one])])).peers).toEqual([
    '6281234567890',
  ]);
});

test('gives every column a name that a variable can use', async () => {
  const heads = ['Nama (panggilan)', 'Harga/Unit', '#Kota', 'Café & Co', '%', '__proto__', '🎉🎉'];
  const again = '🎉'.repeat(17) + 'x'.repeat(30);
  const { columns } = await read([['No HP', ...heads, again, again], ['0812-3456-7890']]);
  expect(columns).toEqual([
    'Nama panggilan',
    'Harga Unit',
    'Kota',
    'Café Co',
    'kolom 6',
    '__proto__',
    'kolom 8',
    'x'.repeat(30),
    `${'x'.repeat(30)} 2`,
  ]);
  for (const name of columns) {
    expect(fillVariables(`{${name}}!`, new Map([[variableKey(name), 'isi']]))).toBe('isi!');
  }
});

test('rejects a list with too many characters before holding it in memory', async () => {
  const text = 'x'.repeat(500);
  let read = 0;
  function* lines() {
    for (; read < 90_000; read += 1) yield ['0812-3456-7890', ...Array<string>(26).fill(text)];
  }
  expect(await judgeList(lines())).toBe('too_many');
  expect(read).toBeLessThan(3_000);
});

test('keeps joiners of emoji in a cell and removes marks that reverse text', async () => {
  const list = await judgeList([['0812-3456-7890', 'Keluarga 👨\u200D👩\u200D👧 \u202EBudi']]);
  expect(list).toMatchObject({ recipients: [{ cells: ['Keluarga 👨\u200D👩\u200D👧  Budi'] }] });
});

test.each([
  {
    lines: ['No;Nama;No HP', '1;Budi;0812-3456-7890', '2;Siti;0813-1111-2222'],
    column: 'No HP',
  },
  { lines: ['No.;Nama;Ponsel', '1;Budi;081234567890', '2;Siti;081311112222'], column: 'Ponsel' },
  { lines: ['NO;NAMA;KONTAK', '1;Budi;081234567890', '2;Siti;081311112222'], column: 'KONTAK' },
  { lines: ['Nomor;Pelanggan', '1;081234567890', '2;081311112222'], column: 'Pelanggan' },
  { lines: ['Number;Name;x', '10000001;Budi;081234567890'], column: 'x' },
  {
    lines: ['Nama;Telp;WA', 'Budi;(021) 555-1234;081234567890', 'Siti;022-7654321;081311112222'],
    column: 'WA',
  },
  // Both columns hold mobile numbers.
  { lines: ['Nama;Telp;WA', 'Budi;081298765432;081234567890'], column: 'WA' },
  { lines: ['Kontak darurat;Nama;No HP', '081298765432;Budi;081234567890'], column: 'No HP' },
  {
    lines: [
      'HP lain;Nama;HP',
      ';Budi;081234567890',
      '081298765432;Siti;081311112222',
      ';Ani;08151',
    ],
    column: 'HP',
  },
  // A landline in the column of mobile numbers, and dates beside it.
  {
    lines: ['Tanggal;Nomor', '2026-11-21;021-5551234', '2026-11-22;081311112222'],
    column: 'Nomor',
  },
  { lines: ['No;Nama;Mobile', '1;Aisha;60123456789', '2;Wei;6598765432'], column: 'Mobile' },
  { lines: ['No;Nama;HP', '1;Budi;salah', '2;Siti;'], column: 'HP' },
])('takes the numbers of $lines from $column', async ({ lines, column }) => {
  const list = await judgeList(lines.map((line) => line.split(';')));
  expect(list).toMatchObject({ numberColumn: column });
});

test('finds the numbers of a list without a header in the column that holds the most', async () => {
  const list = await judgeList([
    ['1', 'Budi', '081234567890'],
    ['2', 'Siti', '081311112222'],
  ]);
  expect(list).toMatchObject({ numberColumn: 'nomor', columns: ['nama', 'kolom 2'] });
});
