import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type {
  FoundCustomer,
  OperatorCustomerDetail,
  OperatorMessage,
  OperatorToken,
} from '#contract/operator/customers.ts';
import { notifySuspensions, openSessions } from '#server/domains/accounts/accounts.ts';
import { startSession } from '#server/domains/accounts/sessions/sessions.ts';
import { openClaimMessages } from '#server/domains/messages/dispatch/lane.ts';
import { consoleActs } from '#server/domains/operator/operator.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { type ActingOperator, consoleDeps, operatorsOf } from '#tests/support/money/desk.ts';
import { billingApp } from '#tests/support/money/billing.ts';
import { type TopupApp, perform, topupApp } from '#tests/support/money/topups.ts';
import {
  type Customer,
  changeAccounts,
  changeTokens,
  customerWith,
  linkPhone,
  orderOf,
  reservePhone,
} from '#tests/support/people/people.ts';
import { changeLanes, nextEpoch } from '#tests/support/app/lanes.ts';
import { inFuture } from '#tests/support/database/changes.ts';

const reason = 'Ada laporan spam';

type Desk = { app: TopupApp; oka: ActingOperator; ani: Customer; account_id: string };

const test = base.extend<{ desk: Desk }>({
  desk: async ({ db, sql }, use) => {
    const app = await topupApp(db);
    const [oka] = await operatorsOf(sql, app, { names: ['Oka'] });
    if (!oka) throw new Error('expected an operator');
    const ani = await customerWith(sql, { saldo: 100_000 });
    await use({ app, oka, ani, account_id: publicId('account', ani.accountId) });
  },
});

async function queued(db: TestDatabase, ani: Customer, ref?: string): Promise<string> {
  const intake = openIntake(db.tenantSql, () => undefined);
  const { results } = await intake.accept(orderOf(ani, { refs: [ref], text: 'Rahasia dapur' }));
  await intake.close();
  return results[0]!.id;
}

const outcomeOf = async (db: TestDatabase, ani: Customer): Promise<string> => {
  const intake = openIntake(db.tenantSql, () => undefined);
  const { results } = await intake.accept(orderOf(ani));
  await intake.close();
  return results[0]!.outcome;
};

const become = ({ oka, account_id }: Desk, becomes: 'suspended' | 'active') =>
  oka.ask('operator_customer_suspend', {
    account_id,
    becomes,
    reason,
  }) as Promise<OperatorCustomerDetail>;

const find = async ({ oka }: Desk, q: string, more: object = {}) => {
  const answer = await oka.ask('operator_customer_list', { q, ...more });
  return (answer as { rows: FoundCustomer[] }).rows;
};

describe('a suspended customer', () => {
  test('accepts and sends nothing; queued messages stay, and continue afterwards', async ({
    db,
    sql,
    desk,
  }) => {
    const { ani } = desk;
    await queued(db, ani);
    expect((await become(desk, 'suspended')).state).toBe('suspended');
    expect(await outcomeOf(db, ani)).toBe('suspended');
    const claims = async () => {
      const claim = { ...ani, epoch: await nextEpoch(sql, ani) };
      await changeLanes(sql, ani, { leaseUntil: inFuture('1 hour') });
      return openClaimMessages({ sql })({ claim, from: ani.phone, limit: 9, isUrgent: false });
    };
    expect(await claims()).toMatchObject({ due: [], isAway: true });
    expect(await sql`select state from dispatch`).toEqual([{ state: 'ready' }]);

    expect((await become(desk, 'active')).state).toBe('active');
    const { due, isAway } = await claims();
    expect({ due: due.length, isAway }).toEqual({ due: 1, isAway: false });
    expect(await outcomeOf(db, ani)).toBe('accepted');
  });

  test('is signed out everywhere, and receives the reason, once each time', async ({
    sql,
    desk,
  }) => {
    const { app, ani } = desk;
    const client = { ip: '10.0.0.1', agent: 'test', device: 'hers' };
    const token = await sql.begin((tx) => startSession(tx, { ...ani, ...client }));
    const sent: { phone: string; text: string }[] = [];
    const deps = consoleDeps(app, sent);
    await reservePhone(sql, ani);
    const operator = { accountId: ani.accountId, role: 'operator' } as const;
    const fields = { account_id: desk.account_id, becomes: 'suspended', reason };
    const acts = consoleActs(deps);
    await perform(acts, 'operator_customer_suspend', operator, fields);
    await perform(acts, 'operator_customer_suspend', operator, { ...fields, reason: 'Lagi' });
    await notifySuspensions(deps);
    expect(sent).toEqual([{ phone: ani.phone, text: expect.stringContaining(`${reason}.`) }]);
    expect(await openSessions(sql).find(token)).toBeUndefined();
    const { suspensions } = await become(desk, 'active');
    expect(suspensions.map((step) => step.becomes)).toEqual(['active', 'suspended']);
  });

  test('keeps the linked phones when open links end', async ({ sql, desk }) => {
    const { ani } = desk;
    await sql`
      insert into links (account_id, link_id, token_id, expires_at)
      values (${ani.accountId}, gen_random_uuid(), ${ani.tokenId}, now() + interval '5 minutes')`;
    const { tokens } = await become(desk, 'suspended');
    expect(await sql`select state from links`).toEqual([{ state: 'expired' }]);
    expect(tokens).toMatchObject([{ status: 'linked', phone: ani.phone }]);
  });

  test('stays closed if it is closed', async ({ sql, desk }) => {
    await changeAccounts(sql, desk.ani, { status: 'closed' });
    await expect(become(desk, 'active')).rejects.toEqual(new Refusal('account_ended', {}));
  });
});

describe('customers are found', () => {
  test('by messages, references, tokens, top-ups and linked numbers', async ({ db, sql, desk }) => {
    const { app, ani, account_id } = desk;
    await customerWith(sql);
    await changeTokens(sql, ani, { keyHint: 'Zx9Q' });
    await linkPhone(sql, { ...ani, phone: '628777000111' });
    const id = await queued(db, ani, 'pesanan-2211');
    const topup = await app.topup(ani.accountId);
    const message = { kind: 'message', id: publicId('message', id) };
    const token = { kind: 'token', id: publicId('token', ani.tokenId) };
    const wamid = `wamid.${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}`;
    const found = new Map<string, object | null>([
      [message.id, message],
      [message.id.toLowerCase(), message],
      [wamid, message],
      ['pesanan-2211', message],
      [token.id, token],
      ['…Zx9Q', token],
      ['0877-7000', token],
      [topup.id, { kind: 'topup', id: topup.id }],
      [account_id, null],
    ]);
    for (const [q, thing] of found) {
      expect({ q, rows: await find(desk, q) }).toEqual({
        q,
        rows: [expect.objectContaining({ account_id, found: thing })],
      });
    }
    expect(await find(desk, publicId('message', crypto.randomUUID()))).toEqual([]);
  });

  test('by state and saldo, in the requested order', async ({ sql, desk }) => {
    const budi = await customerWith(sql);
    await changeAccounts(sql, budi, { name: 'Ayam Budi' });
    await become(desk, 'suspended');
    const ids = async (more: object) => (await find(desk, '', more)).map((row) => row.account_id);
    const other = publicId('account', budi.accountId);
    expect(await ids({ state: 'suspended' })).toEqual([desk.account_id]);
    expect(await ids({ state: 'active' })).toEqual([other]);
    expect(await ids({ saldo: 'empty' })).toEqual([other]);
    expect(await ids({ saldo: 'ample' })).toEqual([desk.account_id]);
    expect(await ids({ plan: 'usaha' })).toEqual([]);
    expect(await ids({ sort_by: 'name' })).toEqual([other, desk.account_id]);
    expect(await ids({ sort_by: 'available', sort_type: 'desc' })).toEqual([
      desk.account_id,
      other,
    ]);
  });
});

describe('a customer’s message and token', () => {
  test('are shown without the message text; reading it requires a reason', async ({
    db,
    sql,
    desk,
  }) => {
    const { oka, ani, account_id } = desk;
    const message_id = publicId('message', await queued(db, ani));
    const message = (await oka.ask('operator_message_get', {
      account_id,
      message_id,
    })) as OperatorMessage;
    expect(message).toMatchObject({ status: 'queued', peer: '+62 812-••••-0001', price: 150 });
    expect(JSON.stringify(message)).not.toContain('Rahasia');
    expect(await sql`select from message_disclosures`).toHaveLength(0);

    const reading = { account_id, message_id, reason: 'Pelanggan bertanya' };
    expect(await oka.ask('operator_message_text', reading)).toEqual({
      type: 'text',
      text: 'Rahasia dapur',
    });
    expect(await sql`select operator_id, reason from message_disclosures`).toEqual([
      { operator_id: oka.userId, reason: 'Pelanggan bertanya' },
    ]);

    const token_id = publicId('token', ani.tokenId);
    const token = (await oka.ask('operator_token_get', { account_id, token_id })) as OperatorToken;
    expect(token).toMatchObject({ name: 'Kasir', status: 'linked', waiting: 1 });
  });

  test('of another customer, or of the installation, are not found', async ({ db, sql, desk }) => {
    const { oka, ani } = desk;
    const message_id = publicId('message', await queued(db, ani));
    const budi = publicId('account', (await customerWith(sql)).accountId);
    await expect(
      oka.ask('operator_message_text', { account_id: budi, message_id, reason }),
    ).rejects.toEqual(new Refusal('not_found', { what: 'Pesan' }));
    const [own] = await sql<
      { id: string }[]
    >`select account_id as id from accounts where is_system`;
    await expect(
      oka.ask('operator_message_text', {
        account_id: publicId('account', own!.id),
        message_id,
        reason,
      }),
    ).rejects.toEqual(new Refusal('not_found', { what: 'Pelanggan' }));
  });
});

test('ends one session of a customer, or all', async ({ sql, desk }) => {
  const { oka, ani, account_id } = desk;
  for (const device of ['a', 'b', 'c']) {
    const client = { ip: '10.0.0.1', agent: 'test', device };
    await sql.begin((tx) => startSession(tx, { ...ani, ...client }));
  }
  const { sessions } = (await oka.ask('operator_customer_get', {
    account_id,
  })) as OperatorCustomerDetail;
  expect(sessions).toHaveLength(3);
  const end = (fields: object) =>
    oka.ask('operator_customer_session_end', {
      account_id,
      ...fields,
    }) as Promise<OperatorCustomerDetail>;
  expect((await end({ session_id: sessions[0]!.id })).sessions).toHaveLength(2);
  await expect(end({ session_id: sessions[0]!.id })).rejects.toEqual(
    new Refusal('not_found', { what: 'Sesi' }),
  );
  expect((await end({})).sessions).toEqual([]);
  expect(await sql`select from known_devices`).toHaveLength(0);
});

test('ends a plan once when requested twice, and records the reason', async ({ db, sql, desk }) => {
  const { oka } = desk;
  const billing = billingApp(db);
  const budi = await billing.customer(300_000);
  await billing.choose(budi, 'usaha');
  const fields = { account_id: publicId('account', budi.accountId), refund: 'yes', reason };
  const ends = await Promise.allSettled([1, 2].map(() => oka.ask('operator_plan_end', fields)));
  const [done, refused] = ends.toSorted((a, b) => (a.status < b.status ? -1 : 1));
  expect(done).toMatchObject({ status: 'fulfilled', value: { subscription: { is_free: true } } });
  expect(refused).toMatchObject({ reason: new Refusal('subscription_not_running', {}) });
  expect(await sql`select plan, reason from plan_cancellations`).toEqual([
    { plan: 'Usaha', reason },
  ]);
});
