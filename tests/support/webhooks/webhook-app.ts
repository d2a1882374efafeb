import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { readMessageFacts } from '#server/domains/messages/messages.ts';
import {
  type TokenRef,
  type WebhookDeps,
  type WebhookWorker,
  openWebhooks,
} from '#server/domains/webhooks/webhooks.ts';
import { openClock } from '#server/infra/clock.ts';
import { newId } from '#server/infra/ids.ts';
import { openOutbound } from '#server/infra/net/outbound.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { readSecrets } from '#server/infra/security/secrets.ts';
import { signedIn } from '#tests/support/app/running-app.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { type WebhookTarget, startTarget } from './webhook-target.ts';

/** A conversation event that does not refer to a message. */
type Happened = { kind?: string; peer?: string; data?: object };

async function webhookApp(db: TestDatabase, target: WebhookTarget) {
  const clock = openClock({ isMovable: true });
  const listed = [target.origin];
  const troubles: unknown[] = [];
  const texts: { phone: string; text: string; key: string }[] = [];
  const notices: { accountId: string; body: string }[] = [];
  const workers: WebhookWorker[] = [];
  const deps: WebhookDeps = {
    sql: db.tenantSql,
    allAccountsSql: db.allAccountsSql,
    secrets: await readSecrets(db.allAccountsSql),
    outbound: openOutbound({ listed }),
    messageFacts: (tx, refs) =>
      readMessageFacts(tx, refs, {
        language: 'id',
        origin: 'https://kabari.example',
        offerFile: (_, fileId) => ({ link: `/files/${fileId}`, expiresAt: clock.now() }),
      }),
    queueNotice: async (_tx, notice) => void notices.push(notice),
    sendSystemText: async (phone, text, key) => void texts.push({ phone, text, key }),
    now: clock.now,
    report: (trouble) => void troubles.push(trouble),
    onOutcome: () => undefined,
  };
  const { calls, acts, start } = openWebhooks(deps);

  const startWorker = (): WebhookWorker => {
    const worker = start();
    workers.push(worker);
    return worker;
  };

  const customer = async () => {
    const { accountId, tokenId } = await signedIn(db);
    return { accountId, tokenId };
  };

  const customerWithWebhook = async ({ url = target.url } = {}) => {
    const token = await customer();
    const { webhook, secret } = await calls.save(token, { url });
    expect(webhook.state).toBe('on');
    return { ...token, secret: secret ?? '' };
  };

  const happen = async ({ accountId, tokenId }: TokenRef, events: readonly Happened[]) => {
    for (const { kind = 'optout.added', peer, data } of events) {
      const own = { token_id: publicId('token', tokenId), source: 'reply' };
      const facts = data ?? { ...own, ...(peer !== undefined && { peer }) };
      await db.allAccountsSql`
        insert into outbox (account_id, outbox_id, kind, data)
        values (${accountId}, ${newId()}, ${kind}, ${json(facts)})`;
    }
    await db.allAccountsSql`select publish_outbox(1000)`;
  };

  const pass = (seconds: number) => clock.move?.(new Date(clock.now().getTime() + seconds * 1_000));

  /** Positions that the endpoint received, by conversation and in order of arrival. */
  const arrived = (posts = target.posts) => {
    const byPeer = Map.groupBy(posts, ({ event }) => event.data.peer ?? '');
    return Object.fromEntries(
      [...byPeer].map(([peer, some]) => [peer, some.map(({ event }) => event.data.seq)]),
    );
  };

  return {
    db,
    deps,
    acts,
    calls,
    target,
    listed,
    troubles,
    texts,
    notices,
    workers,
    startWorker,
    customer,
    customerWithWebhook,
    happen,
    pass,
    arrived,
  };
}

export type WebhookApp = Awaited<ReturnType<typeof webhookApp>>;

export const test = base.extend<{ hooks: WebhookApp }>({
  hooks: async ({ db }, use) => {
    const target = await startTarget();
    const hooks = await webhookApp(db, target);
    await use(hooks);
    await Promise.all(hooks.workers.map((worker) => worker.close()));
    await target.close();
    expect(hooks.troubles).toEqual([]);
  },
});
