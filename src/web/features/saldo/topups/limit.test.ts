import { expect, test } from 'vitest';
import { TOPUPS_DAY_MAX, TOPUPS_OPEN_MAX } from '#contract/saldo-summary.ts';
import { topupLimitOf } from '#web/features/saldo/topups/limit.ts';

test('another top-up is refused from the limit of unpaid ones on', () => {
  expect(topupLimitOf(undefined)).toBeUndefined();
  const few = {
    status: 'active',
    topups_open: TOPUPS_OPEN_MAX - 1,
    topups_unpaid: TOPUPS_DAY_MAX - 1,
  } as const;
  expect(topupLimitOf(few)).toBeUndefined();
  expect(topupLimitOf({ ...few, topups_open: TOPUPS_OPEN_MAX })).toEqual({
    reason: 'Anda masih punya 3 isi saldo yang menunggu. Bayar atau batalkan salah satunya.',
    hasOpen: true,
  });
  expect(topupLimitOf({ ...few, status: 'frozen' })).toEqual({
    reason: 'Saldo sedang dibekukan: tidak dapat diisi atau dipakai.',
    hasOpen: false,
  });
});

test('at the limit of a day, the remedy names waiting top-ups only if there are any', () => {
  const full = { status: 'active', topups_unpaid: TOPUPS_DAY_MAX } as const;
  const begin = 'Dalam 24 jam ini sudah 20 isi saldo tidak jadi dibayar.';
  expect(topupLimitOf({ ...full, topups_open: 1 })).toEqual({
    reason: `${begin} Bayar yang masih menunggu, atau coba lagi besok.`,
    hasOpen: true,
  });
  expect(topupLimitOf({ ...full, topups_open: 0 })).toEqual({
    reason: `${begin} Coba lagi besok.`,
    hasOpen: false,
  });
});
