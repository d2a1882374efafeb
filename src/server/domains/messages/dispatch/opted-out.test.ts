import { expect } from 'vitest';
import { lockOptouts, storeOptout } from '#server/domains/messages/optouts.ts';
import { lanesOver, network, acceptTexts, statuses } from '#tests/support/app/fake-channel.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('does not retry a message whose phone opts out while it leaves, and releases its price', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  await acceptTexts(sql, ani, { prices: [150] });
  const { seen, channels } = network(async ({ accountId, tokenId, to }) => {
    await sql.begin(async (tx) => {
      await lockOptouts(tx, accountId);
      await storeOptout(tx, { accountId, tokenId, peer: to }, { source: 'reply' });
    });
    return { outcome: 'later', afterMs: 10, failure: 'rate_limited' };
  });
  const lanes = lanesOver(sql, channels);
  await waitFor(async () => expect(await sql`select * from dispatch`).toEqual([]));
  await lanes.close();
  expect(seen).toHaveLength(1);
  expect(await statuses(sql)).toMatchObject([{ status: 'cancelled', charge_state: 'released' }]);
  expect(await sql`select available, held from wallets`).toEqual([{ available: 10_000, held: 0 }]);
});
