import { type Caller, callerOf } from '#tests/support/app/api-caller.ts';
import { type RunningApp, test as base } from '#tests/support/app/running-app.ts';
import { type WebhookTarget, startTarget } from './webhook-target.ts';
import { linkPhone } from '#tests/support/people/people.ts';

/** A running application, an allowed endpoint, and Ani, who sends and gets answers. */
export const test = base.extend<{ target: WebhookTarget; running: RunningApp; ani: Caller }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  target: async ({}, use) => {
    const target = await startTarget();
    await use(target);
    await target.close();
  },
  running: async ({ openApp, target }, use) =>
    use(
      await openApp({
        works: true,
        env: { WEBHOOK_ORIGINS: target.origin, RATE_API_PER_SECOND: '5000' },
      }),
    ),
  ani: async ({ running, db }, use) => {
    const ani = await callerOf(running, db, { saldo: 100_000 });
    await linkPhone(db.allAccountsSql, ani);
    await use(ani);
  },
});

export const setWebhook = (caller: Caller, body: unknown, headers: Record<string, string> = {}) =>
  caller.call('/v1/webhook', { method: 'PUT', body, headers });
