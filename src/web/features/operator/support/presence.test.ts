import { expect, test, vi } from 'vitest';
import { busiest, presenceSentence, type Presence } from './presence.ts';

const one = (name: string, doing: Presence['doing'], accountId = 'acc_1'): Presence => ({
  accountId,
  userId: `usr_${name}`,
  name,
  doing,
});

test('each operator counts once per thread, by the most urgent activity', () => {
  const all = [
    one('Rina', 'look'),
    one('Sari', 'look'),
    one('Rina', 'answer'),
    one('Rina', 'look', 'acc_2'),
  ];
  expect(busiest(all).map(({ name, doing, accountId }) => [name, doing, accountId])).toEqual([
    ['Rina', 'answer', 'acc_1'],
    ['Sari', 'look', 'acc_1'],
    ['Rina', 'look', 'acc_2'],
  ]);
});

test('the warning names the operator with the most urgent activity', () => {
  expect(presenceSentence([])).toBe('');
  expect(presenceSentence([one('Rina', 'answer'), one('Sari', 'look')])).toBe(
    'Rina sedang mengetik di sini',
  );
  expect(presenceSentence([one('Rina', 'look'), one('Sari', 'look'), one('Tari', 'look')])).toBe(
    'Rina, Sari dan Tari juga membuka percakapan ini',
  );
});

test('presence expires without updates, typing sooner than looking; a sent message ends typing', async () => {
  vi.useFakeTimers();
  const { notePresence, noteWritten, presentNow } = await import('./presence.ts');
  const now = () => presentNow().map(({ name, doing }) => `${name} ${doing}`);
  notePresence(one('Rina', 'look'));
  notePresence(one('Rina', 'answer'));
  notePresence(one('Sari', 'answer'));
  expect(now()).toEqual(['Rina look', 'Rina answer', 'Sari answer']);
  noteWritten('acc_1', 'Sari');
  expect(now()).toEqual(['Rina look', 'Rina answer']);
  vi.advanceTimersByTime(7_000);
  expect(now()).toEqual(['Rina look']);
  vi.advanceTimersByTime(60_000);
  expect(now()).toEqual([]);
  vi.useRealTimers();
});
