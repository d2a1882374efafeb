import { expect, test } from 'vitest';
import { fillVariables, variableKey } from '#contract/campaigns/variables.ts';
import { judgeList } from './judge.ts';

/** The columns of a list, and the numbers that are sent to. */
function read(lines: readonly (readonly string[])[]) {
  const list = judgeList(lines);
  if (typeof list === 'string') throw new Error(list);
  const { columns, recipients } = list;
  return {
    columns,
    peers: recipients.flatMap(({ peer, isDuplicate }) => (peer && !isDuplicate ? [peer] : [])),
  };
}

test('a head with dots names its columns, and words with a dot are no user ids', () => {
  for (const head of ['NO.HP', 'No.WA', 'NO. TELP', 'no hp']) {
    expect(
      read([
        ['Nama', head],
        ['Budi', '0812-3456-7890'],
      ]),
    ).toEqual({ columns: ['Nama'], peers: ['6281234567890'] });
  }
  expect(
    read([
      ['PT.Maju', '0812-3456-7890'],
      ['CV.Jaya', '0812-3456-7891'],
    ]),
  ).toEqual({ columns: ['nama'], peers: ['6281234567890', '6281234567891'] });
  // Whose name is what lists call a number loses no message.
  expect(read([['To', '0812-3456-7890']]).peers).toEqual(['6281234567890']);
  expect(read([['ID.1A2B3C4D'], ['0812-3456-7890']]).peers).toEqual([
    'ID.1A2B3C4D',
    '6281234567890',
  ]);
});

test('a number with the 0 after its country is the same phone', () => {
  const written = [
    '0812-3456-7890',
    '+62 (0)812-3456-7890',
    '62 0812 3456 7890',
    '00620812345 67890',
  ];
  expect(read([['No HP'], ...written.map((one) => [one])]).peers).toEqual(['6281234567890']);
});

test('every column can be named by a variable', () => {
  const heads = ['Nama (panggilan)', 'Harga/Unit', '#Kota', 'Café & Co', '%', '__proto__', '🎉🎉'];
  const again = '🎉'.repeat(17) + 'x'.repeat(30);
  const { columns } = read([['No HP', ...heads, again, again], ['0812-3456-7890']]);
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

test('a list of more letters than a file of texts has ends before it is held', () => {
  const text = 'x'.repeat(500);
  let read = 0;
  function* lines() {
    for (; read < 90_000; read += 1) yield ['0812-3456-7890', ...Array<string>(26).fill(text)];
  }
  expect(judgeList(lines())).toBe('too_many');
  expect(read).toBeLessThan(3_000);
});

test('what joins emoji into one stays in a cell; what turns a text around does not', () => {
  const list = judgeList([['0812-3456-7890', 'Keluarga 👨\u200D👩\u200D👧 \u202EBudi']]);
  expect(list).toMatchObject({ recipients: [{ cells: ['Keluarga 👨\u200D👩\u200D👧  Budi'] }] });
});
