import { expect, test } from 'vitest';
import { conversationAt, conversationUrl } from '#web/features/messages/incoming/useIncoming.ts';

test('parses the address of a conversation', () => {
  const conversation = { token_id: 'tok_1', peer: '628111222333' };
  expect(conversationAt(conversationUrl(conversation))).toEqual(conversation);
  expect(conversationAt(`${conversationUrl(conversation)}#akhir`)).toEqual(conversation);
});

test('returns nothing for another page', () => {
  expect(conversationAt('/saldo?open=tok_1&peer=628111222333')).toBeUndefined();
  expect(conversationAt('/message-history?open=msg_1')).toBeUndefined();
  expect(conversationAt('/message-history')).toBeUndefined();
});
