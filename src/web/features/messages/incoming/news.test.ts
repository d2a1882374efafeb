import { expect, test } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { isNews } from '#web/features/messages/incoming/useIncoming.ts';

function messageId(at: number): string {
  const time = at.toString(16).padStart(12, '0');
  return publicId('message', `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000001`);
}

test('a message is new for a minute from the time in its id', () => {
  const at = Date.parse('2026-11-21T02:05:00.123Z');
  expect(isNews(messageId(at), at + 59_999)).toBe(true);
  expect(isNews(messageId(at), at + 60_000)).toBe(false);
});
