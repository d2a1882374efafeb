import { MessageStatus, rises, statusRank } from '#contract/messages.ts';
import { newId } from '#server/infra/ids.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { expect } from 'vitest';
import { insertMessages } from '#tests/support/people/stored-messages.ts';

const outcomes = ['sent', 'delivered', 'read', 'failed', 'cancelled', 'expired'] as const;

/** The status of a message after outcomes; its price was released with its end. */
async function settled(
  db: TestDatabase,
  now: { status: MessageStatus; failure?: string },
  outcome: string,
): Promise<string | undefined> {
  const [accountId, messageId] = [newId(), newId()];
  const isEnd = ['failed', 'cancelled', 'expired'].includes(now.status);
  const message = { id: messageId, tokenId: newId(), charge: isEnd ? 'released' : 'held' };
  await insertMessages(db.owner, accountId, [{ ...message, ...now }]);
  const [row] = await db.owner<{ next: string }[]>`
    select next_status(status, failure, charge_state, status_rank(${outcome}), ${outcome === 'sent'},
      ${['failed', 'cancelled', 'expired'].includes(outcome) ? outcome : null}) as next
    from messages where message_id = ${messageId}`;
  return row?.next;
}

test('orders statuses in the database as in the contract, for every pair', async ({ db }) => {
  for (const one of MessageStatus().options) {
    for (const other of MessageStatus().options) {
      const [row] = await db.owner<{ apart: number }[]>`
        select sign(status_rank(${one}) - status_rank(${other}))::int as apart`;
      expect(row?.apart, `${one}, ${other}`).toBe(Math.sign(statusRank[one] - statusRank[other]));
    }
  }
});

test('takes a reported status exactly if it is higher', async ({ db }) => {
  for (const status of MessageStatus().options) {
    for (const outcome of outcomes) {
      const failure = status === 'failed' ? { failure: 'no_answer' } : {};
      const next = rises(status, outcome) ? outcome : status;
      expect(await settled(db, { status, ...failure }, outcome), `${status}, ${outcome}`).toBe(
        next,
      );
    }
  }
});

test('corrects a reported failure by delivered, not by sent', async ({ db }) => {
  const blocked = { status: 'failed', failure: 'blocked' } as const;
  expect(await settled(db, blocked, 'sent')).toBe('failed');
  expect(await settled(db, blocked, 'delivered')).toBe('delivered');
});
