import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { homeSummary } from '#contract/messages.ts';
import { summaryOf } from '#server/domains/messages/history/home.ts';
import { test } from '#tests/support/webhooks/webhook-app.ts';
import { webhookTroubles } from '#server/domains/webhooks/manage.ts';

test('Beranda names webhooks that are off, but not by their owner, or fail persistently', async ({
  hooks,
}) => {
  const [ani, budi] = [await hooks.customerWithWebhook(), await hooks.customerWithWebhook()];
  const { db, deps } = hooks;
  const attentionOf = async (accountId: string) => {
    const home = await summaryOf(db.tenantSql, accountId, deps.now(), { webhookTroubles });
    expect(homeSummary.output.safeParse(home).success).toBe(true);
    return home.attention.filter(({ reason }) => reason.startsWith('webhook_'));
  };
  const reasons = async () => (await attentionOf(ani.accountId)).map(({ reason }) => reason);
  const minutesAgo = (minutes: number) => new Date(deps.now().getTime() - minutes * 60_000);
  const failing = (since: Date | null, pausedUntil: Date | null = null) => db.allAccountsSql`
    update webhooks set failing_since = ${since}, paused_until = ${pausedUntil}
    where account_id = ${ani.accountId}`;
  expect(await reasons()).toEqual([]);

  await failing(minutesAgo(14));
  expect(await reasons()).toEqual([]);
  await failing(minutesAgo(15));
  expect(await reasons()).toEqual(['webhook_erring']);
  await failing(minutesAgo(1), minutesAgo(-5));
  expect(await reasons()).toEqual(['webhook_erring']);
  await failing(minutesAgo(2), minutesAgo(1));
  expect(await reasons()).toEqual([]);

  for (const why of ['unconfirmed', 'gone', 'failing'] as const) {
    await db.allAccountsSql`
      update webhooks set state = 'off', off_reason = ${why}, failing_since = ${minutesAgo(20)}
      where account_id = ${ani.accountId}`;
    expect(await attentionOf(ani.accountId)).toMatchObject([
      { token_id: publicId('token', ani.tokenId), reason: `webhook_${why}` },
    ]);
  }
  expect(await attentionOf(budi.accountId)).toEqual([]);

  await hooks.calls.setOn(ani, true);
  expect(await reasons()).toEqual([]);
  await hooks.calls.setOn(ani, false);
  expect(await reasons()).toEqual([]);
});
