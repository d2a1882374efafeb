import { describe, expect } from 'vitest';
import type { Act, InputFor, OutputOf, PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { closeBroadcast, listBroadcasts } from '#contract/operator/broadcasts.ts';
import {
  broadcastAudiences,
  changeBroadcast,
  createBroadcast,
  operatorBroadcasts,
  stopBroadcast,
} from '#contract/operator/broadcasts.ts';
import { openSubscription } from '#server/domains/billing/billing.ts';
import { newId } from '#server/infra/ids.ts';
import { test } from '#tests/support/app/running-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { clockAt } from '#tests/support/money/topups.ts';
import { rejectionOf } from '#tests/support/people/accounts-app.ts';
import {
  type Customer,
  customerWith,
  makeAccount,
  makeUser,
} from '#tests/support/people/people.ts';
import { plainText, type BroadcastDeps, openBroadcasts } from './broadcasts.ts';

const OPERATOR = newId();

/** Broadcasts on a test database with a test clock. Records pushes and messages per person. */
function broadcastApp(db: TestDatabase) {
  const clock = clockAt();
  const pushed: string[] = [];
  const sent = new Map<string, { to: string; text: string }>();
  const config = { MAINTENANCE: false, MAINTENANCE_TEXT: 'Malam ini dipelihara.' };
  const troubles: unknown[] = [];
  const deps: BroadcastDeps = {
    sql: db.tenantSql,
    allAccountsSql: db.allAccountsSql,
    config,
    queueNotice: async (_tx, { accountId }) => void pushed.push(accountId),
    sendNotice: async ({ key, to, text }) => {
      sent.set(key, { to, text });
      return 'accepted';
    },
    now: clock.now,
    report: (trouble) => void troubles.push(trouble),
  };
  const open = () => {
    const broadcasts = openBroadcasts(deps);
    const handled = async (act: Act, input: object, who: object) =>
      broadcasts.acts
        .find((one) => one.act.name === act.name)
        ?.handle(
          { caller: { kind: 'person', ...who }, key: crypto.randomUUID() } as never,
          act.input.parse(input) as never,
        );
    const ask = async <A extends Act>(
      act: A,
      input: InputFor<A>,
      who: object = { userId: OPERATOR },
    ) => act.output.parse(await handled(act, input as object, who)) as OutputOf<A>;
    const shownTo = async ({ accountId, userId }: Customer) => {
      const { broadcasts: shown } = await ask(listBroadcasts, {}, { accountId, userId });
      return shown.map(({ title }) => title);
    };
    const list = async (): Promise<OutputOf<typeof operatorBroadcasts>[]> =>
      ((await handled(operatorBroadcasts, {}, { userId: OPERATOR })) as PageOf<never>)
        .rows as never;
    return { ...broadcasts, ask, shownTo, list };
  };
  return { ...open(), open, deps, clock, config, pushed, sent, troubles };
}

type App = ReturnType<typeof broadcastApp>;

const inHours = ({ clock }: App, hours: number) =>
  new Date(clock.now().getTime() + hours * 3_600_000).toISOString();

const words = (app: App, given: Partial<InputFor<typeof createBroadcast>> = {}) => ({
  title: 'Libur Natal',
  text: 'Kami tutup. Lihat <a href="https://kabari.example/libur">jadwal</a>.',
  tone: 'info' as const,
  audience: 'all' as const,
  until: inHours(app, 24),
  by_push: 'no' as const,
  by_message: 'no' as const,
  ...given,
});

const everywhere = { by_push: 'yes', by_message: 'yes' } as const;

describe('broadcasts shown to customers', () => {
  test('shows each customer their broadcasts in all browsers until they close them', async ({
    db,
  }) => {
    const app = broadcastApp(db);
    const ani = await customerWith(db.allAccountsSql);
    const budi = await customerWith(db.allAccountsSql, { linked: false });
    await db.allAccountsSql.begin((tx) => openSubscription(tx, budi.accountId, app.clock.now()));
    const all = await app.ask(createBroadcast, words(app, { title: 'Semua' }));
    await app.ask(createBroadcast, words(app, { title: 'Tersambung', audience: 'linked' }));
    await app.ask(
      createBroadcast,
      words(app, { title: 'Gratis', audience: 'plan', plan: 'gratis' }),
    );
    expect(await app.shownTo(ani)).toEqual(['Tersambung', 'Semua']);
    expect(await app.shownTo(budi)).toEqual(['Gratis', 'Semua']);
    await app.ask(closeBroadcast, { broadcast_id: all.id }, ani);
    await app.ask(closeBroadcast, { broadcast_id: all.id }, ani);
    expect(await app.shownTo(ani)).toEqual(['Tersambung']);
    expect(await app.open().shownTo(ani)).toEqual(['Tersambung']);
    expect(await app.shownTo(budi)).toEqual(['Gratis', 'Semua']);
    expect((await app.list()).map(({ title, closed }) => [title, closed])).toEqual([
      ['Gratis', 0],
      ['Tersambung', 0],
      ['Semua', 1],
    ]);
    expect(await app.ask(broadcastAudiences, {})).toMatchObject({ all: 2, linked: 1 });
  });

  test('has no name without a broadcast, and another name for another broadcast', async ({
    db,
  }) => {
    const app = broadcastApp(db);
    const ani = await customerWith(db.allAccountsSql);
    const name = () => app.nameFor(db.allAccountsSql, ani);
    expect(await name()).toBeUndefined();
    const { id } = await app.ask(createBroadcast, words(app));
    const first = await name();
    await app.ask(createBroadcast, words(app));
    expect(new Set([first, await name(), undefined]).size).toBe(3);
    await app.ask(stopBroadcast, { broadcast_id: id });
    app.clock.pass(25);
    expect(await name()).toBeUndefined();
    app.config.MAINTENANCE = true;
    expect(await name()).toBe('Malam ini dipelihara.');
    expect(await app.shownTo(ani)).toEqual(['Pemeliharaan']);
  });

  test('shows a broadcast from start to end; allows changes before the start and a stop at any time', async ({
    db,
  }) => {
    const app = broadcastApp(db);
    const ani = await customerWith(db.allAccountsSql);
    const from = inHours(app, 1);
    const { id, state } = await app.ask(createBroadcast, words(app, { from }));
    expect(state).toBe('scheduled');
    expect(await app.shownTo(ani)).toEqual([]);
    const changed = words(app, { title: 'Libur', from });
    await app.ask(changeBroadcast, { broadcast_id: id, ...changed });
    const other = await app.ask(createBroadcast, words(app, { title: 'Lain', from }));
    app.clock.pass(2);
    await app.work();
    // A process with a slow clock must not change a broadcast that a worker has already announced.
    app.clock.pass(-2);
    const moved = { broadcast_id: other.id, ...words(app, { from: inHours(app, 3) }) };
    expect(await rejectionOf(app.ask(changeBroadcast, moved))).toMatchObject({
      code: 'broadcast_over',
    });
    app.clock.pass(2);
    await app.ask(stopBroadcast, { broadcast_id: other.id });
    expect(await app.shownTo(ani)).toEqual(['Libur']);
    const late = { broadcast_id: id, ...words(app, { from: inHours(app, 1) }) };
    expect(await rejectionOf(app.ask(changeBroadcast, late))).toMatchObject({
      code: 'broadcast_over',
    });
    expect(await app.ask(stopBroadcast, { broadcast_id: id })).toMatchObject({ state: 'stopped' });
    expect(await app.shownTo(ani)).toEqual([]);
    for (const [act, input] of [
      [stopBroadcast, { broadcast_id: id }],
      [changeBroadcast, late],
    ] as const)
      expect(await rejectionOf(app.ask(act as Act, input as never))).toMatchObject({
        code: 'broadcast_over',
      });
  });

  test('reports each invalid field', async ({ db }) => {
    const app = broadcastApp(db);
    const field = async (given: Parameters<typeof words>[1]) => {
      const { facts } = (await rejectionOf(app.ask(createBroadcast, words(app, given)))) as never;
      return Object.keys((facts as { fields: object }).fields);
    };
    expect(await field({ from: inHours(app, -2) })).toEqual(['from']);
    expect(await field({ until: inHours(app, -1) })).toEqual(['until']);
    expect(await field({ until: inHours(app, 24 * 91) })).toEqual(['until']);
    expect(await field({ audience: 'plan', plan: 'tak-ada' })).toEqual(['plan']);
    const foreign = { broadcast_id: publicId('broadcast', newId()) };
    const ani = await customerWith(db.allAccountsSql);
    expect(await rejectionOf(app.ask(closeBroadcast, foreign, ani))).toMatchObject({
      code: 'not_found',
    });
    expect(await rejectionOf(app.ask(stopBroadcast, foreign))).toMatchObject({ code: 'not_found' });
  });

  test('creates one broadcast for two requests with the same key', async ({ db }) => {
    const app = broadcastApp(db);
    const handler = app.acts.find(({ act }) => act === createBroadcast);
    const call = { caller: { userId: OPERATOR }, key: crypto.randomUUID() } as never;
    const press = () => handler?.handle(call, createBroadcast.input.parse(words(app)) as never);
    expect(await press()).toEqual(await press());
    expect(await app.list()).toHaveLength(1);
  });
});

async function crowd(db: TestDatabase, size: number): Promise<void> {
  await db.allAccountsSql.begin(async (tx) => {
    for (let one = 0; one < size; one++) await makeUser(tx, await makeAccount(tx));
  });
}

const countIn = async (db: TestDatabase, table: 'outbox' | 'broadcast_deliveries') => {
  const [row] = await (table === 'outbox'
    ? db.allAccountsSql`select count(*)::int as n from outbox where kind = 'broadcast.changed'`
    : db.allAccountsSql`select count(*)::int as n from broadcast_deliveries`);
  return row?.['n'];
};

describe('delivery of broadcasts', () => {
  test('delivers once per person by push and by message, with several workers at once', async ({
    db,
  }) => {
    const app = broadcastApp(db);
    await crowd(db, 450);
    await app.ask(createBroadcast, words(app, everywhere));
    const other = app.open();
    await Promise.all([app.work(), other.work(), app.work()]);
    await app.work();
    expect(await countIn(db, 'outbox')).toBe(450);
    expect(app.pushed).toHaveLength(450);
    expect(new Set(app.pushed).size).toBe(450);
    expect(new Set([...app.sent.values()].map(({ to }) => to)).size).toBe(450);
    const [{ told } = { told: undefined }] = await app.list();
    expect(told).toEqual({
      people: 450,
      pushed: 450,
      sent: 450,
      opted_out: 0,
      failed: 0,
      waiting: 0,
    });
    expect(app.troubles).toEqual([]);
  });

  test('reaches every customer after a process dies between two batches', async ({ db }) => {
    const app = broadcastApp(db);
    await crowd(db, 250);
    await app.ask(createBroadcast, words(app, everywhere));
    // Fails in the second batch, which rolls back.
    await db.owner`
      create function die() returns trigger language plpgsql as $$
      begin
        if (select count(*) from broadcast_deliveries) > 200 then raise exception 'killed'; end if;
        return new;
      end $$`;
    await db.owner`
      create trigger die before update on broadcasts for each row execute function die()`;
    expect(await rejectionOf(app.work())).toMatchObject({ message: 'killed' });
    expect([await countIn(db, 'outbox'), await countIn(db, 'broadcast_deliveries')]).toEqual([
      200, 200,
    ]);
    await db.owner`drop trigger die on broadcasts`;
    await app.open().work();
    expect(await countIn(db, 'outbox')).toBe(250);
    expect(new Set(app.pushed).size).toBe(250);
    expect(app.sent.size).toBe(250);
  });

  test('retries a message that cannot be sent, and skips customers who opted out', async ({
    db,
  }) => {
    const app = broadcastApp(db);
    const ani = await customerWith(db.allAccountsSql);
    const budi = await customerWith(db.allAccountsSql);
    const { sendNotice } = app.deps;
    app.deps.sendNotice = async (notice) => {
      if (notice.to === budi.phone) return 'opted_out';
      throw new Error('the system token cannot send: not_linked');
    };
    await app.ask(createBroadcast, words(app, everywhere));
    await app.work();
    // Hours without a phone and many tries do not end a delivery.
    await db.allAccountsSql`update broadcast_deliveries set tries = 100 where ended_at is null`;
    app.clock.pass(0.1);
    await app.work();
    app.deps.sendNotice = sendNotice;
    app.clock.pass(0.1);
    await app.work();
    expect([app.pushed.length, app.sent.size, app.troubles.length]).toEqual([2, 0, 2]);
    app.clock.pass(0.5);
    await app.work();
    expect([...app.sent.values()]).toEqual([
      {
        to: ani.phone,
        text: 'Libur Natal\n\nKami tutup. Lihat jadwal (https://kabari.example/libur).',
      },
    ]);
    expect(app.pushed).toHaveLength(2);
    expect((await app.list())[0]?.told).toMatchObject({ sent: 1, opted_out: 1, waiting: 0 });
  });

  test('stops pending deliveries when a broadcast is stopped, and updates open pages', async ({
    db,
  }) => {
    const app = broadcastApp(db);
    await customerWith(db.allAccountsSql);
    app.deps.sendNotice = () => Promise.reject(new Error('no network'));
    const { id } = await app.ask(createBroadcast, words(app, { by_message: 'yes' }));
    await app.work();
    await app.ask(stopBroadcast, { broadcast_id: id });
    app.deps.sendNotice = async () => 'accepted';
    app.clock.pass(1);
    await app.work();
    expect((await app.list())[0]?.told).toMatchObject({ people: 1, sent: 0, waiting: 0 });
    expect(await countIn(db, 'outbox')).toBe(2);
  });
});

test('accepts a message once when a process dies after accepting it', async ({ db, openApp }) => {
  const { container, worker } = await openApp();
  expect(worker).toBeUndefined();
  const app = broadcastApp(db);
  const { phone } = await customerWith(db.allAccountsSql);
  const place: BroadcastDeps['sendNotice'] = async (notice) =>
    (await container.messages.sendNoticeAsSystem(notice)) ? 'accepted' : 'opted_out';
  app.deps.sendNotice = async (notice) => {
    await place(notice);
    throw new Error('killed');
  };
  await app.ask(createBroadcast, words(app, everywhere));
  await app.work();
  app.deps.sendNotice = place;
  app.clock.pass(0.1);
  await app.open().work();
  const placed = await db.allAccountsSql`
    select d.priority from messages m join dispatch d using (account_id, message_id)
    where m.peer = ${phone}`;
  // Codes have priority 0 and come first.
  expect(placed).toEqual([{ priority: 2 }]);
  expect(app.pushed).toHaveLength(1);
  expect((await app.list())[0]?.told).toMatchObject({ sent: 1, waiting: 0 });
});

test('sends codes but no notices to a customer who replied STOP to the installation', async ({
  db,
  openApp,
}) => {
  const { container } = await openApp();
  const { phone } = await customerWith(db.allAccountsSql);
  await db.allAccountsSql`
    insert into optouts (account_id, token_id, peer, source)
    select account_id, token_id, ${phone}, 'reply' from tokens where is_system`;
  const { sendNoticeAsSystem, sendAsSystem } = container.messages;
  const notice = { to: phone, text: 'Libur', key: 'notice', expiresAt: new Date('2100-01-01') };
  expect(await sendNoticeAsSystem(notice)).toBe(false);
  await sendAsSystem({ to: phone, text: 'Kode 123456', shown: 'Kode ••••••' });
  expect(await db.allAccountsSql`select body from messages where peer = ${phone}`).toEqual([
    { body: { text: 'Kode ••••••' } },
  ]);
});

test('keeps link addresses in a caption sent to a phone', () => {
  expect(plainText('Baca<br>https://a.id/x dan <a href="https://b.id/y">ini</a>')).toBe(
    'Baca\nhttps://a.id/x dan ini (https://b.id/y)',
  );
});
