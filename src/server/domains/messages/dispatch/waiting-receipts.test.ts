import { expect } from 'vitest';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { phones, acceptTexts, statuses } from '#tests/support/app/fake-channel.ts';
import { customerWith, orderOf } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { applyReceipts, retryParked } from './settle.ts';
import { changeMessages } from '#tests/support/people/stored-messages.ts';
import { nextEpoch } from '#tests/support/app/lanes.ts';

type Waiting = { accountId: string; tokenId: string; epoch: number; id: string };

/** A message that waits in its lane, which a worker owns. */
async function waiting(sql: Sql): Promise<Waiting> {
  const customer = await customerWith(sql, { saldo: 1000 });
  const { accountId, tokenId } = customer;
  const { results } = await acceptTexts(sql, customer, { prices: [150], peers: phones(1) });
  const epoch = await nextEpoch(sql, customer);
  return { accountId, tokenId, epoch, id: results[0]?.id ?? '' };
}

const changes = {
  'marked as sent again': (tx: Tx, { accountId, tokenId, epoch, id }: Waiting) =>
    tx`select mark_resent(${accountId}, ${tokenId}, ${epoch}, ${id})`,
  'given its file': (tx: Tx, { accountId, id }: Waiting) =>
    tx`select attach_file(${accountId}, ${id}, '{"file": "x"}')`,
  'given another time': (tx: Tx, { accountId, tokenId, id }: Waiting) =>
    tx`select reschedule_message(${accountId}, ${tokenId}, ${id}, clock_timestamp())`,
};

test.for(Object.entries(changes))(
  'a receipt that comes while its message is %s ends it all the same',
  async ([, change], { sql, db }) => {
    const message = await waiting(sql);
    const { accountId, id } = message;
    await changeMessages(db.owner, {}, { status: 'scheduled', expiresAt: 'now' });
    let told: Promise<unknown> | undefined;
    await db.owner.begin(async (tx) => {
      await change(tx, message);
      told = applyReceipts(sql, [{ accountId, messageId: id, status: 'sent', at: new Date() }]);
      await waitFor(async () =>
        expect(await sql`select 1 from pg_locks where not granted`).not.toEqual([]),
      );
    });
    await told;
    expect(await sql`select status, charge_state from messages`).toEqual([
      { status: 'sent', charge_state: 'captured' },
    ]);
    expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
  },
);

test('parks a receipt for a message that does not exist yet', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const order = orderOf(ani);
  const messageId = order.items[0]?.id ?? '';
  await applyReceipts(sql, [
    { accountId: ani.accountId, messageId, status: 'read', at: new Date() },
  ]);
  expect(await sql`select status from parked_receipts`).toEqual([{ status: 'read' }]);

  await openIntake(sql, () => undefined).accept(order);
  await retryParked(sql);
  expect(await statuses(sql)).toEqual([{ status: 'read', charge_state: 'captured' }]);
  expect(await sql`select * from parked_receipts`).toEqual([]);
});
