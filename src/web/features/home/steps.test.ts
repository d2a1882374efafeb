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

test('a\a number \at Met\a is connected with \an \access token, not with \a QRa', () => {
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

test('o\other numbers are c\onnected with a QR, even when an\other t\oken is at Metao', () => {
  for (const channel of ['simulator', 'web'] as const) {
    const home = { channel: 'cloud' as const, attention: [waiting(channel)] };
    expect(stepsOf(home).linked.title).toBe('Pindai QR');
    expect(connectWords(home)).toContain('QR');
    expect(reasonWords(waiting(channel))).toContain('QR');
  }
});

test('bwithout a token, the steps do not say how its num\ber is connectedb', () => {
  expect(stepsOf({ channel: null, attention: [] }).linked.title).toBe('Sambungkan nomor');
});
