import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvCell, csvOf } from './csv.ts';

/** What a spreadsheet reads from a cell. */
const read = (cell: string): string =>
  cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;

test('no text whatever becomes a formula, and none is lost', () => {
  const starts = fc.constantFrom(
    '=',
    '+',
    '-',
    '@',
    '\t',
    '\r',
    '＝',
    '＋',
    '－',
    '＠',
    ' =',
    '"+',
    "'@",
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(starts, fc.string()).map(([start, rest]) => start + rest),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const shown = read(csvCell(text));
      expect(shown).not.toMatch(/^[\s\u200B"]*[=+\-@＝＋－＠]/u);
      expect([text, `'${text}`]).toContain(shown);
    }),
    { numRuns: 1_000 },
  );
});

test('numbers stay numbers, also below zero; a negative number that is text does not', () => {
  expect([csvCell(-150), csvCell(0), csvCell('-150')]).toEqual(['-150', '0', "'-150"]);
});

test('a line break or a comma inside a text stays inside its cell', () => {
  expect(csvCell('Halo, "Ani"\nSampai besok')).toBe('"Halo, ""Ani""\nSampai besok"');
});

test('the head comes once, after the mark of UTF-8; nothing at all is still a file', async () => {
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
