import { expect } from 'vitest';
import { type PushService, startPushService } from '#tests/push/push-service.ts';
import { newReceiver } from '#tests/push/receiver.ts';
import { type RunningApp, test as base, signedIn } from './support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const test = base.extend<{ service: PushService }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  service: async ({}, use) => {
    const service = await startPushService();
    await use(service);
    await service.close();
  },
});

const write = (
  { container }: RunningApp,
  shop: { accountId: string; tokenId: string },
  id: string,
) =>
  container.subscribers.messageArrived({
    accountId: shop.accountId,
    tokenId: shop.tokenId,
    from: '6281234567890',
    name: 'Budi',
    type: 'text',
    body: { text: 'Pesan yang rahasia' },
    at: new Date(),
    providerId: id,
  });

test('pushes from the phone to the browser without an open page, until sign-out', async ({
  openApp,
  db,
  service,
}) => {
  const env = { PUSH_SERVICES: service.origin, SIMULATOR: 'off', LOG_LEVEL: 'debug' };
  const running = await openApp({ works: true, env });
  const ani = await signedIn(db);
  const mine = { token: ani.token, fcm: '' };
  const { vapid_key } = (await running.ask('push_config', mine)).body.data;
  const receiver = newReceiver();
  const endpoint = service.subscribe(vapid_key);
  const subscription = { endpoint, ...receiver.keys, vapid_key };
  const registered = await running.ask('push_register', {
    ...mine,
    ...subscription,
    key: crypto.randomUUID(),
  });
  expect(registered).toMatchObject({
    status: 200,
    body: { data: { token: expect.stringMatching(/^psh_/) } },
  });
  const fcm: string = registered.body.data.token;

  await write(running, ani, 'first');
  await waitFor(async () => expect(service.posts).toHaveLength(1));
  const [post] = service.posts;
  expect(post?.status).toBe(201);
  const { notification } = receiver.open(post?.body ?? Buffer.alloc(0));
  expect(notification).toMatchObject({
    title: 'Pesan baru dari Budi (+62 812-3456-7890)',
    body: 'Pesan baru',
  });

  const left = await running.ask('user_logout', { ...mine, fcm, key: crypto.randomUUID() });
  expect(left.status).toBe(200);
  await write(running, ani, 'second');
  await running.worker?.pushes.drain();
  expect(service.posts).toHaveLength(1);

  const log = running.lines.join('');
  for (const secret of [endpoint, fcm, receiver.keys.auth, 'rahasia', '6281234567890', 'Budi']) {
    expect(log).not.toContain(secret);
  }
});
