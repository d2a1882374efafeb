import { expect, test } from 'vitest';
import { showCountdown } from '#web/ui/time/countdown.ts';

test('a countdown shows minutes and seconds, and hours if there are any', () => {
  expect([299, 0.2, 0, -5, 3600, 86_399].map(showCountdown)).toEqual([
    '04.59',
    '00.01',
    '00.00',
    '00.00',
    '1 jam',
    '23 jam 59 menit',
  ]);
});
