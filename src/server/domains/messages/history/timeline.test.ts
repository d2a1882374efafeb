import { expect, test } from 'vitest';
import { inOrder } from './timeline.ts';

const stepsOf = (...steps: [kind: string, second: number][]) =>
  inOrder(
    steps.map(([kind, second]) => ({ kind, at: new Date(1_790_000_000_000 + second * 1000) })),
  )
    .map(({ kind }) => kind)
    .join(' ');

test('orders steps of the same time by their rank', () => {
  expect(stepsOf(['read', 5], ['delivered', 5], ['sent', 5])).toBe('sent delivered read');
  expect(stepsOf(['failed', 5], ['retrying', 5], ['sending', 4])).toBe('sending retrying failed');
  expect(stepsOf(['corrected', 6], ['delivered', 6], ['expired', 5])).toBe(
    'expired delivered corrected',
  );
});

test('places sent before arrival or failure, regardless of clocks', () => {
  expect(stepsOf(['failed', 5], ['sent', 5])).toBe('sent failed');
  expect(stepsOf(['failed', 5], ['sent', 6])).toBe('sent failed');
  expect(stepsOf(['read', 4], ['delivered', 5], ['sent', 6])).toBe('sent read delivered');
});

test('places the proof that a failure was wrong after it', () => {
  expect(stepsOf(['failed', 5], ['sent', 9], ['corrected', 9])).toBe('failed sent corrected');
});
