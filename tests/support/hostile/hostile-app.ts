import type { Act } from '#contract/base/act.ts';
import { acts } from '#contract/acts.ts';
import { publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { type Caller, callerOf } from '#tests/support/app/api-caller.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import type { Held } from './hostile-acts.ts';
import type { RunningApp, ApiResponse } from '#tests/support/app/running-app.ts';
import { makeSession, makeUser } from '#tests/support/people/people.ts';

const PARALLEL_MAX = 8;

export async function inParallel<T>(
  items: Iterable<T>,
  work: (thing: T) => Promise<void>,
  atOnce = PARALLEL_MAX,
): Promise<void> {
  const rest = Iterator.from(items);
  const one = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

export type Hostile = {
  db: TestDatabase;
  running: RunningApp;
  ani: Caller;
  ask: (act: Act, fields: object) => Promise<ApiResponse>;
  /** An act's answer. @throws if it refuses. */
  // oxlint-disable-next-line no-explicit-any -- tests look into answers of any shape.
  perform: (name: string, fields?: object) => Promise<any>;
  held: Held;
  session: () => string;
  sessionFor: (act: Act) => string;
  cookie: string;
};

const PASSWORD = 'perahu-kertas-di-kali-code';
const DEVICE = 'd'.repeat(43);

/** Sessions of an account's people: so many that none reaches a rate limit. */
async function createSessions(
  { owner: sql }: TestDatabase,
  role: string,
  accountId: string,
  size: number,
) {
  const passwordHash = await hashPassword(PASSWORD);
  const roles = role === 'operator' ? { roles: ['admin'] } : {};
  // One by one: on a cluster, a trigger cannot work within a copy of rows.
  const tokens = await sql.begin((tx) =>
    Promise.all(
      Array.from({ length: size }, async () => {
        const userId = await makeUser(tx, accountId, { passwordHash, ...roles });
        return (await makeSession(tx, { accountId, userId }, { device: DEVICE })).token;
      }),
    ),
  );
  let turn = 0;
  return () => tokens[(turn += 1) % size] ?? '';
}

export async function openHostile(
  db: TestDatabase,
  openApp: (options: { works: boolean; env: Record<string, string> }) => Promise<RunningApp>,
): Promise<Hostile> {
  const running = await openApp({
    works: true,
    env: {
      LOG_LEVEL: 'warn',
      RATE_API_PER_SECOND: '1000000',
      RATE_AUTH_PER_ADDRESS: '1000000',
      OTP_DAILY_PER_ADDRESS: '1000000',
      OTP_DAILY_TOTAL: '10000000',
    },
  });
  const ani = await callerOf(running, db, { saldo: 900_000_000, dailyLimit: 1_000_000 });
  const customer = await createSessions(db, 'customer', ani.accountId, 100);
  const operator = await createSessions(db, 'operator', ani.accountId, 100);
  /** Tokens that an act has renewed: the former one is valid for only a minute. */
  const renewed = new Map<string, string>();
  const current = (token: string): string => {
    const next = renewed.get(token);
    return next === undefined ? token : current(next);
  };
  let calls = 0;
  const ask = async (act: Act, fields: object): Promise<ApiResponse> => {
    calls += 1;
    const token = current(act.by === 'operator' ? operator() : customer());
    const caller = { token: act.by === 'public' ? '' : token };
    const key = act.changes ? { key: crypto.randomUUID() } : {};
    const ip = `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`;
    const response = await running.ask(
      act.name,
      { ...caller, ...key, ...fields },
      { ip, headers: { cookie: `kabari-device=${DEVICE}` } },
    );
    const given: unknown = response.body?.code === 1 ? response.body.data?.token : undefined;
    if (typeof given === 'string' && given.startsWith('kbs_')) renewed.set(token, given);
    return response;
  };
  const perform: Hostile['perform'] = async (name, fields = {}) => {
    const act = acts.find((one) => one.name === name);
    if (!act) throw new Error(`no act ${name}`);
    const { body } = await ask(act, fields);
    if (body.code !== 1) throw new Error(`${name}: ${JSON.stringify(body)}`);
    return body.data;
  };
  const tokenId = publicId('token', ani.tokenId);
  const sent = await perform('message_send', { token_id: tokenId, to: '62800000001', text: 'Hai' });
  const topup = await perform('topup_create', { amount: '20000' });
  const { vapid_key: vapidKey } = await perform('push_config');
  const campaignId = await storeDraft(db, ani);
  const held = { tokenId, messageId: sent.id, topupId: topup.id, campaignId, vapidKey };
  const session = () => current(customer());
  const sessionFor = (act: Act) => (act.by === 'operator' ? current(operator()) : session());
  const cookie = `kabari-device=${DEVICE}`;
  return { db, running, ani, ask, perform, held, session, sessionFor, cookie };
}

async function storeDraft(
  { allAccountsSql: sql }: TestDatabase,
  { accountId, tokenId }: Caller,
): Promise<string> {
  const campaignId = newId();
  await sql`
    insert into campaigns (
      account_id, campaign_id, token_id, created_by, name, status, columns, waiting, created_at
    ) values (
      ${accountId}, ${campaignId}, ${tokenId}, ${newId()}, 'Promo', 'draft', '{nama}', 1,
      clock_timestamp()
    )`;
  await sql`
    insert into campaign_recipients (account_id, campaign_id, place, written, peer, cells, state)
    values (${accountId}, ${campaignId}, 1, '62800000001', '62800000001', '{Budi}', 'waiting')`;
  return publicId('campaign', campaignId);
}
