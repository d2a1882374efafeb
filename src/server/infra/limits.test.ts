import { describe, expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { test } from '#tests/support/database/database.ts';
import {
  type Limit,
  hitAtomically,
  hitsWithin,
  networkOf,
  openBuckets,
  openLimiter,
} from './acts.ts';
import { ageLimits } from '#tests/support/people/accounts-app.ts';

const daily = (scope: string, subject: string, max: number): Limit => ({
  scope,
  subject,
  max,
  windowSeconds: 86_400,
});

describe('counted in the database', () => {
  test('allows exactly the maximum under concurrency', async ({ sql }) => {
    const asked = Array.from({ length: 40 }, () => hitAtomically(sql, [daily('x', 'ani', 7)]));
    const answers = await Promise.all(asked);
    expect(answers.filter((full) => full === undefined)).toHaveLength(7);
    expect(answers.find((full) => full)?.limit.scope).toBe('x');
  });

  test('an exhausted limit of one caller does not use up the shared one', async ({ sql }) => {
    const both = [daily('own', 'ani', 1), daily('total', 'all', 10)];
    for (let times = 0; times < 5; times++) await hitAtomically(sql, both);
    expect(await hitsWithin(sql, { scope: 'total', subject: 'all', seconds: 86_400 })).toBe(1);
  });

  test('counts subjects separately, and starts a new window at zero', async ({ sql }) => {
    expect(await hitAtomically(sql, [daily('x', 'ani', 1)])).toBeUndefined();
    expect(await hitAtomically(sql, [daily('x', 'budi', 1)])).toBeUndefined();
    expect(await hitAtomically(sql, [daily('x', 'ani', 1)])).toBeDefined();
    await ageLimits(sql, 86_400);
    expect(await hitAtomically(sql, [daily('x', 'ani', 1)])).toBeUndefined();
  });

  test('a day begins at midnight in Jakarta', async ({ sql }) => {
    await hitAtomically(sql, [daily('x', 'ani', 1)]);
    expect(
      await sql`
        select to_char(window_start at time zone 'Asia/Jakarta', 'HH24:MI') as at
        from limit_counters`,
    ).toEqual([{ at: '00:00' }]);
  });

  test('allows no calls if the maximum is zero', async ({ sql }) => {
    expect(await hitAtomically(sql, [daily('x', 'ani', 0)])).toBeDefined();
  });

  test('returns the seconds until the window ends', async ({ sql }) => {
    const limit = { ...daily('x', 'ani', 0), windowSeconds: 60 };
    const full = await hitAtomically(sql, [limit]);
    expect(full?.seconds).toBeGreaterThan(0);
    expect(full?.seconds).toBeLessThanOrEqual(60);
  });

  test('throws on database errors', async ({ db }) => {
    const limiter = openLimiter(db.allAccountsSql, { authMax: 5 });
    await db.owner`alter table limit_counters rename to gone`;
    await expect(limiter.allow('auth', { ip: '203.0.113.7' })).rejects.toThrow('limit_counters');
  });
});

describe('the rate limiter', () => {
  test('refuses an address that exceeds its rate, with the seconds to wait', async ({ sql }) => {
    const limiter = openLimiter(sql, { authMax: 3 });
    for (let times = 0; times < 3; times++) await limiter.allow('auth', { ip: '203.0.113.7' });
    const refused: unknown = await limiter
      .allow('auth', { ip: '203.0.113.7' })
      .catch((no: unknown) => no);
    expect(refused).toMatchObject({ code: 'too_many_requests' });
    await limiter.allow('auth', { ip: '203.0.113.8' });
  });

  test('refuses a network that exceeds its rate, also for new addresses', async ({ sql }) => {
    const limiter = openLimiter(sql, { authMax: 1 });
    for (let host = 0; host < 10; host++) await limiter.allow('auth', { ip: `203.0.113.${host}` });
    await expect(limiter.allow('auth', { ip: '203.0.113.99' })).rejects.toThrow(Refusal);
    await limiter.allow('auth', { ip: '203.0.114.1' });
  });

  test('limits reads per person, not per shared address', async ({ sql }) => {
    const limiter = openLimiter(sql, { authMax: 1 });
    const from = { ip: '203.0.113.7' };
    for (let times = 0; times < 100; times++)
      await limiter.allow('read', { ...from, person: 'ani' });
    const more = Array.from({ length: 100 }, () =>
      limiter.allow('read', { ...from, person: 'ani' }),
    );
    await expect(Promise.all(more)).rejects.toThrow(Refusal);
    await limiter.allow('read', { ...from, person: 'budi' });
  });
});

describe('buckets', () => {
  test('refill over time, up to a burst', () => {
    let now = 0;
    const take = openBuckets(() => now);
    const pace = { burst: 2, perSecond: 0.5 };
    expect([take('a', pace), take('a', pace), take('a', pace)]).toEqual([0, 0, 2]);
    now = 2_000;
    expect([take('a', pace), take('a', pace)]).toEqual([0, 2]);
    now = 1_000_000;
    expect([take('a', pace), take('a', pace), take('a', pace)]).toEqual([0, 0, 2]);
  });
});

test('networks are /24 and /64 in every notation of an address', () => {
  expect(networkOf('203.0.113.7')).toBe('203.0.113.0/24');
  expect(networkOf('::ffff:203.0.113.7')).toBe('203.0.113.0/24');
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:DB8:0001:2::1:9')).toBe('2001:db8:1:2::/64');
  expect(networkOf('::1')).toBe('0:0:0:0::/64');
});
