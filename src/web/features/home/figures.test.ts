import { expect, test } from 'vitest';
import { changeFrom, hasFigures, periodSentence, progressOf, todaySentence } from './figures.ts';

const none = { accepted: 0, waiting: 0, sent: 0, delivered: 0, read: 0, failed: 0, received: 0 };
const day = (figures: Partial<typeof none>) => ({ date: '2026-11-21', ...none, ...figures });

test('figures begin with the seventh day that has outbound messages', () => {
  const [busy, quiet] = [day({ accepted: 3 }), day({ received: 5 })];
  expect(hasFigures([...Array.from({ length: 6 }, () => busy), quiet, quiet])).toBe(false);
  expect(hasFigures([...Array.from({ length: 7 }, () => busy), quiet])).toBe(true);
});

test('says the day in a sentence', () => {
  const today = { ...none, accepted: 12, sent: 12, delivered: 10, read: 7 };
  expect(todaySentence(today)).toBe('Hari ini 12 pesan terkirim, 10 sampai (83%), 7 dibaca (58%).');
  expect(todaySentence(none)).toBe('Hari ini belum ada pesan terkirim.');
});

test('says all days in a sentence with shares of the sent messages, once there is another day', () => {
  const today = day({ sent: 12, delivered: 10, read: 7 });
  expect(periodSentence([day({}), today])).toBeUndefined();
  expect(periodSentence([day({ sent: 1_000, delivered: 900, read: 300 }), today])).toBe(
    'Dalam 2 hari terakhir 1.012 pesan terkirim, 910 sampai (89%), 307 dibaca (30%).',
  );
});

test('a change is a fraction of the value before, or null without one', () => {
  expect(changeFrom(8, 10)).toBe(0.25);
  expect(changeFrom(8, 6)).toBe(-0.25);
  expect(changeFrom(0, 6)).toBeNull();
});

test('the number comes first, then a message, then the saldo; a later one may be done before', () => {
  const none = { topped_up: false, has_token: false, linked: false, sent: false };
  expect(progressOf(none)).toEqual({ done: 0, next: 'linked' });
  expect(progressOf({ ...none, has_token: true })).toEqual({ done: 0, next: 'linked' });
  expect(progressOf({ ...none, linked: true, topped_up: true })).toEqual({ done: 2, next: 'sent' });
  expect(progressOf({ ...none, linked: true, sent: true }).next).toBe('topped_up');
  expect(progressOf({ topped_up: true, has_token: true, linked: true, sent: true })).toEqual({
    done: 3,
    next: undefined,
  });
});
