import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  foldLine,
  readVcard,
  vcardFileName,
  vcardOf,
  vcardText,
} from '#web/ui/chat/cards/vcard.ts';

test('writes a contact as a vCard 3.0 with CRLF', () => {
  expect(vcardOf({ name: 'Budi Santoso', phone: '0812-3456-7890' })).toBe(
    'BEGIN:VCARD\r\nVERSION:3.0\r\nN:;Budi Santoso;;;\r\nFN:Budi Santoso\r\n' +
      'TEL;TYPE=CELL,VOICE:+6281234567890\r\nEND:VCARD\r\n',
  );
});

test('includes the company', () => {
  const card = vcardOf({ name: 'Budi', phone: '0812-3456-7890', organization: 'CV A; B\nC' });
  expect(card).toContain('FN:Budi\r\nORG:CV A\\; B\\nC\r\nTEL');
});

test('escapes characters with a meaning in vCards', () => {
  expect(vcardText('Toko; "Maju, Jaya" \\ Cab.\r\nSolo\n')).toBe(
    String.raw`Toko\; "Maju\, Jaya" \\ Cab.\nSolo\n`,
  );
});

test('keeps a name within its line, and reads every character back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 150 }), (name) => {
      const card = vcardOf({ name, phone: '6281234567890' });
      expect(card.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      for (const line of card.split('\r\n')) {
        expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75);
      }
      const lines = card.replaceAll('\r\n ', '').split('\r\n');
      expect(lines.map((line) => line.split(/[:;]/, 1)[0])).toEqual([
        'BEGIN',
        'VERSION',
        'N',
        'FN',
        'TEL',
        'END',
        '',
      ]);
      const read = lines[3]!
        .slice(3)
        .replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));
      const said = name
        .toWellFormed()
        .replace(/\r\n|[\r\n\u2028\u2029]/g, '\n')
        .replace(/[^\P{Cc}\n]/gu, '');
      if (said !== '') expect(read).toBe(said);
    }),
    { numRuns: process.env['TEST_ALL'] === '1' ? 2_000 : 200 },
  );
});

test('folds a long line between characters', () => {
  const folded = foldLine(`FN:${'é'.repeat(60)}`);
  expect(folded.split('\r\n')).toHaveLength(2);
  expect(folded.replaceAll('\r\n ', '')).toBe(`FN:${'é'.repeat(60)}`);
});

test('makes safe file names', () => {
  expect(vcardFileName('Budi Santoso')).toBe('Budi Santoso.vcf');
  expect(vcardFileName('../../etc/passwd')).toBe('etc passwd.vcf');
  expect(vcardFileName('Budi\u202efcv.exe')).toBe('Budi fcv.exe.vcf');
  expect(vcardFileName('…'.repeat(100))).toBe(`${'…'.repeat(80)}.vcf`);
  expect(vcardFileName(' . ')).toBe('kontak.vcf');
});

test('reads back a card that it wrote', () => {
  const contact = {
    name: 'Toko; "Maju, Jaya" di Jalan yang sangat panjang sekali namanya',
    phone: '+6281234567890',
  };
  expect(readVcard(vcardOf(contact))).toEqual(contact);
});

test('reads cards of phones: grouped lines, parameters, a name in parts', () => {
  const card =
    'BEGIN:VCARD\nVERSION:4.0\nN:Santoso;Budi;;;\nitem1.TEL;TYPE=CELL:tel:+62-812-3456-7890\nEND:VCARD';
  expect(readVcard(card)).toEqual({ name: 'Budi Santoso', phone: '+62-812-3456-7890' });
  expect(readVcard('BEGIN:VCARD\nFN:Budi\nEND:VCARD')).toBeUndefined();
  expect(readVcard('ini bukan kartu')).toBeUndefined();
});
