import { expect, test } from 'vitest';
import { keyIsAbout, keyStarts, replaceIn } from '#web/live/patches.ts';

test('finds the queries of an event’s subject, by word or by act', () => {
  const messages = keyIsAbout('messages', 'message_');
  expect(messages(['messages', 'detail', 'msg_1'])).toBe(true);
  expect(messages(['message_list', { page: 0 }])).toBe(true);
  expect(keyIsAbout('saldo', 'saldo_')(['saldo_mutation_list', {}])).toBe(true);
  expect(messages(['user'])).toBe(false);
  expect(keyIsAbout('conversations', 'conversation_')(['message_list', {}])).toBe(false);
});

test('matches a key by its beginning', () => {
  expect(keyStarts(['thread', 'tok_1'])(['thread', 'tok_1', '62811'])).toBe(true);
  expect(keyStarts(['thread', 'tok_1'])(['thread', 'tok_2', '62811'])).toBe(false);
});

test('keeps unchanged data identical', () => {
  const rows = [
    { id: 1, on: false },
    { id: 2, on: false },
  ];
  const next = replaceIn({ rows }, (bag) => (bag['id'] === 2 ? { ...bag, on: true } : undefined));
  expect(next).toEqual({ rows: [rows[0], { id: 2, on: true }] });
  expect((next as { rows: unknown[] }).rows[0]).toBe(rows[0]);
  const same = { rows };
  expect(replaceIn(same, () => undefined)).toBe(same);
});
