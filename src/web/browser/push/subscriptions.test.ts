import { expect, test } from 'vitest';
import { decide, keyBytes, type PushOptions } from '#web/browser/push/subscriptions.ts';

const DAY_MS = 24 * 3_600_000;
const now = Date.UTC(2026, 10, 21);
const options: PushOptions = {
  vapidKey: 'BNcR',
  scope: 'https://kabari.example/',
  endpoint: 'https://push.example/1',
  p256dh: 'BPk',
  auth: 'x1',
};
const stored = (ageMs: number) => ({ options, session: 's1', createTime: now - ageMs });

test('registers a new token when there is none', () => {
  expect(decide(undefined, { options, session: 's1' }, now)).toBe('register');
});

test('replaces the token when the subscription or the session differs', () => {
  for (const name of Object.keys(options) as (keyof PushOptions)[]) {
    const other = { ...options, [name]: `${options[name]}2` };
    expect(decide(stored(0), { options: other, session: 's1' }, now), name).toBe('replace');
  }
  expect(decide(stored(0), { options, session: 's2' }, now)).toBe('replace');
});

test('refreshes a token at seven days, not before', () => {
  const same = { options, session: 's1' };
  expect(decide(stored(7 * DAY_MS - 1), same, now)).toBe('keep');
  expect(decide(stored(7 * DAY_MS), same, now)).toBe('refresh');
  expect(decide(stored(-8 * DAY_MS), same, now)).toBe('refresh');
});

test('reads a server key with or without padding', () => {
  expect([...keyBytes('-_8')]).toEqual([251, 255]);
  expect([...keyBytes('-_8=')]).toEqual([251, 255]);
});
