import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { expect, vi } from 'vitest';
import { type CaptchaAct, captchaChallenge } from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import { accountsApp } from '#tests/support/people/accounts-app.ts';
import { test } from '#tests/support/database/database.ts';
import { type Captcha, openAltcha, countFailure } from './captcha.ts';

const secrets = secretsFrom(new Uint8Array(32).fill(7));
const easy = { rounds: 10, from: 1, to: 20 };
const open = (sql: Sql) => openAltcha(sql, secrets, easy);

type Made = { challenge: Record<string, unknown>; solution: Record<string, unknown> };

async function solve(captcha: Captcha, act: CaptchaAct): Promise<Made> {
  const { challenge } = await captcha.challenge(act, false);
  const solution = await solveChallenge({ challenge: challenge as never, deriveKey });
  return { challenge, solution: { ...solution } };
}

const sent = (made: unknown): string => Buffer.from(JSON.stringify(made)).toString('base64');
const failed = new Refusal('captcha_failed', {});

test('accepts a solved captcha for one call of its act, once, on every node', async ({ sql }) => {
  const captcha = open(sql);
  const answer = sent(await solve(captcha, 'user_login'));
  await captcha.verify('user_login', answer);
  await expect(captcha.verify('user_login', answer)).rejects.toEqual(failed);
  await expect(open(sql).verify('user_login', answer)).rejects.toEqual(failed);
});

test('accepts one of ten simultaneous uses of an answer', async ({ sql }) => {
  const captcha = open(sql);
  const answer = sent(await solve(captcha, 'user_login'));
  const answers = Array.from({ length: 10 }, () => captcha.verify('user_login', answer));
  const accepted = (await Promise.allSettled(answers)).filter(
    ({ status }) => status === 'fulfilled',
  );
  expect(accepted).toHaveLength(1);
});

test('rejects a captcha solved for another act', async ({ sql }) => {
  const captcha = open(sql);
  const answer = sent(await solve(captcha, 'user_login'));
  await expect(captcha.verify('user_register', answer)).rejects.toEqual(failed);
});

test('refuses a captcha after half an hour', async ({ sql }) => {
  const captcha = open(sql);
  const answer = sent(await solve(captcha, 'user_login'));
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 1_801_000);
  try {
    await expect(captcha.verify('user_login', answer)).rejects.toEqual(failed);
  } finally {
    vi.restoreAllMocks();
  }
});

test('rejects altered, invented and foreign captchas', async ({ sql }) => {
  const captcha = open(sql);
  const { challenge, solution } = await solve(captcha, 'user_login');
  const parameters = challenge['parameters'] as Record<string, unknown>;
  const elsewhere = openAltcha(sql, secretsFrom(new Uint8Array(32).fill(8)), easy);
  const bad = [
    '',
    'not base64 of anything',
    sent({}),
    sent({ challenge, solution: { ...solution, derivedKey: '00'.repeat(32) } }),
    sent({ challenge: { parameters }, solution }),
    sent({ challenge: { ...challenge, parameters: { ...parameters, cost: 1 } }, solution }),
    sent({
      challenge: { ...challenge, parameters: { ...parameters, data: { for: 'user_register' } } },
      solution,
    }),
    sent({
      challenge: { ...challenge, parameters: { ...parameters, expiresAt: 9_999_999_999 } },
      solution,
    }),
    sent(await solve(elsewhere, 'user_login')),
  ];
  for (const answer of bad) {
    await expect(captcha.verify('user_login', answer)).rejects.toEqual(failed);
    await expect(captcha.verify('user_register', answer)).rejects.toEqual(failed);
  }
  await captcha.verify('user_login', sent({ challenge, solution }));
});

test('gives a slow device less work, but never less than a quarter, and none less to a suspect', async ({
  db,
}) => {
  const captcha = openAltcha(db.allAccountsSql, secrets, { rounds: 10, from: 400, to: 800 });
  const of = async (pace?: number, harder = false) =>
    (await captcha.challenge('user_login', harder, pace)).stepsMax;
  const steps = await Promise.all([of(), of(5_000), of(400), of(10), of(0)]);
  expect(steps).toEqual([800, 800, 400, 200, 200]);
  expect(await of(0, true)).toBe(800);
  const app = await accountsApp(db);
  const task = (ip: string) =>
    app.perform(captchaChallenge, { for: 'user_login', pace: '0' }, { ip });
  expect((await task('198.51.100.9')).steps_max).toBe(5);
  for (let times = 0; times < 5; times++) await countFailure(db.allAccountsSql, '203.0.113.7');
  const { challenge, steps_max } = await task('203.0.113.7');
  expect([(challenge['parameters'] as { cost: number }).cost, steps_max]).toEqual([40, 20]);
});

test('makes captchas harder for an address after wrong passwords', async ({ db }) => {
  const app = await accountsApp(db);
  const costFor = async (ip: string) => {
    const { challenge } = await app.perform(captchaChallenge, { for: 'user_login' }, { ip });
    return (challenge['parameters'] as { cost: number }).cost;
  };
  for (let times = 0; times < 5; times++) await countFailure(db.allAccountsSql, '203.0.113.7');
  expect(await costFor('203.0.113.7')).toBe(4 * (await costFor('198.51.100.9')));
});
