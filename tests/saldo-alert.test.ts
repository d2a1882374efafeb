import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { type PushService, startPushService } from '#tests/push/push-service.ts';
import { newReceiver } from '#tests/push/receiver.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { test as base, signedIn } from './support/app/running-app.ts';

const test = base.extend<{ service: PushService }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  service: async ({}, use) => {
    const service = await startPushService();
    await use(service);
    await service.close();
  },
});

test('reports a balance below the threshold to browser, phone and page once', async ({
  openApp,
  db,
  service,
}) => {
  const running = await openApp({ works: true, env: { PUSH_SERVICES: service.origin } });
  const ani = await signedIn(db, { saldo: 10_000 });
  const ask = async (act: string, fields: Record<string, string> = {}) => {
    const envelope = { token: ani.token, fcm: '', key: crypto.randomUUID() };
    const answer = await running.ask(act, { ...envelope, ...fields });
    expect([act, answer.status]).toEqual([act, 200]);
    return answer.body.data;
  };
  const { vapid_key } = await ask('push_config');
  const receiver = newReceiver();
  const endpoint = service.subscribe(vapid_key);
  await ask('push_register', { endpoint, ...receiver.keys, vapid_key });
  await ask('saldo_alert_save', { threshold: '9900' });
  expect(await ask('saldo_summary')).toMatchObject({ available: 10_000, alert_threshold: 9_900 });

  await ask('message_send', {
    token_id: publicId('token', ani.tokenId),
    to: '0812-9999-3001',
    text: 'Pesanan Anda sudah siap.',
  });
  // No request triggers it: the relay notifies the watch of new events.
  await waitFor(() => service.posts.length === 1);
  const { notification, data } = receiver.open(service.posts[0]?.body ?? Buffer.alloc(0));
  expect(notification).toMatchObject({
    title: 'Saldo hampir habis',
    body: 'Tersisa Rp 9.850, di bawah batas Rp 9.900 yang Anda atur.',
  });
  expect(data).toEqual({ url: '/saldo', id: '', tag: 'saldo-rendah' });
  const textsIn = async () => {
    const { body } = await running.ask('simulator_phone', { phone: ani.phone });
    return JSON.stringify(body.data.lines).split('Saldo Kabari Anda tersisa').length - 1;
  };
  await waitFor(async () => (await textsIn()) === 1);
  expect((await ask('saldo_alert_get')).fired_at).not.toBeNull();

  await running.worker?.saldoAlerts.check();
  await running.worker?.saldoAlerts.check();
  await running.worker?.pushes.drain();
  expect(service.posts).toHaveLength(1);
  expect(await textsIn()).toBe(1);
});
