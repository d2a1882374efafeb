import { expect, test } from 'vitest';
import { withSaldo } from '#web/features/saldo/livePatches.ts';

test('the saldo changes wherever its two figures occur, and nothing else does', () => {
  const figures = { available: 900, held: 100 };
  expect(withSaldo({ available: 1_000, held: 0, message_price: 150 }, figures)).toEqual({
    ...figures,
    message_price: 150,
  });
  expect(withSaldo({ saldo: { available: 1_000, held: 0 }, unread: 2 }, figures)).toEqual({
    saldo: figures,
    unread: 2,
  });
  const mutation = { available_after: 5, held_after: 0 };
  expect(withSaldo({ rows: [mutation] }, figures)).toEqual({ rows: [mutation] });
});
