import { describe, expect } from 'vitest';
import type { Act, InputFor, OutputOf } from '#contract/base/act.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import {
  changeForgotten,
  changePassword,
  changePhone,
  confirmPhone,
  forgotPassword,
  verifyForgot,
} from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type Token,
  createToken,
  deleteToken,
  getToken,
  confirmToken,
  linkToken,
  listTokens,
  rotateToken,
  updateToken,
} from '#contract/tokens.ts';
import { beginCoolDown } from '#server/domains/accounts/people.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import {
  type AccountsApp,
  GOOD_PASSWORD,
  OTHER_PASSWORD,
  accountsApp,
  ageCodes,
  rejectionOf,
} from '#tests/support/people/accounts-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { signedIn, test } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { tokenSubscribers as subscribers } from '#server/app/container.ts';
import { readConfig } from '#server/infra/config.ts';
import { openKeyRing, tokensActs } from './tokens.ts';
import { changeAccounts, changeSessions, changeTokens } from '#tests/support/people/people.ts';
import { agedBy } from '#tests/support/database/changes.ts';

const ANI = '6281234567890';
const NEW = '6281298765432';
const BUDI = '6281377778888';
const KASIR = { name: 'Kasir', channel: 'simulator' } as const;

function tokensOf({ deps }: AccountsApp, accountId: string) {
  const limitOf = async () => undefined;
  const channels = { isOffered: () => true };
  const now = () => new Date();
  const handlers = tokensActs({
    ...deps,
    config: readConfig({}),
    subscribers,
    limitOf,
    now,
    ...channels,
  });
  const call = { caller: { kind: 'person', accountId }, agent: 'test' } as never;
  const handle = async (act: Act, input: object) =>
    handlers
      .find((one) => one.act.name === act.name)
      ?.handle(call, act.input.parse(input) as never);
  return {
    ask: async <A extends Act>(act: A, input: InputFor<A>) =>
      act.output.parse(await handle(act, input as object)) as OutputOf<A>,
    list: async () => ((await handle(listTokens, {})) as { rows: Token[] }).rows,
  };
}

async function shop(app: AccountsApp, phone: string) {
  const { token, user } = await app.customer(phone);
  const accountId = uuidOf('account', user.account_id) ?? '';
  const tokens = tokensOf(app, accountId);
  const made = await tokens.ask(createToken, KASIR);
  return { accountId, session: token, ...tokens, id: made.token.id, key: made.key };
}

async function reset(app: AccountsApp, phone: string): Promise<void> {
  const asker = { device: 'a new phone', ip: '198.51.100.9' };
  const captcha = await app.solved('user_forgot_password', asker);
  const { challenge } = await app.perform(forgotPassword, { phone, captcha }, asker);
  const typed = { challenge, code: app.codeFor(phone) };
  const { grant } = await app.perform(verifyForgot, typed, asker);
  await app.perform(changeForgotten, { grant, password: OTHER_PASSWORD }, asker);
}

async function move(app: AccountsApp, session: string): Promise<void> {
  const asker = { caller: await app.callerOf(session) };
  const issued = await app.perform(changePhone, { phone: NEW }, asker);
  const codes = {
    old_challenge: issued.old.challenge,
    old_code: app.codeFor(ANI),
    new_challenge: issued.new.challenge,
    new_code: app.codeFor(NEW),
  };
  await app.perform(confirmPhone, codes, asker);
}

/** Backdates the reset or change by a span. */
const later = ({ owner }: TestDatabase, span: string) =>
  changeAccounts(owner, {}, { coolingSince: agedBy(span) });

const refusedFor = (hours: number) => new Refusal('cooling_down', { hours });

describe('for a day no new key is made', () => {
  test('after a password reset by code', async ({ db }) => {
    const app = await accountsApp(db);
    const { ask, id } = await shop(app, ANI);
    await reset(app, ANI);
    expect(await rejectionOf(ask(createToken, KASIR))).toEqual(refusedFor(24));
    expect(await rejectionOf(ask(rotateToken, { token_id: id }))).toEqual(refusedFor(24));
    const [keys] =
      await db.owner`select count(*)::int as n, max(expires_at) as ends from token_keys`;
    expect(keys).toEqual({ n: 1, ends: null });

    await later(db, '23 hours 30 minutes');
    expect(await rejectionOf(ask(createToken, KASIR))).toEqual(refusedFor(1));
    await later(db, '30 minutes');
    expect(await ask(createToken, KASIR)).toHaveProperty('key');
    expect(await ask(rotateToken, { token_id: id })).toHaveProperty('key');
  });

  test('after a change of number, counted from the last one', async ({ db }) => {
    const app = await accountsApp(db);
    const { ask, id, session } = await shop(app, ANI);
    await reset(app, ANI);
    await later(db, '20 hours');
    await ageCodes(db.allAccountsSql, 300);
    const { token } = await app.signIn(ANI, OTHER_PASSWORD, { device: 'a new phone' });
    expect(await app.deps.sessions.find(session)).toBeUndefined();
    expect(await rejectionOf(ask(createToken, KASIR))).toEqual(refusedFor(4));
    await move(app, token);
    expect(await rejectionOf(ask(createToken, KASIR))).toEqual(refusedFor(24));
    expect(await ask(getToken, { token_id: id })).toMatchObject({
      review: { cause: 'phone_changed' },
    });
  });

  test('while everything else works: sending, names, limits, phones, endings', async ({ db }) => {
    const app = await accountsApp(db);
    const { ask, id, key } = await shop(app, ANI);
    await reset(app, ANI);
    const ring = openKeyRing({
      allAccountsSql: db.allAccountsSql,
      report: app.deps.report,
      now: () => new Date(),
    });
    expect(await ring.find(key)).toMatchObject({ tokenId: uuidOf('token', id) });
    await ring.close();
    expect(await ask(updateToken, { token_id: id, daily_limit: 5 })).toMatchObject({
      daily_limit: 5,
    });
    expect(await ask(linkToken, { token_id: id })).toHaveProperty('path');
    expect(await ask(deleteToken, { token_id: id })).toEqual({});
  });

  test('but not after a change of the password with the old one', async ({ db }) => {
    const app = await accountsApp(db);
    const { ask, id, session } = await shop(app, ANI);
    const change = { current: GOOD_PASSWORD, password: OTHER_PASSWORD };
    await app.perform(changePassword, change, { caller: await app.callerOf(session) });
    expect(await ask(createToken, KASIR)).toHaveProperty('key');
    expect(await ask(rotateToken, { token_id: id })).toHaveProperty('key');
    expect(await ask(getToken, { token_id: id })).toMatchObject({ review: null });
  });

  test('and only for the affected account', async ({ db }) => {
    const app = await accountsApp(db);
    await shop(app, ANI);
    await reset(app, ANI);
    const budi = await shop(app, BUDI);
    expect((await budi.list()).map(({ review }) => review)).toEqual([null]);
    expect(await budi.ask(rotateToken, { token_id: budi.id })).toHaveProperty('key');
  });
});

describe('earlier tokens', () => {
  test('need a review, with the moment and the cause; later ones do not', async ({ db }) => {
    const app = await accountsApp(db);
    const { ask, list, session } = await shop(app, ANI);
    await ask(createToken, { ...KASIR, name: 'Gudang' });
    await move(app, session);
    const [account] = await db.owner<{ since: Date }[]>`
      select cooling_since as since from accounts where cooling_since is not null`;
    const review = { since: account?.since, cause: 'phone_changed' };
    expect((await list()).map(({ name, review: why }) => [name, why])).toEqual([
      ['Gudang', review],
      ['Kasir', review],
    ]);
    await later(db, '24 hours');
    await changeTokens(db.owner, {}, { createdAt: agedBy('24 hours') });
    await ask(createToken, { ...KASIR, name: 'Baru' });
    expect((await list()).map(({ name, review: why }) => [name, why?.cause])).toEqual([
      ['Baru', undefined],
      ['Gudang', 'phone_changed'],
      ['Kasir', 'phone_changed'],
    ]);
  });

  test('are confirmed one by one, until the next reset', async ({ db }) => {
    const app = await accountsApp(db);
    const { ask, list, accountId, id } = await shop(app, ANI);
    await ask(createToken, { ...KASIR, name: 'Gudang' });
    await reset(app, ANI);
    await db.owner`delete from outbox`;
    expect(await ask(confirmToken, { token_id: id })).toMatchObject({ id, review: null });
    // Repeated, it changes nothing, and no event is published.
    expect(await ask(confirmToken, { token_id: id })).toMatchObject({ id, review: null });
    expect(await db.owner`select kind, data from outbox where account_id = ${accountId}`).toEqual([
      { kind: 'token.changed', data: { token_id: id } },
    ]);
    const needReview = async () =>
      (await list()).filter(({ review }) => review !== null).map(({ name }) => name);
    expect(await needReview()).toEqual(['Gudang']);
    await ageCodes(db.allAccountsSql, 300);
    await reset(app, ANI);
    expect(await needReview()).toEqual(['Gudang', 'Kasir']);
  });

  test('cannot be confirmed by another account', async ({ db }) => {
    const app = await accountsApp(db);
    const ani = await shop(app, ANI);
    const budi = await shop(app, BUDI);
    await reset(app, ANI);
    await reset(app, BUDI);
    const foreign = budi.ask(confirmToken, { token_id: ani.id });
    expect(await rejectionOf(foreign)).toEqual(new Refusal('not_found', { what: 'Token' }));
    expect(await ani.ask(getToken, { token_id: ani.id })).toMatchObject({
      review: { cause: 'password_reset' },
    });
    await ani.ask(deleteToken, { token_id: ani.id });
    const gone = ani.ask(confirmToken, { token_id: ani.id });
    expect(await rejectionOf(gone)).toEqual(new Refusal('not_found', { what: 'Token' }));
  });

  test('include those that were being created at that moment', async ({ db }) => {
    const app = await accountsApp(db);
    const { accountId, id, ask } = await shop(app, ANI);
    const started = Promise.withResolvers<void>();
    const waits = Promise.withResolvers<void>();
    // A concurrent transaction creates a token: the account's row is locked until COMMIT.
    const making = db.allAccountsSql.begin(async (tx) => {
      await tx`select 1 from accounts where account_id = ${accountId} for no key update`;
      started.resolve();
      await waits.promise;
      await changeTokens(tx, { tokenId: uuidOf('token', id) ?? '' }, { createdAt: 'now' });
    });
    await started.promise;
    const cooling = db.allAccountsSql.begin((tx) => beginCoolDown(tx, accountId, 'password_reset'));
    await waitFor(async () =>
      expect(
        await db.owner`
          select 1 as waits from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      ).toEqual([{ waits: 1 }]),
    );
    waits.resolve();
    await Promise.all([making, cooling]);
    expect(await ask(getToken, { token_id: id })).toMatchObject({
      review: { cause: 'password_reset' },
    });
  });

  test('can be confirmed only after a recent password', async ({ db, openApp }) => {
    const container = await openApp();
    const { accountId, tokenId, token, sessionId } = await signedIn(db);
    const browser = 'a'.repeat(43);
    const elsewhere = { deviceHash: sha256(browser), reauthAt: agedBy('5 minutes') };
    await changeSessions(db.allAccountsSql, { sessionId }, elsewhere);
    await db.allAccountsSql.begin((tx) => beginCoolDown(tx, accountId, 'password_reset'));
    const keep = async () => {
      const input = { token, key: crypto.randomUUID(), token_id: publicId('token', tokenId) };
      const from = { headers: { cookie: `kabari-device=${browser}` } };
      const { status, body } = await container.ask('token_confirm', input, from);
      return [status, body.error?.type ?? body.data.review];
    };
    expect(await keep()).toEqual([403, 'reauth_needed']);
    await changeSessions(db.allAccountsSql, {}, { reauthAt: 'now' });
    expect(await keep()).toEqual([200, null]);
  });
});
