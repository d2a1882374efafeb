import { expect, test } from 'vitest';
import { settingWords } from './settingWords.ts';

test('values are shown in everyday notation', () => {
  expect(settingWords('rupiah', '5000000')).toBe('Rp\u00A05.000.000');
  expect(settingWords('whole', '2000')).toBe('2.000');
  expect(settingWords('decimal', '0.5')).toBe('0,5');
  expect(settingWords('switch', 'on')).toBe('Nyala');
  expect(settingWords('text', '')).toBe('—');
});

test('days with the same hours are grouped', () => {
  const day = { open: '08:00', close: '17:00' };
  const days = [day, day, day, day, day, { open: '09:00', close: '12:00' }, null];
  const hours = JSON.stringify({ days, days_off: ['2026-12-25'], note: '' });
  expect(settingWords('hours', hours)).toBe(
    'Senin–Jumat 08.00–17.00; Sabtu 09.00–12.00; Minggu tutup; 1 hari libur',
  );
});
