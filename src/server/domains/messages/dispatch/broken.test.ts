import { describe, expect } from 'vitest';
import { openLog } from '#server/infra/observability/log.ts';
import { newId } from '#server/infra/ids.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { lanesOver, network, phones, acceptTexts } from '#tests/support/app/fake-channel.ts';
import {
  changeAccounts,
  changeTokens,
  closeAccount,
  customerWith,
} from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { expireMessages, messagesAccountData } from '#server/domains/messages/messages.ts';
import { applyReceipts, retryParked } from './settle.ts';
import { startRelay } from '#server/domains/events/events.ts';
import { dropDispatch, makeDue } from '#tests/support/app/lanes.ts';

const log = openLog({ level: 'silent' });
const BROKEN = '628120000666';

/** From now on the database rejects writes for one number. */
const refuse = (
  db: TestDatabase,
  table: 'messages' | 'events',
  test: string,
  code = 'raise_exception',
) =>
  db.owner.query(`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if ${test} then raise exception 'broken' using errcode = '${code}'; end if;
      return new;
    end $$;
    create trigger refuse before insert or update on ${table}
      for each row execute function refuse()`);

const refuseResults = (db: TestDatabase) =>
  refuse(db, 'messages', `new.peer = '${BROKEN}' and new.status <> 'queued'`);

async function settlingsOf(db: TestDatabase, work: () => Promise<unknown>): Promise<number> {
  await db.owner.query(`
    create sequence settlings;
    grant usage on sequence settlings to kabari_app;
    alter function settle_messages rename to settle_counted;
    grant execute on function settle_counted to kabari_app;
    create function settle_messages(
      uuid[], uuid[], bigint[], uuid[], text[], text[], timestamptz[]
    ) returns table (o_id uuid, o_answer text) language plpgsql security definer as $$
      begin
        perform nextval('settlings');
        return query select * from settle_counted($1, $2, $3, $4, $5, $6, $7);
      end $$;`);
  await work();
  const [counted] = await db.owner<{ n: number }[]>`select last_value::int as n from settlings`;
  return counted?.n ?? 0;
}

const peersOf = (count: number) => phones(count).toSpliced(Math.floor(count / 2), 0, BROKEN);

describe('one item that cannot be written does not affect the others:', () => {
  test('a result of a lane', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const peers = peersOf(8);
    await acceptTexts(sql, ani, { prices: peers.map(() => 150), peers });
    await refuseResults(db);
    const { seen, channels } = network(() => ({ outcome: 'sent' }));
    const lanes = lanesOver(sql, channels);
    await waitFor(async () =>
      expect(await sql`select count(*)::int as n from messages where status = 'sent'`).toEqual([
        { n: 8 },
      ]),
    );
    await waitFor(async () =>
      expect(
        await sql`select peer, state, ready_at > clock_timestamp() as "isResting" from dispatch`,
      ).toEqual([{ peer: BROKEN, state: 'unknown', isResting: true }]),
    );
    await lanes.close();
    // It may have left: it was not sent again, and its price is not released.
    expect(seen).toHaveLength(9);
    expect(await sql`select held from wallets`).toEqual([{ held: 150 }]);
  });

  test('a result that is known to be sent: it is settled later, and never sent again', async ({
    db,
    sql,
  }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    await acceptTexts(sql, ani, { peers: [BROKEN] });
    await refuseResults(db);
    const { seen, channels } = network(() => ({ outcome: 'sent' }), { preallocates: false });
    const lanes = lanesOver(sql, channels);
    const expected = { state: 'unknown', later: true };
    const isKept = () =>
      waitFor(async () =>
        expect(
          await sql`select state, ready_at > clock_timestamp() as later from dispatch`,
        ).toEqual([expected]),
      );
    const isDue = async () => {
      await makeDue(db.owner);
      lanes.wake();
    };
    await isKept();
    for (let turn = 0; turn < 2; turn++) {
      await isDue();
      await isKept();
    }
    await db.owner`drop function refuse cascade`;
    await isDue();
    await waitFor(async () =>
      expect(
        await sql`select status, charge_state, possible_duplicate as twice from messages`,
      ).toEqual([{ status: 'sent', charge_state: 'captured', twice: false }]),
    );
    await lanes.close();
    expect(seen).toHaveLength(1);
    expect(await sql`select 1 from dispatch`).toEqual([]);
  });

  test('a receipt: of an unknown account, which is parked, or with an invalid id', async ({
    sql,
  }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const { results } = await acceptTexts(sql, ani, { prices: [150, 150], peers: phones(2) });
    const receipts = results.map(({ id }) => ({ accountId: ani.accountId, messageId: id }));
    const broken = [
      { accountId: newId(), messageId: newId() },
      { accountId: ani.accountId, messageId: 'wamid.HBgNNjI4' },
    ];
    const given = [...broken, ...receipts].map((one) => ({
      ...one,
      status: 'delivered' as const,
      at: new Date(),
    }));
    const unkept = await applyReceipts(sql, given);
    expect(unkept.map(({ item }) => item)).toEqual([given[1]]);
    expect(await sql`select message_id from parked_receipts`).toEqual([
      { message_id: given[0]?.messageId },
    ]);
    expect(await sql`select distinct status from messages`).toEqual([{ status: 'delivered' }]);
  });

  test('a parked receipt, which stays parked', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const { results } = await acceptTexts(sql, ani, {
      prices: [150, 150],
      peers: [BROKEN, '628121'],
    });
    for (const { id } of results) {
      await sql`
        insert into parked_receipts (account_id, message_id, status, at)
        values (${ani.accountId}, ${id}, 'delivered', now())`;
    }
    await refuseResults(db);
    const tried = await settlingsOf(db, () => expect(retryParked(sql)).rejects.toThrow('broken'));
    // Once together, then each on its own; each is not retried once more.
    expect(tried).toBe(1 + 2);
    expect(await sql`select peer, status from messages order by status`).toEqual([
      { peer: '628121', status: 'delivered' },
      { peer: BROKEN, status: 'queued' },
    ]);
    expect(await sql`select message_id from parked_receipts`).toEqual([
      { message_id: results[0]?.id },
    ]);
  });

  test('a message whose ttl has passed, in its account and in others', async ({ db, sql }) => {
    const expiresAt = new Date(Date.now() - 1_000);
    for (const peers of [[BROKEN, '628121'], ['628122']]) {
      const customer = await customerWith(sql, { saldo: 10_000 });
      await acceptTexts(sql, customer, { prices: peers.map(() => 150), peers, expiresAt });
    }
    await refuseResults(db);
    await expect(expireMessages(sql)).rejects.toThrow('broken');
    expect(await sql`select peer from messages where status = 'expired' order by peer`).toEqual([
      { peer: '628121' },
      { peer: '628122' },
    ]);
  });

  test('an event, which is published later', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const budi = await customerWith(sql, { saldo: 10_000 });
    await acceptTexts(sql, ani, { peers: [BROKEN] });
    await acceptTexts(sql, ani, { peers: ['628121'] });
    await acceptTexts(sql, budi, { peers: ['628122'] });
    await refuse(db, 'events', `new.peer = '${BROKEN}'`);
    const relay = startRelay({ sql, log });
    await relay.drain();
    const published = async () =>
      (await sql`select peer from events where peer is not null order by peer`).map(
        ({ peer }) => peer as string,
      );
    expect(await published()).toEqual(['628121', '628122']);
    expect(await sql`select tries, retry_at > clock_timestamp() as later from outbox`).toEqual([
      { tries: 1, later: true },
    ]);

    await db.owner`drop function refuse cascade`;
    await waitFor(async () => {
      await relay.drain();
      expect(await published()).toEqual([BROKEN, '628121', '628122'].toSorted());
    });
    await relay.close();
    expect(await sql`select account_id, last from event_positions order by last`).toHaveLength(2);
  });

  test('an event that takes the database too long', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    await acceptTexts(sql, ani, { peers: [BROKEN] });
    await acceptTexts(sql, ani, { peers: ['628121'] });
    await refuse(db, 'events', `new.peer = '${BROKEN}'`, 'query_canceled');
    const relay = startRelay({ sql, log });
    await relay.drain();
    await relay.close();
    expect(await sql`select peer from events where peer is not null`).toEqual([{ peer: '628121' }]);
    expect(await sql`select tries from outbox`).toEqual([{ tries: 1 }]);
  });

  test('an event that is published late: its outdated saldo is not published', async ({ sql }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    await acceptTexts(sql, ani, { peers: ['628121'] });
    await sql`update outbox set tries = 1, retry_at = clock_timestamp() + interval '1 hour'`;
    await acceptTexts(sql, ani, { peers: ['628122'] });
    const relay = startRelay({ sql, log });
    await relay.drain();
    await sql`update outbox set retry_at = clock_timestamp()`;
    await relay.drain();
    await relay.close();
    const published = await sql<{ data: unknown }[]>`
      select data from events where kind = 'saldo.changed' order by position`;
    const now = { available: 9_700, held: 300 };
    expect(published.map(({ data }) => data)).toEqual([now]);
  });

  test('an event of an account that is about to be erased', async ({ db, sql }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const erasure = { accountId: ani.accountId, phones: ['628121'] };
    const accountData = messagesAccountData({ sql: db.tenantSql, allAccountsSql: sql });
    await sql`
      insert into outbox (account_id, outbox_id, kind, data)
      values (${ani.accountId}, ${newId()}, 'saldo.changed', '{}')`;
    expect(await accountData.isReady?.(erasure)).toBe(false);
    await sql`update outbox set tries = 1, retry_at = clock_timestamp() + interval '1 hour'`;
    expect(await accountData.isReady?.(erasure)).toBe(true);

    // Pending events of the system token about their number are never published.
    const ourAccount = await customerWith(sql, { saldo: 10_000 });
    await changeAccounts(db.owner, ourAccount, { isSystem: true });
    await changeTokens(db.owner, ourAccount, { isSystem: true });
    await acceptTexts(sql, ourAccount, { peers: ['628121'] });
    await acceptTexts(sql, ourAccount, { peers: ['628122'] });
    await dropDispatch(db.owner);
    expect(await accountData.isReady?.(erasure)).toBe(false);
    await sql`update outbox set tries = 1, retry_at = clock_timestamp() + interval '1 hour'`;
    expect(await accountData.isReady?.(erasure)).toBe(true);
    await closeAccount(sql, ani.accountId);
    await sql`delete from outbox where tries = 0`;
    await accountData.erase?.(erasure);
    expect(await sql`select peers from outbox where peers is not null`).toEqual([
      { peers: ['628122'] },
    ]);
  });
});
