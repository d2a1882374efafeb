import { expect } from 'vitest';
import { never, toPhone } from '#tests/support/app/simulated-network.ts';
import {
  changeWebSessions,
  makeWebSession,
  secrets,
  test,
  webCustomer,
} from '#tests/support/channels/web-network.ts';
import { openAuthStorage, LeaseLost, openLeases } from '#server/domains/channels/web/auth.ts';
import type { WebEngine } from '#server/domains/channels/web/engine/engine.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { ago, inFuture, plus } from '#tests/support/database/changes.ts';
import { changeTokens, makeToken } from '#tests/support/people/people.ts';

const OWN = '6281200000001';

/** Ends a session's lease until another worker has it: the holder may take it again. */
async function endLease(sql: Sql): Promise<void> {
  const [held] = await sql<{ owner: string }[]>`select owner from web_sessions`;
  await waitFor(async () => {
    const ended = await changeWebSessions(sql, held!, { leaseUntil: ago('1 second') });
    return ended.count === 0;
  });
}

test('one of two workers holds the number; when it closes, the other continues the session', async ({
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const workers = [await startWorker(), await startWorker()];
  await link(ani, OWN);
  const holders = () => workers.filter(({ channel }) => channel.numbers?.held().length === 1);
  expect(holders()).toHaveLength(1);
  const [first] = holders();
  const second = workers.find((worker) => worker !== first);
  const message = toPhone(ani, '6281299999999');
  expect(await second!.channel.send(message, never)).toMatchObject({
    outcome: 'later',
    failure: 'not_linked',
  });
  expect(await first!.channel.send(message, never)).toEqual({ outcome: 'sent' });

  await first!.channel.close();
  await waitFor(() => second!.channel.numbers?.held().includes(ani.tokenId));
  expect(standIn.openPhones()).toEqual([OWN]);
  expect(await second!.channel.send(message, never)).toEqual({ outcome: 'sent' });
  expect([...standIn.arrived.values()].map(({ times }) => times)).toEqual([1]);
});

test('another worker sends the same id after one vanished in the middle of a try', async ({
  sql,
  openNetwork,
}) => {
  let isMute = true;
  const { ani, standIn, startWorker, link } = await openNetwork({
    answer: () => (isMute ? 'silent' : { outcome: 'acknowledged' }),
  });
  // Its leases are not renewed: it hangs, like a killed worker.
  const holder = (await startWorker({ timings: { renewMs: 3_600_000, sendMs: 50 } })).channel;
  await link(ani, OWN);
  const message = toPhone(ani, '6281299999999');
  await expect(holder.send(message, never)).rejects.toThrow('did not acknowledge');
  const next = await startWorker();
  await endLease(sql);
  await waitFor(() => next.channel.numbers?.held().includes(ani.tokenId));
  isMute = false;
  expect(await next.channel.send({ ...message, attempt: 2 }, never)).toEqual({ outcome: 'sent' });
  expect([...standIn.arrived.values()].map(({ times }) => times)).toEqual([1]);
});

test('writes nothing after it has lost the lease', async ({ sql, openNetwork }) => {
  const { ani, startWorker, link } = await openNetwork();
  await startWorker();
  await link(ani, OWN);
  const [row] = await sql<{ session_id: string; epoch: number }[]>`
    select session_id, epoch from web_sessions`;
  const { accountId, tokenId } = ani;
  const sessionId = row!.session_id;
  const stale = { accountId, tokenId, sessionId, epoch: row!.epoch, state: 'linked' } as const;
  const leases = openLeases(sql, newId());
  let lost = 0;
  const onLost = () => void (lost += 1);
  const storage = openAuthStorage({ allAccountsSql: sql, secrets, leases }, stale, onLost);
  const change = { type: 'session', id: 'x', value: 'y' };
  await expect(storage.writeKeys([change])).rejects.toThrow(LeaseLost);
  await expect(storage.writeCreds('x')).rejects.toThrow(LeaseLost);
  expect(lost).toBe(2);
  expect(await leases.renew([stale])).toEqual(new Set());
});

test('a session survives a restart, and is unreadable in the database', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const first = await startWorker();
  await link(ani, OWN);
  await first.channel.send(toPhone(ani, '6281299999999'), never);
  await first.channel.close();
  expect(standIn.openPhones()).toEqual([]);

  const sessions = await sql<{ creds: Buffer }[]>`select creds from web_sessions`;
  const keys = await sql<{ type: string; value: Buffer }[]>`select type, value from web_keys`;
  expect(keys.map(({ type }) => type).toSorted()).toEqual(['identity-key', 'session']);
  const bytes = Buffer.concat([sessions[0]!.creds, ...keys.map(({ value }) => value)]);
  for (const plain of ['identity ', 'secret', 'ratchet', 'key of', OWN]) {
    expect(bytes.includes(plain)).toBe(false);
  }

  const second = await startWorker();
  await waitFor(() => second.channel.numbers?.held().includes(ani.tokenId));
  expect(second.notices).toEqual([]);
});

test('opens a silent connection again', async ({ sql, openNetwork }) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { channel } = await startWorker({ timings: { silenceMs: 200 } });
  await link(ani, OWN);
  standIn.dieSilently(OWN);
  await waitFor(() => standIn.openPhones().length === 0);
  await waitFor(() => standIn.openPhones().includes(OWN));
  await waitFor(() => channel.numbers?.held().includes(ani.tokenId));
  expect(await sql`select status from tokens where token_id = ${ani.tokenId}`).toEqual([
    { status: 'linked' },
  ]);
});

// A proxy's 401 is not the phone's; a 440 is mostly of a worker that has lost its lease.
test.for([515, 428, 408, 503, 500, 401, 440])(
  'after %i the number connects again by itself',
  async (code, { openNetwork }) => {
    const { ani, standIn, startWorker, link } = await openNetwork();
    const { channel, notices } = await startWorker();
    await link(ani, OWN);
    standIn.closeWith(OWN, code);
    expect(standIn.openPhones()).toEqual([]);
    await waitFor(() => channel.numbers?.held().includes(ani.tokenId));
    expect(notices).toEqual([]);
  },
);

test.for([
  [401, 'phone', 0],
  [403, 'banned', 1],
  [411, 'relink', 1],
] as const)(
  'after %i the number is parted (%s), and its owner is told',
  async ([code, reason, left], { sql, openNetwork }) => {
    const { ani, standIn, startWorker, link } = await openNetwork();
    const { channel, notices } = await startWorker();
    await link(ani, OWN);
    if (code === 401) standIn.logoutFromPhone(OWN);
    else standIn.closeWith(OWN, code);
    await waitFor(() => expect(notices).toHaveLength(1));
    expect(notices).toMatchObject([{ accountId: ani.accountId, title: 'Nomor "Kasir" terputus' }]);
    await waitFor(async () =>
      expect(await sql`select status, phone from tokens where token_id = ${ani.tokenId}`).toEqual([
        { status: 'disconnected', phone: OWN },
      ]),
    );
    expect(await sql`select disconnect_reason from connections`).toEqual([
      { disconnect_reason: reason },
    ]);
    expect(await sql`select * from web_sessions`).toHaveLength(left);
    await waitFor(() => channel.numbers?.held().length === 0);
    expect(standIn.openPhones()).toEqual([]);
  },
);

test('reports once that WhatsApp no longer accepts the client, keeps the session, and recovers by itself', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { notices } = await startWorker();
  await link(ani, OWN);
  const stateOf = () => sql`
    select t.status, c.disconnect_reason as reason from tokens t join connections c using (account_id, token_id)`;
  standIn.refuseWith(405);
  standIn.closeWith(OWN, 405);
  const answers = () => sql`select answers from provider_answers where code = 'close_405'`;
  await waitFor(async () => {
    const [row] = await answers();
    expect(Number(row?.['answers'])).toBeGreaterThan(2);
  });
  expect(await stateOf()).toEqual([{ status: 'disconnected', reason: 'outdated' }]);
  await waitFor(() => expect(notices).toHaveLength(1));
  expect(notices).toMatchObject([{ title: 'Nomor "Kasir" terputus' }]);
  expect(notices[0]!.body).toContain('tanpa memindai ulang');
  standIn.refuseWith(undefined);
  await waitFor(async () => expect(await stateOf()).toEqual([{ status: 'linked', reason: null }]));
  expect(notices).toHaveLength(1);
});

test('gives up a session that stays bad after some tries', async ({ sql, openNetwork }) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { notices } = await startWorker();
  await link(ani, OWN);
  standIn.refuseWith(500);
  standIn.closeWith(OWN, 500);
  await waitFor(() => expect(notices).toHaveLength(1));
  expect(notices[0]!.body).toContain('Pindai QR lagi');
  // The phone has not removed it.
  expect(await sql`select * from web_sessions`).toHaveLength(1);
});

test('links a disconnected number again, also to the same phone', async ({ sql, openNetwork }) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { channel, notices } = await startWorker();
  await link(ani, OWN);
  standIn.closeWith(OWN, 403);
  await waitFor(() => expect(notices).toHaveLength(1));
  await link(ani, OWN);
  await waitFor(() => channel.numbers?.held().includes(ani.tokenId));
  await waitFor(async () =>
    expect(await sql`select state from web_sessions`).toEqual([{ state: 'linked' }]),
  );
  expect(await sql`select disconnect_reason from connections`).toEqual([
    { disconnect_reason: null },
  ]);
});

test('logs a number out of the phone when its owner unlinks it in the portal', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  await startWorker();
  await link(ani, OWN);
  await sql`delete from linked_phones`;
  await changeTokens(sql, ani, { status: 'unlinked', phone: null });
  await waitFor(() => expect(standIn.loggedOut).toEqual([OWN]));
  await waitFor(async () => expect(await sql`select * from web_sessions`).toEqual([]));
});

test('counts only the time in which a number was truly connected', async ({ sql, openNetwork }) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  await startWorker({ timings: { backOffFactor: 1_000 } });
  await link(ani, OWN);
  await waitFor(async () => expect(await sql`select * from connection_spans`).toHaveLength(1));
  standIn.closeWith(OWN, 428);
  await waitFor(() => standIn.openPhones().length === 0);
  const until = () => sql`select up_until from connection_spans`;
  const before = await until();
  const start = Date.now();
  await waitFor(() => Date.now() - start > 300);
  expect(await until()).toEqual(before);
});

test('linking a connected number again leaves one session, and one device on the phone', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { channel } = await startWorker();
  await link(ani, OWN);
  const [before] = await sql<{ session_id: string }[]>`select session_id from web_sessions`;
  await link(ani, OWN);
  await waitFor(() => expect(standIn.loggedOut).toEqual([OWN]));
  const sessions = await waitFor(async () => {
    const found = await sql<{ session_id: string; state: string }[]>`
      select session_id, state from web_sessions`;
    return found.length === 1 && found;
  });
  expect(sessions[0]).toMatchObject({ state: 'linked' });
  expect(sessions[0]!.session_id).not.toBe(before!.session_id);
  await waitFor(() => channel.numbers?.held().includes(ani.tokenId));
});

test('a worker that has lost the session while disconnected neither connects nor disconnects the number', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const first = await startWorker({ timings: { renewMs: 3_600_000 } });
  await link(ani, OWN);
  const second = await startWorker();
  await endLease(sql);
  await waitFor(() => second.channel.numbers?.held().includes(ani.tokenId));
  await waitFor(() => first.channel.numbers?.held().length === 0);
  expect(standIn.openPhones()).toEqual([OWN]);
  expect([...first.notices, ...second.notices]).toEqual([]);
  expect(await sql`select status from tokens where token_id = ${ani.tokenId}`).toEqual([
    { status: 'linked' },
  ]);
});

test('does not connect a number of a suspended account until the suspension ends', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { channel } = await startWorker();
  await link(ani, OWN);
  await changeTokens(sql, ani, { isSuspended: true });
  await waitFor(() => standIn.openPhones().length === 0);
  await waitFor(async () =>
    expect(await sql`select state, owner from web_sessions`).toEqual([
      { state: 'linked', owner: null },
    ]),
  );
  expect(standIn.loggedOut).toEqual([]);
  await changeTokens(sql, ani, { isSuspended: false });
  await waitFor(() => channel.numbers?.held().includes(ani.tokenId));
});

test('two workers that close each other for ever stop after some times, and keep the session', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { channel, notices } = await startWorker();
  await link(ani, OWN);
  for (let times = 1; times <= 3; times++) {
    standIn.closeWith(OWN, 440);
    await waitFor(() => standIn.openPhones().includes(OWN));
    await waitFor(() => channel.numbers?.held().includes(ani.tokenId));
  }
  expect(notices).toEqual([]);
  standIn.closeWith(OWN, 440);
  await waitFor(() => expect(notices).toHaveLength(1));
  expect(await sql`select disconnect_reason from connections`).toEqual([
    { disconnect_reason: 'replaced' },
  ]);
  expect(await sql`select * from web_sessions`).toHaveLength(1);
});

test('a frozen worker writes nothing to the socket of a session that another one holds', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const { channel } = await startWorker({ timings: { renewMs: 3_600_000, renewedMsMax: 1 } });
  await link(ani, OWN);
  const message = toPhone(ani, '6281299999999');
  expect(await channel.send(message, never)).toEqual({ outcome: 'sent' });
  const another = { owner: newId(), epoch: plus(1), leaseUntil: inFuture('1 hour') };
  await changeWebSessions(sql, {}, another);
  expect(await channel.send(toPhone(ani, '6281299999999'), never)).toMatchObject({
    outcome: 'later',
    failure: 'not_linked',
  });
  expect(standIn.arrived.size).toBe(1);
  await waitFor(() => standIn.openPhones().length === 0);
});

test('spaces the logins of numbers that move to another worker together', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const first = await startWorker();
  const owners = [ani, await webCustomer(sql), await webCustomer(sql)];
  for (const [nth, owner] of owners.entries()) await link(owner, `628120000000${nth}`);
  await first.channel.close();
  expect(standIn.openPhones()).toEqual([]);
  await startWorker({ timings: { loginGapMs: 3_600_000 } });
  await waitFor(async () =>
    expect(await sql`select from web_sessions where owner is not null`).toHaveLength(3),
  );
  await waitFor(() => standIn.openPhones().length > 0);
  expect(standIn.openPhones()).toHaveLength(1);
});

test('spaces the logins of numbers that waited for the same thread', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link } = await openNetwork();
  const first = await startWorker();
  const owners = [ani, await webCustomer(sql), await webCustomer(sql), await webCustomer(sql)];
  for (const [nth, owner] of owners.entries()) await link(owner, `628120000000${nth}`);
  await first.channel.close();

  const started = Promise.withResolvers<void>();
  const opened: number[] = [];
  const engine: WebEngine = {
    open: async (given) => {
      await started.promise;
      opened.push(performance.now());
      return standIn.open(given);
    },
    close: async () => undefined,
  };
  const gapMs = 200;
  await startWorker({ engine, timings: { pollMs: 1_000, loginGapMs: gapMs } });
  await waitFor(async () =>
    expect(await sql`select from web_sessions where owner is not null`).toHaveLength(4),
  );
  const claimedAt = performance.now();
  await waitFor(() => performance.now() - claimedAt > 5 * gapMs);
  started.resolve();
  await waitFor(() => opened.length === 4);
  // Gaps are at least half of `gapMs`; late timers may shorten them.
  const gaps = opened.slice(1).map((at, nth) => at - opened[nth]!);
  expect(gaps.filter((gap) => gap < 5)).toEqual([]);
});

async function linkMore(sql: Sql, accountId: string, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    for (let nth = 1; nth <= count; nth++) {
      const phone = String(628_130_000_000 + nth);
      const tokenId = await makeToken(tx, accountId, { channel: 'web', phone });
      await makeWebSession(tx, { accountId, tokenId });
    }
  });
}

const ownersOf = (sql: Sql) => sql<{ held: number }[]>`
  select count(*)::int as held from web_sessions where owner is not null group by owner`;

test('workers share the sessions of one that went away', async ({ sql, openNetwork }) => {
  const { ani, startWorker } = await openNetwork();
  await linkMore(sql, ani.accountId, 40);
  // Ten sessions per poll: no worker takes all of them with its first.
  const timings = { pollMs: 1_000, loginGapMs: 100 };
  await Promise.all([startWorker({ timings }), startWorker({ timings })]);
  await waitFor(async () => {
    const owners = await ownersOf(sql);
    expect(owners.reduce((sum, { held }) => sum + held, 0)).toBe(40);
    expect(owners).toHaveLength(2);
  });
});

test('a worker has room for more than its usual two hundred numbers', async ({
  sql,
  openNetwork,
}) => {
  const { ani, startWorker } = await openNetwork();
  await linkMore(sql, ani.accountId, 250);
  await startWorker({ timings: { loginGapMs: 1 } });
  await waitFor(async () => expect(await ownersOf(sql)).toEqual([{ held: 250 }]));
});

test('sessions that are released at once do not delay others', async ({ sql, openNetwork }) => {
  const { ani, startWorker } = await openNetwork();
  await linkMore(sql, ani.accountId, 2);
  // Paired, with its account suspended: neither connected nor ended.
  const [first] = await sql<{ tokenId: string }[]>`
    select token_id as "tokenId" from web_sessions order by session_id limit 1`;
  await changeWebSessions(sql, first!, { state: 'paired' });
  await changeTokens(sql, first!, { isSuspended: true });
  // One session per poll.
  await startWorker({ timings: { loginGapMs: 1_000 } });
  await waitFor(async () =>
    expect(
      await sql`select from web_sessions where state = 'linked' and owner is not null`,
    ).toHaveLength(1),
  );
});
