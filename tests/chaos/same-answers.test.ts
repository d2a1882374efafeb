import type * as Crypto from 'node:crypto';
import { describe, expect, vi } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import type { CaptchaAct } from '#contract/accounts.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { GOOD_PASSWORD, ageCodes } from '#tests/support/people/accounts-app.ts';
import {
  type PeopleApp,
  type PeopleResponse,
  browserOf,
  dataOf,
} from '#tests/support/people/people-app.ts';
import { test } from '#tests/support/people/people-test.ts';

// The real hash with a tenth of its memory: any other timing difference between numbers stands out more beside it, and
// 1,200 of them fit into a test. login.test.ts compares the full one.
vi.mock(import('node:crypto'), async (original) => {
  const real: typeof Crypto = await original();
  const argon2 = (
    algorithm: Crypto.Argon2Algorithm,
    cost: Crypto.Argon2Parameters,
    done: (error: Error | null, hash: NonSharedBuffer) => void,
  ) => real.argon2(algorithm, { ...cost, memory: 2048 }, done);
  return { ...real, argon2 };
});

const TRIES = 300;
const LANES = 4;
/** Between the medians of known and unknown numbers, as a fraction of the longer one. */
const DIFFERENCE_MAX = 0.15;

const numbers = (first: number): readonly string[] =>
  Array.from({ length: TRIES }, (_, n) => `62812${first}${String(n).padStart(3, '0')}7890`);
const known = numbers(3);
const unknown = numbers(6);

async function bringKnown({ allAccountsSql }: TestDatabase): Promise<void> {
  const hash = await hashPassword(GOOD_PASSWORD);
  const rows = known.map((phone) => ({ phone, account_id: newId(), user_id: newId() }));
  const people = rows.map((row) => ({
    ...row,
    name: 'Toko Ani',
    password_hash: hash,
    role: 'customer',
  }));
  const accounts = rows.map(({ account_id }) => ({ account_id, name: 'Toko Ani' }));
  await allAccountsSql`
    insert into accounts (account_id, name) select account_id, name
    from jsonb_populate_recordset(null::accounts, ${json(accounts)})`;
  await allAccountsSql`
    insert into users (account_id, user_id, phone, name, password_hash, role)
    select account_id, user_id, phone, name, password_hash, role
    from jsonb_populate_recordset(null::users, ${json(people)})`;
  await allAccountsSql`
    insert into user_phones (account_id, user_id, phone) select account_id, user_id, phone
    from jsonb_populate_recordset(null::user_phones, ${json(rows)})`;
}

async function captchas({ deps }: PeopleApp, act: CaptchaAct, count: number): Promise<string[]> {
  const one = async () => {
    const { challenge } = await deps.captcha.challenge(act, false);
    const solution = await solveChallenge({ challenge: challenge as never, deriveKey });
    return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
  };
  return Promise.all(Array.from({ length: count }, one));
}

type Flow = (phone: string, captcha: string, ip: string) => Promise<PeopleResponse>;
type Seen = {
  ms: Record<'known' | 'unknown', number[]>;
  answers: Set<string>;
  statuses: Set<number>;
  challenges: Map<string, string>;
};

/** An answer without the parts that always differ: the challenge and the request id. */
function comparable({ status, text, headers }: PeopleResponse): string {
  const rest = Object.entries(headers).filter(([name]) => name !== 'x-request-id');
  const compared = rest.filter(([name]) => name !== 'date');
  return JSON.stringify([status, text.replace(/otp_[0-9A-Za-z]{26}/, 'otp_'), compared]);
}

/** Calls for known and unknown numbers in turn, a few at a time, each from its own network. */
async function measure(flow: Flow, solved: readonly string[]): Promise<Seen> {
  const seen: Seen = {
    ms: { known: [], unknown: [] },
    answers: new Set(),
    statuses: new Set(),
    challenges: new Map(),
  };
  const one = async (kind: 'known' | 'unknown', n: number) => {
    const phone = (kind === 'known' ? known : unknown)[n] ?? '';
    const ip = `10.${kind === 'known' ? 1 : 2}${Math.floor(n / 250)}.${n % 250}.9`;
    const captcha = solved[kind === 'known' ? n : n + TRIES] ?? '';
    const before = performance.now();
    const response = await flow(phone, captcha, ip);
    seen.ms[kind].push(performance.now() - before);
    seen.answers.add(comparable(response));
    seen.statuses.add(response.status);
    seen.challenges.set(phone, String(dataOf(response)?.['challenge']));
  };
  const lane = async (from: number) => {
    for (let n = from; n < TRIES; n += LANES) {
      const isFirst = (n + from) % 8 < 4;
      await one(isFirst ? 'known' : 'unknown', n);
      await one(isFirst ? 'unknown' : 'known', n);
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, from) => lane(from)));
  return seen;
}

const median = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

const relativeDifference = ({ ms }: Seen): number => {
  const [a, b] = [median(ms.known), median(ms.unknown)];
  return Math.abs(a - b) / Math.max(a, b);
};

/** Other work on the machine comes and goes, so one measurement of five has to pass. */
const MEASUREMENTS_MAX = 5;

/** @param reset restores the initial state for another measurement on a noisy machine. */
async function expectAlike(
  app: PeopleApp,
  act: CaptchaAct | undefined,
  flow: Flow,
  reset: () => Promise<unknown>,
): Promise<Seen> {
  const solve = async () => (act ? captchas(app, act, 2 * TRIES) : []);
  let seen = await measure(flow, await solve());
  expect([...seen.answers]).toHaveLength(1);
  for (
    let looks = 1;
    relativeDifference(seen) > DIFFERENCE_MAX && looks < MEASUREMENTS_MAX;
    looks++
  ) {
    await reset();
    seen = await measure(flow, await solve());
    expect([...seen.answers]).toHaveLength(1);
  }
  expect(relativeDifference(seen)).toBeLessThan(DIFFERENCE_MAX);
  return seen;
}

const HERS = { device: browserOf('a browser') };
const env = { OTP_DAILY_PER_ADDRESS: '100000', OTP_DAILY_TOTAL: '100000' };

/** An application whose messages leave slowly, so that waiting for one becomes measurable. */
async function slowlySending(db: TestDatabase, openPeople: () => Promise<PeopleApp>) {
  await bringKnown(db);
  const app = await openPeople();
  const { sendSystemText, sendSystemCode } = app.deps;
  const slowly = () => db.tenantSql`select pg_sleep(0.01)`;
  app.deps.sendSystemText = async (...message) => {
    await slowly();
    await sendSystemText(...message);
  };
  app.deps.sendSystemCode = async (code) => {
    await slowly();
    await sendSystemCode(code);
  };
  return app;
}

/** Waits until the database is idle: work continues after an answer. */
async function allDone({ owner }: TestDatabase): Promise<void> {
  let quietLooks = 0;
  await waitFor(async () => {
    const busy = await owner`
      select pid from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;
    quietLooks = busy.length === 0 ? quietLooks + 1 : 0;
    expect(quietLooks).toBeGreaterThan(4);
  });
}

const anew = async ({ allAccountsSql }: TestDatabase): Promise<void> => {
  await allAccountsSql`delete from limit_counters`;
  await allAccountsSql`delete from otp_challenges`;
};

describe('answers known and unknown numbers alike, and in the same time', () => {
  test('to a wrong password', async ({ db, openPeople }) => {
    const app = await slowlySending(db, () => openPeople({ env }));
    const login: Flow = (phone, captcha, ip) =>
      app.ask('user_login', { phone, captcha, password: 'salah sama sekali' }, { ...HERS, ip });
    const seen = await expectAlike(app, 'user_login', login, () => anew(db));
    expect([...seen.statuses]).toEqual([401]);
  });

  test('at registration', async ({ db, openPeople }) => {
    const app = await slowlySending(db, () => openPeople({ env }));
    const register: Flow = (phone, captcha, ip) => {
      const fields = { name: 'Toko Ani', phone, password: GOOD_PASSWORD, agree: '1', captcha };
      return app.ask('user_register', fields, { ...HERS, ip });
    };
    const seen = await expectAlike(app, 'user_register', register, () => anew(db));
    expect([...seen.statuses]).toEqual([200]);
  });

  test('at a password reset, and when the code is requested again', async ({ db, openPeople }) => {
    const app = await slowlySending(db, () => openPeople({ env }));
    const forgot: Flow = (phone, captcha, ip) =>
      app.ask('user_forgot_password', { phone, captcha }, { ...HERS, ip });
    const { statuses, challenges } = await expectAlike(app, 'user_forgot_password', forgot, () =>
      anew(db),
    );
    expect([...statuses]).toEqual([200]);
    const notified = () => new Set(app.sent.map(({ phone }) => phone));
    await waitFor(() => expect(notified()).toEqual(new Set(known)));

    const resend: Flow = (phone, _captcha, ip) =>
      app.ask('user_resend_otp', { challenge: challenges.get(phone) }, { ...HERS, ip });
    const later = () => ageCodes(db.allAccountsSql, 300);
    await later();
    const repeated = await expectAlike(app, undefined, resend, later);
    expect([...repeated.statuses]).toEqual([200]);
    await allDone(db);
  });
});
