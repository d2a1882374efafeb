import { expect, test } from 'vitest';
import { eventTypes } from '#contract/webhooks.ts';
import { chosenIn, kindsIn, offeredIn, withChosen } from './kinds.ts';

test('a format offers the events that it sends, and no other', () => {
  const offered = offeredIn('wablas').map(({ value }) => value);
  expect(offered).toContain('token.disconnected');
  expect(offered).not.toContain('saldo.low');
  expect(offeredIn('kabari')).toHaveLength(eventTypes.length);
});

test('all that a format sends is left out, some of it is named, and what it never sends is not', () => {
  expect(kindsIn('wablas', eventTypes)).toEqual({});
  expect(kindsIn('wablas', ['saldo.low', 'message.read'])).toEqual({ kinds: ['message.read'] });
  expect(kindsIn('wablas', ['saldo.low'])).toEqual({ kinds: [] });
});

test('what another format sends stays chosen while this one is looked at', () => {
  const chosen = withChosen('cloud', ['saldo.low', 'message.read'], ['message.sent']);
  expect(chosenIn('cloud', chosen)).toEqual(['message.sent']);
  expect(chosenIn('kabari', chosen)).toEqual(['message.sent', 'saldo.low']);
});
