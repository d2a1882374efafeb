import { expect, test } from 'vitest';
import type { HomeSummary } from '#contract/messages.ts';
import { connectWords, isOnItsWay, lastSentIn, reasonWords, stepsOf } from './steps.ts';

const waiting = (channel: 'simulator' | 'cloud' | 'web'): HomeSummary['attention'][number] => ({
  token_id: 'tok_0',
  name: 'Kasir',
  status: 'unlinked',
  channel,
  reason: 'not_linked',
});

test('a number at Meta is connected with an access token, not with a QR', () => {
  const home = { channel: 'cloud', attention: [waiting('cloud')] } as const;
  expect(stepsOf({ ...home, attention: [...home.attention] }).linked).toEqual({
    title: 'Sambungkan nomor',
    href: '/token?open=tok_0&view=link',
  });
  expect(connectWords({ ...home, attention: [] })).toContain('access token');
  expect(reasonWords(waiting('cloud'))).not.toContain('QR');
  expect(reasonWords({ reason: 'disconnected', channel: 'cloud' })).not.toContain('QR');
});

test('other numbers are connected with a QR, even when another token is at Meta', () => {
  for (const channel of ['simulator', 'web'] as const) {
    const home = { channel: 'cloud' as const, attention: [waiting(channel)] };
    expect(connectWords(home)).toContain('QR');
    expect(reasonWords(waiting(channel))).toContain('QR');
  }
});

const row = { direction: 'out', status: 'queued' } as HomeSummary['newest'][number];

test('the first message is the newest one sent, and it is on its way until it is sent or ended', () => {
  const reply = { ...row, direction: 'in', status: 'received' } as const;
  expect(lastSentIn({ newest: [reply, row] })).toBe(row);
  expect(lastSentIn({ newest: [reply] })).toBeUndefined();
  expect(isOnItsWay(row)).toBe(true);
  for (const status of ['sent', 'read', 'failed', 'cancelled'] as const)
    expect(isOnItsWay({ status })).toBe(false);
});
