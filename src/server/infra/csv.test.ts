import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvCell, csvOf, stripFormulaGuards } from './csv.ts';

const read = (cell: string): string =>
  cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;

const formula = /^[\s\u200B]*[=+\-@＝＋－＠]/u;
const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠'] as const;
const separators = [';', ',', '\t', '\n', '\r\n', '"', "'", ' ', '\u200B', '\u2028'] as const;

const cellsOf = (line: string): readonly string[] =>
  [/[;\r\n]/, /[,\r\n]/, /[\t\r\n]/, /[;,"\t\n\v\f\r\u0085\u2028\u2029]/].flatMap((one) =>
    line.split(one),
  );

test('no text becomes a formula under any separator, and each is read back unchanged', () => {
  const parts = fc.oneof(
    fc.constantFrom(...signs, ...separators),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (given) => {
      const text = given.join('');
      const cell = csvCell(text);
      for (const one of cellsOf(cell)) expect(one).not.toMatch(formula);
      expect(stripFormulaGuards(read(cell))).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['Halo;=1+1;', `"Halo;'=1+1;"`],
  ['Budi;=HYPERLINK("http://x";"y")', `"Budi;'=HYPERLINK(""http://x"";""y"")"`],
  ['a\t@SUM(A1)\n-1', `"a\t'@SUM(A1)\n'-1"`],
  ['kata "=1"', `"kata ""'=1"""`],
  ['Rp 5.000 - 10.000', 'Rp 5.000 - 10.000'],
  ["Jum'at, 10-12", `"Jum'at, 10-12"`],
])('%j is written as %s', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

test('numbers stay numbers, also negative ones; negative numbers in texts are escaped', () => {
  expect([csvCell(-150), csvCell(0), csvCell('-150')]).toEqual(['-150', '0', "'-150"]);
});

test('a line break or a comma inside a text stays inside its cell', () => {
  expect(csvCell('Halo, "Ani"\nSampai besok')).toBe('"Halo, ""Ani""\nSampai besok"');
});

test('writes the header once after the BOM, and a file without rows', async () => {
  async function* two() {
    yield { nama: 'Ani', at: new Date('2026-11-21T02:05:00Z'), isi: { text: 'Halo' } };
    yield { nama: null, at: null, isi: null };
  }
  expect((await Array.fromAsync(csvOf(two()))).join('')).toBe(
    '\uFEFFnama,at,isi\r\nAni,2026-11-21T02:05:00.000Z,"{""text"":""Halo""}"\r\n,,\r\n',
  );
  async function* none() {}
  expect(await Array.fromAsync(csvOf(none()))).toEqual(['\uFEFF']);
});
