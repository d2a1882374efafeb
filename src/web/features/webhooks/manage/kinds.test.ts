import { expect, test } from 'vitest';
import { eventTypes } from '#contract/webhooks.ts';
import { selectedIn, kindsIn, offeredIn, withSelection } from './kinds.ts';

test('a format offers only the events that it sends', () => {
  const offered = offeredIn('wablas').map(({ value }) => value);
  expect(offered).toContain('token.disconnected');
  expect(offered).not.toContain('saldo.low');
  expect(offeredIn('kabari')).toHaveLength(eventTypes.length);
});

test('a complete selection is omitted, a partial one is listed, and events of other formats are dropped', () => {
  expect(kindsIn('wablas', eventTypes)).toEqual({});
  expect(kindsIn('wablas', ['saldo.low', 'message.read'])).toEqual({ kinds: ['message.read'] });
  expect(kindsIn('wablas', ['saldo.low'])).toEqual({ kinds: [] });
});

test('events of another format stay selected while this one is shown', () => {
  const chosen = withSelection('cloud', ['saldo.low', 'message.read'], ['message.sent']);
  expect(selectedIn('cloud', chosen)).toEqual(['message.sent']);
  expect(selectedIn('kabari', chosen)).toEqual(['message.sent', 'saldo.low']);
});
