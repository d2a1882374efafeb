import { expect, test } from 'vitest';
import type { SupportMessage } from '#contract/support.ts';
import { answeredSince } from './collision.ts';

const line = (seq: number, given: Partial<SupportMessage> = {}): SupportMessage => ({
  id: `sup_${seq}`,
  seq,
  side: 'operator',
  author: 'Rina',
  mine: false,
  internal: false,
  content: { type: 'text', caption: `jawaban ${seq}` } as SupportMessage['content'],
  size: null,
  card: null,
  event: null,
  at: new Date(0),
  ...given,
});

test('another operator’s answer since the draft was begun is a collision', () => {
  const lines = [line(7), line(9), line(5)];
  expect(answeredSince(lines, { seq: 6 })?.seq).toBe(9);
  expect(answeredSince(lines, { seq: 9 })).toBeUndefined();
});

test('one’s own answers, notes, customers and the system cause no collision', () => {
  const lines = [
    line(7, { mine: true }),
    line(8, { internal: true }),
    line(9, { side: 'customer', author: null }),
    line(10, { side: 'system', author: null, event: 'assigned' }),
  ];
  expect(answeredSince(lines, { seq: 6 })).toBeUndefined();
});
