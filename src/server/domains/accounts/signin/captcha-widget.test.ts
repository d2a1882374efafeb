import { describe, expect, onTestFinished } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { readConfig } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import {
  type Provider,
  type FakeCaptcha,
  SECRET_KEY,
  SITE_KEY,
  startFakeCaptcha,
} from '#tests/support/app/fake-captcha.ts';
import { test } from '#tests/support/app/running-app.ts';
import { openCaptcha } from './captcha.ts';

const PHONE = '081234567890';

async function fakeCaptcha(provider: Provider): Promise<FakeCaptcha> {
  const one = await startFakeCaptcha(provider);
  onTestFinished(one.close);
  return one;
}

const settings = (provider: Provider, { verifyUrl }: FakeCaptcha) => ({
  CAPTCHA_PROVIDER: provider,
  CAPTCHA_SITE_KEY: SITE_KEY,
  CAPTCHA_SECRET_KEY: SECRET_KEY,
  CAPTCHA_VERIFY_URL: verifyUrl,
});

const failed = new Refusal('captcha_failed', {});
const unreachable = new Refusal('captcha_unreachable', {});

describe.for(['turnstile', 'hcaptcha', 'recaptcha'] as const)('%s', (provider) => {
  test('lets one sign-in through for each answer that the provider confirms', async ({
    openApp,
  }) => {
    const there = await fakeCaptcha(provider);
    const { ask } = await openApp({ env: settings(provider, there) });
    const signIn = (captcha: string) =>
      ask('user_login', { phone: PHONE, password: 'kuda-besi', captcha, key: crypto.randomUUID() });

    const task = await ask('captcha_challenge', { for: 'user_login' });
    expect(task.body.data).toMatchObject({ provider, site_key: SITE_KEY, challenge: {} });
    expect(task.body.data.script_url).toMatch(/^https:\/\//);
    const config = await ask('app_config');
    expect(config.body.data.captcha).toEqual({ provider, site_key: SITE_KEY });
    expect(JSON.stringify([task.body, config.body])).not.toContain(SECRET_KEY);

    const answer = there.solved({ action: 'user_login' });
    // An unknown number: the password was checked, so the captcha was accepted.
    expect((await signIn(answer)).body.error.type).toBe('credentials_wrong');
    const sent = Object.fromEntries(there.asked.at(-1) ?? []);
    expect(sent).toEqual({
      secret: SECRET_KEY,
      response: answer,
      remoteip: '203.0.113.7',
      ...(provider === 'hcaptcha' && { sitekey: SITE_KEY }),
    });
    expect((await signIn(answer)).body.error.type).toBe('captcha_failed');
    expect((await signIn('made-up')).body.error.type).toBe('captcha_failed');
  });
});

function opened(
  allAccountsSql: Sql,
  provider: Provider,
  there: FakeCaptcha,
  env: Record<string, string> = {},
) {
  const troubles: unknown[] = [];
  const captcha = openCaptcha({
    allAccountsSql,
    secrets: secretsFrom(new Uint8Array(32).fill(7)),
    config: readConfig({ ...settings(provider, there), ...env }),
    report: (trouble) => troubles.push(trouble),
    timeoutMs: 3_000,
  });
  return { captcha, troubles };
}

test('accepts an answer once, also if the provider accepts it again', async ({ sql }) => {
  const there = await fakeCaptcha('recaptcha');
  there.actAs('forgetful');
  const { captcha } = opened(sql, 'recaptcha', there);
  const answer = there.solved();
  const answers = Array.from({ length: 5 }, () => captcha.verify('user_login', answer));
  const outcomes = await Promise.allSettled(answers);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(captcha.verify('user_register', answer)).rejects.toEqual(failed);
});

test('refuses an answer for another act, or from a foreign page', async ({ sql }) => {
  const there = await fakeCaptcha('turnstile');
  const { captcha } = opened(sql, 'turnstile', there, {
    PUBLIC_URL: 'https://kabari.example',
    PORTAL_ORIGINS: 'https://portal.example',
  });
  const solved = (hostname: string, action = 'user_login') => there.solved({ hostname, action });
  const verify = (answer: string) => captcha.verify('user_login', answer);
  await expect(verify(solved('kabari.example', 'user_register'))).rejects.toEqual(failed);
  await expect(verify(solved('phishing.example'))).rejects.toEqual(failed);
  await verify(solved('kabari.example'));
  await verify(solved('portal.example'));
});

test('refuses all sign-ins while the provider is silent, sends invalid responses, or refuses our key', async ({
  sql,
}) => {
  const there = await fakeCaptcha('hcaptcha');
  const { captcha, troubles } = opened(sql, 'hcaptcha', there);
  for (const manner of ['silent', 'broken'] as const) {
    there.actAs(manner);
    await expect(captcha.verify('user_login', there.solved())).rejects.toEqual(unreachable);
  }
  there.actAs('well');
  const wrongKey = opened(sql, 'hcaptcha', there, { CAPTCHA_SECRET_KEY: 'of somebody else' });
  await expect(wrongKey.captcha.verify('user_login', there.solved())).rejects.toEqual(unreachable);
  expect(troubles).toHaveLength(2);
  expect(wrongKey.troubles).toHaveLength(1);
  expect(await sql`select from captchas_used`).toEqual([]);
  await captcha.verify('user_login', there.solved());
});
