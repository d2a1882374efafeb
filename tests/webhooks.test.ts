import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { WebhookEvent } from '#contract/webhooks.ts';
import { type RunningApp, signedIn, test as base } from '#tests/support/app/running-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type WebhookTarget, startTarget } from '#tests/support/webhooks/webhook-target.ts';
import { changeTokens, linkPhone } from '#tests/support/people/people.ts';

const test = base.extend<{ target: WebhookTarget; running: RunningApp }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  target: async ({}, use) => {
    const target = await startTarget();
    await use(target);
    await target.close();
  },
  running: async ({ openApp, target }, use) =>
    use(await openApp({ works: true, env: { WEBHOOK_ORIGINS: target.origin } })),
});

const PEER = '081299993001';
const TOKEN_PHONE = '6281300005001';

async function customer({ ask }: RunningApp, db: TestDatabase) {
  const ani = await signedIn(db, { saldo: 10_000 });
  const call = async (act: string, fields: Record<string, unknown> = {}) => {
    const envelope = { token: ani.token, fcm: '', key: crypto.randomUUID() };
    const answer = await ask(act, { ...envelope, ...fields });
    expect([act, answer.status, answer.body]).toEqual([act, 200, expect.anything()]);
    return answer.body.data;
  };
  const publicToken = publicId('token', ani.tokenId);
  await changeTokens(db.allAccountsSql, ani, { phone: TOKEN_PHONE });
  await linkPhone(db.allAccountsSql, { ...ani, phone: TOKEN_PHONE });
  return { ...ani, call, publicToken };
}

const typesOf = (target: WebhookTarget) => target.posts.map(({ event }) => event.type);

test('reports a customer’s actions in the portal to their webhook, by the contract, and in the feed', async ({
  running,
  target,
  db,
}) => {
  const ani = await customer(running, db);
  const { call, publicToken: tokenId } = ani;
  const { calls } = running.container.webhooks;
  const saved = await calls.save(ani, { url: target.url });
  expect(saved).toMatchObject({
    webhook: { state: 'on' },
    secret: expect.stringMatching(/^whsec_/),
  });
  expect(target.tests).toHaveLength(1);
  await call('saldo_alert_save', { threshold: '9900' });
  await call('message_send', { token_id: tokenId, to: PEER, text: 'Pesanan Anda sudah siap.' });
  await waitFor(() => typesOf(target).includes('message.read'));
  await call('simulator_reply', { phone: PEER, to: TOKEN_PHONE, text: 'Terima kasih' });
  await waitFor(() => typesOf(target).includes('message.received'));
  await call('optout_add', { token_id: tokenId, peer: PEER, reason: 'diminta' });
  await waitFor(() => typesOf(target).includes('saldo.low'));
  const topup = await call('topup_create', { amount: '50000', method: 'bank' });
  await call('simulator_transfer', { amount: String(topup.total), sender: 'Ani' });
  await waitFor(() => typesOf(target).includes('invoice.paid'));
  await call('token_unlink', { token_id: tokenId });
  await waitFor(() => typesOf(target).includes('token.disconnected'));

  const came = target.posts.map(({ body }) => WebhookEvent().parse(JSON.parse(body)));
  // A receipt may overtake an earlier one.
  expect(came.map(({ type }) => type)).toEqual(
    expect.arrayContaining([
      'message.accepted',
      'message.read',
      'message.received',
      'optout.added',
      'saldo.low',
      'topup.paid',
      'invoice.issued',
      'invoice.paid',
      'token.disconnected',
    ]),
  );
  const received = came.find(({ type }) => type === 'message.received');
  expect(received?.data).toMatchObject({ token: tokenId, content: { text: 'Terima kasih' } });
  const feed = await calls.readFeed(ani, { after: 0, limit: 100 });
  const bySeq = (events: readonly WebhookEvent[]) =>
    events.toSorted((a, b) => a.data.seq - b.data.seq);
  expect(feed.events.slice(-came.length)).toEqual(bySeq(came));
  expect(feed.hasMore).toBe(false);
});
