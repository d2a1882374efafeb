import fc from 'fast-check';
import { expect } from 'vitest';
import { captchaChallenge } from '#contract/accounts.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { GOOD_PASSWORD, OTHER_PASSWORD, ageCodes } from './support/people/accounts-app.ts';
import { type PeopleApp, browserOf, dataOf } from './support/people/people-app.ts';
import { test } from './support/people/people-test.ts';

/**
 * Vera, whose account is attacked; and Ari, who has an account and two phones of his own, knows her number, and has
 * copied her session's token. He has neither her phone nor her password.
 */
type World = {
  portal: PeopleApp;
  vera: { phone: string; userId: string; before: unknown };
  ari: { phones: readonly [string, string]; from: { device: string; ip: string } };
  has: { challenges: string[]; grants: string[]; tokens: string[] };
};

type Picks = { a: number; b: number; c: number; d: number; e: number };
type Fields = Record<string, unknown>;
type Step = { act: string; fields: (world: World, picks: Picks) => Promise<Fields> | Fields };

const pick = <T>(all: readonly T[], at: number): T | undefined => all[at % all.length];
const passwords = ['salah sama sekali', OTHER_PASSWORD];
const phonesOf = ({ vera, ari }: World) => [vera.phone, ...ari.phones];
const token = ({ has }: World, at: number) => pick(has.tokens, at);
const challenge = ({ has }: World, at: number) => pick(has.challenges, at);

/** Codes in his own phones, newest first, and one blind guess. */
const code = ({ portal, ari }: World, at: number) => {
  const own = portal.sent.filter(({ phone }) => ari.phones.includes(phone)).toReversed();
  const codes = own.map(({ text }) => /\d{6}/.exec(text)?.[0]).filter((one) => one !== undefined);
  return pick([...codes, '000000'], at);
};

async function captcha({ portal }: World, act: 'user_login' | 'user_forgot_password') {
  const made = await portal.perform(captchaChallenge, { for: act });
  const solution = await solveChallenge({ challenge: made.challenge as never, deriveKey });
  return Buffer.from(JSON.stringify({ challenge: made.challenge, solution })).toString('base64');
}

const steps: readonly Step[] = [
  {
    act: 'user_forgot_password',
    fields: async (world, { a }) => ({
      phone: pick(phonesOf(world), a),
      captcha: await captcha(world, 'user_forgot_password'),
    }),
  },
  {
    act: 'user_forgot_verify',
    fields: (world, { a, b }) => ({ challenge: challenge(world, a), code: code(world, b) }),
  },
  {
    act: 'user_forgot_change',
    fields: ({ has }, { a }) => ({ grant: pick(has.grants, a), password: OTHER_PASSWORD }),
  },
  {
    act: 'user_login',
    fields: async (world, { a, b }) => ({
      phone: pick(phonesOf(world), a),
      password: pick(passwords, b),
      captcha: await captcha(world, 'user_login'),
    }),
  },
  {
    act: 'user_verify_otp',
    fields: (world, { a, b }) => ({ challenge: challenge(world, a), code: code(world, b) }),
  },
  { act: 'user_resend_otp', fields: (world, { a }) => ({ challenge: challenge(world, a) }) },
  {
    act: 'user_reauth',
    fields: (world, { a, b }) => ({ token: token(world, a), password: pick(passwords, b) }),
  },
  {
    act: 'user_change_password',
    fields: (world, { a, b, c }) => ({
      token: token(world, a),
      current: pick(passwords, b),
      password: pick(passwords, c),
    }),
  },
  {
    act: 'user_change_phone',
    fields: (world, { a, b }) => ({ token: token(world, a), phone: pick(phonesOf(world), b) }),
  },
  {
    act: 'user_change_phone_confirm',
    fields: (world, { a, b, c, d, e }) => ({
      token: token(world, a),
      old_challenge: challenge(world, b),
      old_code: code(world, c),
      new_challenge: challenge(world, d),
      new_code: code(world, e),
    }),
  },
  { act: 'user_delete_ask', fields: (world, { a }) => ({ token: token(world, a) }) },
  {
    act: 'user_delete',
    fields: (world, { a, b, c, d }) => ({
      token: token(world, a),
      password: pick(passwords, b),
      challenge: challenge(world, c),
      code: code(world, d),
    }),
  },
];

/** Collects everything from an answer that a later step can use, newest first. */
function collect({ has }: World, data: unknown): void {
  if (typeof data !== 'object' || data === null) return;
  for (const [name, value] of Object.entries(data)) {
    if (typeof value !== 'string') collect({ has } as World, value);
    else if (name === 'challenge') has.challenges.unshift(value);
    else if (name === 'grant') has.grants.unshift(value);
    else if (name === 'token') has.tokens.push(value);
  }
}

const stateOf = async ({ deps }: PeopleApp, userId: string) =>
  deps.allAccountsSql`
    select u.phone, u.password_hash, p.phone as owned, a.erase_at, a.cooling_since
    from users u join accounts a on a.account_id = u.account_id
    left join user_phones p on p.user_id = u.user_id where u.user_id = ${userId}`;

type Command = fc.AsyncCommand<Record<never, never>, World>;

const taking = ({ act, fields }: Step, picks: Picks): Command => ({
  check: () => true,
  toString: () => `${act}(${Object.values(picks).join(' ')})`,
  async run(_model, world) {
    const { portal, vera, ari, has } = world;
    const { token: session = '', ...own } = await fields(world, picks);
    const response = await portal.ask(act, own, { token: String(session), ...ari.from });
    expect(response.status, response.text).toBeLessThan(500);
    const before = has.tokens.length;
    collect(world, dataOf(response));
    for (const won of has.tokens.slice(before)) {
      expect((await portal.deps.sessions.find(won))?.userId).not.toBe(vera.userId);
    }
    expect(await stateOf(portal, vera.userId)).toEqual(vera.before);
  },
});

const waiting: Command = {
  check: () => true,
  toString: () => 'wait',
  async run(_model, { portal: { deps } }) {
    await ageCodes(deps.allAccountsSql, 120);
    await deps.allAccountsSql`delete from limit_counters`;
  },
};

const walks = [
  ['user_forgot_password', 'user_forgot_verify', 'user_forgot_change'],
  ['user_login', 'user_verify_otp'],
  ['user_change_phone', 'user_change_phone_confirm'],
  ['user_delete_ask', 'user_delete'],
].map((names) => steps.filter(({ act }) => names.includes(act)));

const walking = (taken: readonly Command[]): Command => ({
  check: () => true,
  toString: () => taken.join(' > '),
  async run(model, world) {
    for (const one of taken) await one.run(model, world);
  },
});

const small = fc.nat({ max: 2 });
const picks = fc.record({ a: small, b: small, c: small, d: small, e: small });
const oneOf = (step: Step) => picks.map((chosen) => taking(step, chosen));
const commands = fc.commands(
  [
    ...steps.map(oneOf),
    ...[...walks, ...walks, ...walks].map((walk) => fc.tuple(...walk.map(oneOf)).map(walking)),
    ...[1, 2, 3, 4].map(() => fc.constant(waiting)),
  ],
  { maxCommands: 24 },
);

let worlds = 0;

async function newWorld(portal: PeopleApp): Promise<World> {
  worlds += 1;
  const phone = (owner: number) => `6281${owner}${String(worlds).padStart(4, '0')}7890`;
  const from = { device: browserOf('the browser of Ari'), ip: '198.51.100.9' };
  const vera = await portal.customer(phone(2), { device: browserOf('the browser of Vera') });
  const ari = await portal.customer(phone(3), from);
  await ageCodes(portal.deps.allAccountsSql, 300);
  const userId = uuidOf('user', vera.user.id) ?? '';
  const before = await stateOf(portal, userId);
  return {
    portal,
    vera: { phone: phone(2), userId, before },
    ari: { phones: [phone(3), phone(5)], from },
    has: { challenges: [], grants: [], tokens: [ari.token, vera.token] },
  };
}

test('no order of steps changes the password, number or sessions of a person without their codes', async ({
  openPeople,
}) => {
  const portal = await openPeople({
    env: { OTP_DAILY_PER_ADDRESS: '100000', OTP_DAILY_TOTAL: '100000' },
  });
  await fc.assert(
    fc.asyncProperty(commands, async (some) => {
      const real = await newWorld(portal);
      await fc.asyncModelRun(() => ({ model: {}, real }), some);
    }),
    { numRuns: 25 },
  );
});

test('the same steps in order with her codes do', async ({ openPeople }) => {
  const portal = await openPeople();
  const world = await newWorld(portal);
  const { vera, ari } = world;
  const ask = async (act: string, fields: Fields, session = '') =>
    dataOf(await portal.ask(act, fields, { token: session, ...ari.from }));
  const solved = await captcha(world, 'user_forgot_password');
  const started = await ask('user_forgot_password', { phone: vera.phone, captcha: solved });
  const entered = { ...started, code: portal.codeFor(vera.phone) };
  const given = await ask('user_forgot_verify', {
    challenge: started?.['challenge'],
    code: entered.code,
  });
  const signedIn = await ask('user_forgot_change', {
    grant: given?.['grant'],
    password: GOOD_PASSWORD,
  });
  expect(signedIn).toMatchObject({ user: { phone: vera.phone } });
  expect(await stateOf(portal, vera.userId)).not.toEqual(vera.before);
});
