import { expect, test } from 'vitest';
import type { HomeSummary } from '#contract/messages.ts';
import { connectWords, reasonWords, stepsOf } from './steps.ts';

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
    action: 'Sambungkan nomor',
    href: '/token?open=tok_0&view=link',
  });
  expect(connectWords({ ...home, attention: [] })).toContain('access token');
  expect(reasonWords(waiting('cloud'))).not.toContain('QR');
  expect(reasonWords({ reason: 'disconnected', channel: 'cloud' })).not.toContain('QR');
});

test('other numbers are connected with a QR, even when another token is at Meta', () => {
  for (const channel of ['simulator', 'web'] as const) {
    const home = { channel: 'cloud' as const, attention: [waiting(channel)] };
    expect(stepsOf(home).linked.title).toBe('Pindai QR');
    expect(connectWords(home)).toContain('QR');
    expect(reasonWords(waiting(channel))).toContain('QR');
  }
});

test('without a token, the steps do not say how its number is connected', () => {
  expect(stepsOf({ channel: null, attention: [] }).linked.title).toBe('Sambungkan nomor');
});
