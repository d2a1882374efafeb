import { expect, test as base } from 'vitest';
import { waitFor } from './support/wait-for.ts';
import { type PushService, startPushService } from '#tests/push/push-service.ts';

const test = base.extend<{ service: PushService }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  service: async ({}, use) => {
    const service = await startPushService();
    await use(service);
    await service.close();
  },
});

type ServerMessage = { messageType?: string; uaid?: string; pushEndpoint?: string; data?: string };

async function browserOf(service: PushService, uaid?: string) {
  const received: ServerMessage[] = [];
  const socket = new WebSocket(service.socketUrl, 'push-notification');
  const closed = Promise.withResolvers<void>();
  socket.addEventListener('message', ({ data }) => void received.push(JSON.parse(String(data))));
  socket.addEventListener('close', () => closed.resolve());
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const say = (message: object) => socket.send(JSON.stringify(message));
  const receive = (messageType: string): Promise<ServerMessage> =>
    waitFor(() => {
      const found = received.find((one) => one.messageType === messageType);
      if (!found) throw new Error(`no ${messageType} yet`);
      return found;
    });
  say({ messageType: 'hello', broadcasts: {}, use_webpush: true, ...(uaid && { uaid }) });
  const hello = await receive('hello');
  return { say, receive, received, closed: closed.promise, uaid: hello.uaid ?? '' };
}

const post = (endpoint: string, body: string, headers: Record<string, string> = {}) =>
  fetch(endpoint, {
    method: 'POST',
    headers: { ttl: '60', 'content-encoding': 'aes128gcm', ...headers },
    body,
  });

test('the fake refuses what a real push service would refuse', async ({ service }) => {
  const endpoint = service.subscribe();
  const statuses = [
    await post(endpoint, 'x', { ttl: 'soon' }),
    await post(endpoint, 'x', { 'content-encoding': 'gzip' }),
    await post(endpoint, 'x', { topic: 'a topic' }),
    await post(endpoint, 'x'),
    await post(endpoint, 'x'.repeat(5_000)),
    await post(`${endpoint}0`, 'x'),
  ].map(({ status }) => status);
  expect(statuses).toEqual([400, 400, 400, 401, 413, 410]);
});

test('the fake drops a browser’s endpoints when it rotates', async ({ service }) => {
  const browser = await browserOf(service);
  browser.say({ messageType: 'register', channelID: 'a', key: 'BKey' });
  const { pushEndpoint = '' } = await browser.receive('register');
  expect(service.endpoints()).toEqual([pushEndpoint]);
  service.rotate();
  await browser.closed;
  const reconnected = await browserOf(service, browser.uaid);
  expect(reconnected.uaid).not.toBe(browser.uaid);
  expect((await post(pushEndpoint, 'x')).status).toBe(410);
});

test('the fake service answers as configured, as often as configured', async ({ service }) => {
  const [one, other] = [service.subscribe(), service.subscribe()];
  service.trouble({ status: 429, retryAfter: '2', endpoint: one, times: 1 });
  const first = await post(one, 'x');
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '2']);
  expect([(await post(one, 'x')).status, (await post(other, 'x')).status]).toEqual([401, 401]);
  expect(service.posts.map(({ endpoint, status }) => [endpoint, status])).toEqual([
    [one, 429],
    [one, 401],
    [other, 401],
  ]);
});
