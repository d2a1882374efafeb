import { expect } from 'vitest';
import { channelsOf } from '#server/domains/channels/channels.ts';
import { openClaimMessages } from '#server/domains/messages/dispatch/lane.ts';
import { startLanes } from '#server/domains/messages/dispatch/lanes.ts';
import { openSettle } from '#server/domains/messages/dispatch/settle.ts';
import { openLog } from '#server/infra/observability/log.ts';
import type { Channel } from '#server/domains/channels/channels.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { noMedia, acceptTexts, statuses } from '#tests/support/app/fake-channel.ts';
import { test } from '#tests/support/channels/web-network.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const OWN = '6281200000001';

const lanesOf = (sql: Sql, channel: Channel) =>
  startLanes({
    sql,
    channels: channelsOf(channel),
    log: openLog({ level: 'silent' }),
    pacePerSecond: () => 0,
    settle: openSettle({ sql }),
    claimMessages: openClaimMessages({ sql }),
    media: noMedia,
  });

test('runs the lane of a number on its holder, and follows it', async ({ sql, openNetwork }) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const workers = [await startWorker(), await startWorker()];
  const lanes = workers.map(({ channel }) => lanesOf(sql, channel));
  await link(ani, OWN);
  // Old enough to send as fast as the test wants.
  await sql`update web_numbers set first_linked_at = clock_timestamp() - interval '1 year'`;
  await acceptTexts(sql, ani, { prices: [150], peers: ['6281200001000'] });
  await waitFor(async () =>
    expect(await statuses(sql)).toEqual([{ status: 'sent', charge_state: 'captured' }]),
  );

  const holder = workers.findIndex(({ channel }) => channel.numbers?.held().length === 1);
  await workers[holder]!.channel.close();
  await waitFor(() => workers[1 - holder]!.channel.numbers?.held().includes(ani.tokenId));
  await acceptTexts(sql, ani, { prices: [150], peers: ['6281200001001'] });
  await waitFor(async () => expect(await sql`select * from dispatch`).toEqual([]));
  expect(await statuses(sql)).toMatchObject([{ status: 'sent' }, { status: 'sent' }]);
  expect([...standIn.arrived.values()].map(({ times }) => times)).toEqual([1, 1]);
  await Promise.all(lanes.map((one) => one.close()));
});

test('messages wait without using up tries while no worker holds the number', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { channel } = await startWorker({ timings: { backOffFactor: 1 } });
  await link(ani, OWN);
  const lanes = lanesOf(sql, channel);
  standIn.closeWith(OWN, 428);
  await waitFor(() => channel.numbers?.held().length === 0);
  await acceptTexts(sql, ani, { prices: [150], peers: ['6281200001000'] });
  expect(await sql`select attempt from dispatch`).toEqual([{ attempt: 0 }]);
  await waitFor(async () => expect(await sql`select * from dispatch`).toEqual([]));
  expect(await statuses(sql)).toMatchObject([{ status: 'sent' }]);
  await lanes.close();
});
