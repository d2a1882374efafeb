import { expect, onTestFinished, vi } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import type { Frame } from '#server/infra/acts/act.ts';
import { openListener } from '#server/infra/postgres/driver/listener.ts';
import { newId } from '#server/infra/ids.ts';
import { type LiveHub, openLive } from './live.ts';
import { LIVE_CHANNEL } from './notify.ts';

/**
 * A hub on the test's database. What it looks at every five seconds is looked at when the test says
 * that they have passed.
 */
const test = base.extend<{ hub: LiveHub }>({
  hub: async ({ db }, use) => {
    const troubles: unknown[] = [];
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const hub = openLive({
      tenantSql: db.tenantSql,
      allAccountsSql: db.allAccountsSql,
      openListening: (handlers) => openListener({ url: db.url, name: 'live test', ...handlers }),
      report: (trouble) => troubles.push(trouble),
    });
    await use(hub);
    await hub.close();
    vi.useRealTimers();
    expect(troubles).toEqual([]);
  },
});

/** What the relay does: positions and events in one transaction, then the hint. */
async function publish(
  { allAccountsSql }: TestDatabase,
  accountId: string,
  count: number,
  { hint = true } = {},
) {
  await allAccountsSql.begin(async (tx) => {
    const [row] = await tx<{ last: number }[]>`
      insert into event_positions as e (account_id, last) values (${accountId}, ${count})
      on conflict (account_id) do update set last = e.last + ${count} returning last`;
    const last = row?.last ?? 0;
    await tx`
      insert into events (account_id, position, kind, data)
      select ${accountId}, p, 'saldo.changed', jsonb_build_object('available', p, 'held', 0)
      from generate_series(${last - count + 1}::bigint, ${last}::bigint) p`;
  });
  if (hint) await allAccountsSql`select pg_notify(${LIVE_CHANNEL}, ${accountId})`;
}

function following(hub: LiveHub, accountId: string, since?: number) {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const frames: Frame[] = [];
  const done = (async () => {
    for await (const frame of hub.follow({ accountId, since, signal: end.signal }))
      frames.push(frame);
  })();
  return { frames, end, done };
}
const positions = (frames: readonly Frame[]) => frames.map(({ position }) => position);

test('who comes without a position is told to refetch, then hears what is new', async ({
  db,
  hub,
}) => {
  const accountId = newId();
  await publish(db, accountId, 3);
  const { frames } = following(hub, accountId);
  await waitFor(() => expect(frames).toEqual([{ position: 3, reset: true }]));
  await publish(db, accountId, 1);
  await waitFor(() => expect(positions(frames)).toEqual([3, 4]));
  expect(frames[1]).toEqual({
    position: 4,
    event: { kind: 'saldo.changed', available: 4, held: 0 },
  });
});

test('who was away hears everything missed, in order and once', async ({ db, hub }) => {
  const accountId = newId();
  await publish(db, accountId, 500);
  const { frames } = following(hub, accountId, 0);
  await waitFor(() => expect(frames).toHaveLength(500));
  expect(positions(frames)).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
});

test('who missed more than 500 events is told to refetch', async ({ db, hub }) => {
  const accountId = newId();
  await publish(db, accountId, 501);
  const { frames } = following(hub, accountId, 0);
  await waitFor(() => expect(frames).toEqual([{ position: 501, reset: true }]));
});

test('nobody hears the events of another account', async ({ db, hub }) => {
  const [ani, budi] = [newId(), newId()];
  const hearsAni = following(hub, ani, 0);
  await publish(db, budi, 5);
  await publish(db, ani, 1);
  await waitFor(() => expect(positions(hearsAni.frames)).toEqual([1]));
});

test('a lost hint costs at most five seconds', async ({ db, hub }) => {
  const accountId = newId();
  await waitFor(() => expect(hub.listens).toBe(true));
  const { frames } = following(hub, accountId, 0);
  await waitFor(() => expect(hub.following).toBe(1));
  await publish(db, accountId, 1, { hint: false });
  await vi.advanceTimersByTimeAsync(5_000);
  await waitFor(() => expect(frames).toHaveLength(1));
});

test('hints come again after the LISTEN connection was lost', async ({ db, hub }) => {
  const accountId = newId();
  await waitFor(() => expect(hub.listens).toBe(true));
  const { frames } = following(hub, accountId, 0);
  await waitFor(() => expect(hub.following).toBe(1));
  const ended = await db.owner`
    select pid, pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'kabari live test' and datname = current_database()`;
  expect(ended).toHaveLength(1);
  await waitFor(async () =>
    expect(
      await db.owner`
        select from pg_stat_activity where application_name = 'kabari live test'
          and datname = current_database() and pid <> ${ended[0]?.['pid']} and query ilike 'listen%'`,
    ).toHaveLength(1),
  );
  await waitFor(() => expect(hub.listens).toBe(true));
  await publish(db, accountId, 1);
  await waitFor(() => expect(frames).toHaveLength(1));
});

test('a stream that is given up leaves nothing behind', async ({ hub }) => {
  const accountId = newId();
  const { end, done } = following(hub, accountId, 0);
  await waitFor(() => expect(hub.following).toBe(1));
  end.abort();
  await done;
  expect(hub.following).toBe(0);
});
