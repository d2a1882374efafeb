import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import { makeSecret, sealSecret, secretsOf, standardHeaders } from './signature.ts';

const VECTOR = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: new Date(1_614_265_330_000),
  body: '{"test": 2432232314}',
  secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
};

test('matches the test vector of Standard Webhooks', () => {
  expect(standardHeaders(VECTOR)).toEqual({
    'webhook-id': VECTOR.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('during a rotation either secret verifies it; a changed byte or an old time does not', () => {
  const [old, fresh] = [makeSecret(), makeSecret()];
  const body = '{"type":"message.received","data":{"text":"Halo 👋"}}';
  const headers = standardHeaders({ id: 'whd_1', at: new Date(), body, secrets: [fresh, old] });
  for (const secret of [old, fresh]) {
    expect(() => new StandardWebhook(secret).verify(body, headers)).not.toThrow();
    expect(() => new StandardWebhook(secret).verify(`${body} `, headers)).toThrow();
  }
  expect(() => new StandardWebhook(makeSecret()).verify(body, headers)).toThrow();
  const late = new Date(Date.now() - 3_600_000);
  const stale = standardHeaders({ id: 'whd_1', at: late, body, secrets: [fresh] });
  expect(() => new StandardWebhook(fresh).verify(body, stale)).toThrow(/timestamp/);
});

test('a secret opens for its own webhook only, and the previous one until it expires', () => {
  const secrets = secretsFrom(randomBytes(32));
  const now = new Date('2026-11-24T00:00:00Z');
  const row = {
    webhook_id: 'a',
    secret: sealSecret(secrets, 'a', 'whsec_baru'),
    previous_secret: sealSecret(secrets, 'a', 'whsec_lama'),
    previous_until: new Date(now.getTime() + 1),
  };
  expect(row.secret.includes('whsec_')).toBe(false);
  expect(secretsOf({ secrets, now: () => now }, row)).toEqual(['whsec_baru', 'whsec_lama']);
  const later = new Date(now.getTime() + 1);
  expect(secretsOf({ secrets, now: () => later }, row)).toEqual(['whsec_baru']);
  expect(() => secretsOf({ secrets, now: () => now }, { ...row, webhook_id: 'b' })).toThrow(
    /cannot be opened/,
  );
});
