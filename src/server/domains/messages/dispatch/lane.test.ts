import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import type { SendResult } from '#server/domains/channels/channels.ts';
import {
  network,
  noMedia,
  phones,
  acceptTexts,
  statuses,
} from '#tests/support/app/fake-channel.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { openClaimMessages, runLane } from './lane.ts';
import { openSettle } from './settle.ts';
import { nextEpoch } from '#tests/support/app/lanes.ts';

test('settles messages in flight when a lane ends with an error', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await acceptTexts(sql, ani, { prices: [150], peers: phones(1) });
  const epoch = await nextEpoch(sql);
  const { promise: answer, resolve } = Promise.withResolvers<SendResult>();
  const { seen, channels } = network(() => answer);
  const channel = channels.get('simulator');
  if (!channel) throw new Error('no channel');
  const claimMessages = openClaimMessages({ sql });
  const isBroken = () => seen.length > 0;
  const run = runLane(
    {
      sql,
      log: openLog({ level: 'silent' }),
      settle: openSettle({ sql }),
      claimMessages: async (query) => {
        if (isBroken()) throw Object.assign(new Error('terminated'), { code: '57P01' });
        return claimMessages(query);
      },
      channel,
      media: noMedia,
      from: ani.phone,
      paceMs: 0,
      lanes: () => 1,
      signal: new AbortController().signal,
    },
    { ...ani, epoch },
  );
  const done = run.done.then(
    () => 'ended',
    (error: unknown) => String(error),
  );
  await waitFor(() => expect(seen).toHaveLength(1));
  run.wake();
  resolve({ outcome: 'sent' });
  expect(await done).toBe('Error: terminated');
  expect(await statuses(sql)).toMatchObject([{ status: 'sent', charge_state: 'captured' }]);
});
