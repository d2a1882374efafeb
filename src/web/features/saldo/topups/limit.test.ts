import { expect, test } from 'vitest';
import { TOPUPS_OPEN_MAX } from '#contract/saldo-summary.ts';
import { topupLimitOf } from '#web/features/saldo/topups/limit.ts';

test('another top-up is refused from the limit of unpaid ones on', () => {
  expect(topupLimitOf(undefined)).toBeUndefined();
  expect(topupLimitOf({ topups_open: TOPUPS_OPEN_MAX - 1 })).toBeUndefined();
  expect(topupLimitOf({ topups_open: TOPUPS_OPEN_MAX })).toBe(
    'Anda masih punya 3 isi saldo yang menunggu. Bayar atau batalkan salah satunya.',
  );
});
