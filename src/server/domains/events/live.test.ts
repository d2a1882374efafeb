import { expect, onTestFinished, vi } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { openListener } from '#server/infra/postgres/driver/listener.ts';
import { publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { type LiveHub, openLive, LIVE_CHANNEL } from './events.ts';

/** A hub on the test's database; the test triggers its five-second looks. */
const test = base.extend<{ troubles: unknown[]; hub: LiveHub }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  troubles: async ({}, use) => {
    const troubles: unknown[] = [];
    await use(troubles);
    expect(troubles).toEqual([]);
  },
  hub: async ({ db, troubles }, use) => {
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
  },
});

async function publish(
  { allAccountsSql }: TestDatabase,
  accountId: string,
  count: number,
  { hint = true, data }: { hint?: boolean; data?: object } = {},
) {
  await allAccountsSql.begin(async (tx) => {
    const [row] = await tx<{ last: number }[]>`
      insert into event_positions as e (account_id, last) values (${accountId}, ${count})
      on conflict (account_id) do update set last = e.last + ${count} returning last`;
    const last = row?.last ?? 0;
    await tx`
      insert into events (account_id, position, kind, data)
      select ${accountId}, p, 'saldo.changed',
        coalesce(${data ? json(data) : null}::jsonb, jsonb_build_object('available', p, 'held', 0))
      from generate_series(${last - count + 1}::bigint, ${last}::bigint) p`;
  });
  if (hint) await allAccountsSql`select pg_notify(${LIVE_CHANNEL}, ${accountId})`;
}

type Frame = { position: number; kind: string; data: unknown };

const framesIn = (text: string): Frame[] =>
  [...text.matchAll(/^id: (\d+)\nevent: (\S+)\ndata: (.*)\n\n/gm)].map(
    ([, position, kind = '', data = '']) => ({
      position: Number(position),
      kind,
      data: JSON.parse(data),
    }),
  );

/** A stream that accepts everything until the test stops it. */
function following(hub: LiveHub, accountId: string, since?: number) {
  const state = { takes: true, ended: false, written: [] as Buffer[] };
  const sink = {
    write: (bytes: Buffer) => {
      state.written.push(bytes);
      return state.takes;
    },
    end: () => (state.ended = true),
  };
  const subscription = hub.follow({ accountId, since, sink });
  onTestFinished(() => subscription.cancel());
  const frames = () => framesIn(Buffer.concat(state.written).toString());
  return { state, subscription, frames, positions: () => frames().map(({ position }) => position) };
}

test('a reader without a position gets a reset, then new events', async ({ db, hub }) => {
  const accountId = newId();
  await publish(db, accountId, 3);
  const { frames, positions } = following(hub, accountId);
  await waitFor(() => expect(frames()).toEqual([{ position: 3, kind: 'reset', data: 3 }]));
  await publish(db, accountId, 1);
  await waitFor(() => expect(positions()).toEqual([3, 4]));
  expect(frames()[1]).toEqual({
    position: 4,
    kind: 'saldo.changed',
    data: { kind: 'saldo.changed', available: 4, held: 0 },
  });
});

test('a reconnecting reader gets all missed events, in order and once', async ({ db, hub }) => {
  const accountId = newId();
  await publish(db, accountId, 500);
  const { frames, positions } = following(hub, accountId, 0);
  await waitFor(() => expect(frames()).toHaveLength(500));
  expect(positions()).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
});

test('a reader that missed more than 500 events gets a reset', async ({ db, hub }) => {
  const accountId = newId();
  await publish(db, accountId, 501);
  const { frames } = following(hub, accountId, 0);
  await waitFor(() => expect(frames()).toEqual([{ position: 501, kind: 'reset', data: 501 }]));
});

test('a reader at a position the account never reached gets a reset', async ({ db, hub }) => {
  const accountId = newId();
  await publish(db, accountId, 2);
  const { frames } = following(hub, accountId, 9);
  await waitFor(() => expect(frames()).toEqual([{ position: 2, kind: 'reset', data: 2 }]));
});

test('a stream gets no events of another account', async ({ db, hub }) => {
  const [ani, budi] = [newId(), newId()];
  const [hearsAni, hearsBudi] = [following(hub, ani, 0), following(hub, budi, 0)];
  await publish(db, budi, 5, { hint: false });
  await publish(db, ani, 1, { hint: false });
  await db.allAccountsSql`select pg_notify(${LIVE_CHANNEL}, ${`${ani},${budi}`})`;
  await waitFor(() => expect(hearsAni.positions()).toEqual([1]));
  await waitFor(() => expect(hearsBudi.positions()).toEqual([1, 2, 3, 4, 5]));
});

test('new events are read and encoded once for all streams of an account', async ({ db, hub }) => {
  const accountId = newId();
  const streams = Array.from({ length: 30 }, () => following(hub, accountId, 0));
  await publish(db, accountId, 1);
  await waitFor(() => expect(streams.map(({ positions }) => positions())).toEqual(allOf([1])));
  await publish(db, accountId, 2);
  await waitFor(() =>
    expect(streams.map(({ positions }) => positions())).toEqual(allOf([1, 2, 3])),
  );
  expect(new Set(streams.map(({ state }) => state.written.at(-1))).size).toBe(1);
});
const allOf = (positions: number[]) => Array.from({ length: 30 }, () => positions);

test('an event of another shape is reported once and left out', async ({ db, hub, troubles }) => {
  const accountId = newId();
  const streams = [following(hub, accountId, 0), following(hub, accountId, 0)];
  await publish(db, accountId, 1);
  await waitFor(() => expect(streams.map(({ positions }) => positions())).toEqual([[1], [1]]));
  await publish(db, accountId, 1, { hint: false, data: { available: 'much' } });
  await publish(db, accountId, 1);
  await waitFor(() => expect(streams.map(({ positions }) => positions())).toEqual(allThree));
  expect(troubles.splice(0)).toEqual([
    new Error('the event saldo.changed does not match its schema'),
  ]);
});
const allThree = [
  [1, 3],
  [1, 3],
];

test('a full stream later gets the events it missed, and delays no other', async ({ db, hub }) => {
  const accountId = newId();
  const [slow, quick] = [following(hub, accountId, 0), following(hub, accountId, 0)];
  slow.state.takes = false;
  await publish(db, accountId, 1);
  await waitFor(() => expect(slow.positions()).toEqual([1]));
  await publish(db, accountId, 300);
  await waitFor(() => expect(quick.positions()).toHaveLength(301));
  expect(slow.positions()).toEqual([1]);
  slow.state.takes = true;
  slow.subscription.resume();
  await waitFor(() => expect(slow.positions()).toEqual(quick.positions()));
});

test('a lost hint delays events by at most five seconds', async ({ db, hub }) => {
  const accountId = newId();
  await waitFor(() => expect(hub.isListening).toBe(true));
  const { positions } = following(hub, accountId, 0);
  await waitFor(() => expect(hub.following).toBe(1));
  await publish(db, accountId, 1, { hint: false });
  await vi.advanceTimersByTimeAsync(5_000);
  await waitFor(() => expect(positions()).toEqual([1]));
});

test('hints resume after the LISTEN connection was lost', async ({ db, hub }) => {
  const accountId = newId();
  await waitFor(() => expect(hub.isListening).toBe(true));
  const { positions } = following(hub, accountId, 0);
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
  await waitFor(() => expect(hub.isListening).toBe(true));
  await publish(db, accountId, 1);
  await waitFor(() => expect(positions()).toEqual([1]));
});

test('a closed stream gets no more events and leaves nothing behind', async ({ db, hub }) => {
  const accountId = newId();
  const [gone, left] = [following(hub, accountId, 0), following(hub, accountId, 0)];
  expect(hub.following).toBe(2);
  gone.subscription.cancel();
  expect(hub.following).toBe(1);
  await publish(db, accountId, 1);
  await waitFor(() => expect(left.positions()).toEqual([1]));
  expect(gone.state).toEqual({ takes: true, ended: false, written: [] });
});

test('closing ends every stream, also one that opens too late', async ({ hub }) => {
  const before = following(hub, newId(), 0);
  await hub.close();
  const after = following(hub, newId(), 0);
  expect([before.state.ended, after.state.ended, hub.following]).toEqual([true, true, 0]);
});

test("an unstored event reaches the account's followers in every process, without a position", async ({
  db,
  hub,
}) => {
  const [accountId, other] = [newId(), newId()];
  const typing = {
    kind: 'support.typing',
    account_id: publicId('account', accountId),
    side: 'operator',
    user_id: null,
    name: 'Sari\n\nevent: reset',
  } as const;
  await hub.signal(accountId, typing);
  const ani = following(hub, accountId);
  const full = following(hub, accountId);
  const budi = following(hub, other);
  await waitFor(() => {
    for (const one of [ani, full, budi]) expect(one.positions()).toEqual([0]);
  });
  full.state.takes = false;
  await publish(db, accountId, 1);
  await waitFor(() => expect(full.positions()).toEqual([0, 1]));
  await hub.signal(accountId, typing);
  const written = ({ state }: typeof ani) => Buffer.concat(state.written).toString();
  const frame = `event: support.typing\ndata: ${JSON.stringify(typing)}\n\n`;
  await waitFor(() => expect(written(ani)).toContain(frame));
  // A full stream misses it, also later.
  full.state.takes = true;
  full.subscription.resume();
  await publish(db, accountId, 1);
  await waitFor(() => expect(full.positions()).toEqual([0, 1, 2]));
  expect(written(full)).not.toContain('typing');
  expect(written(budi)).not.toContain('typing');
});

test('a hidden kind of event is skipped, and its position passed', async ({ db }) => {
  const accountId = newId();
  const hub = openLive({
    tenantSql: db.tenantSql,
    allAccountsSql: db.allAccountsSql,
    openListening: (handlers) => openListener({ url: db.url, name: 'live test', ...handlers }),
    isShown: (whose, kind) => whose !== accountId || kind !== 'saldo.changed',
    report: (trouble) => {
      throw trouble;
    },
  });
  await publish(db, accountId, 3, { hint: false });
  await db.allAccountsSql`
    update events set kind = 'token.changed', data = ${json({ token_id: publicId('token', newId()) })}
    where account_id = ${accountId} and position = 2`;
  const some = following(hub, accountId, 0);
  await waitFor(() => expect(some.positions()).toEqual([2]));
  await hub.close();
});
