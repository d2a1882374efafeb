import { expect, vi } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { renewPush, testPush } from '#contract/push.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { startRelay } from '#server/domains/events/events.ts';
import { startPushService } from '#tests/push/push-service.ts';
import { type PushApp, type Shopkeeper, test } from '#tests/push/push-app.ts';
import {
  createCircuitBreaker,
  claimDue,
  dropSuperseded,
  finish,
  postpone,
  queueNotice,
  startPushSender,
} from '#server/domains/push/delivery.ts';
import { openOutbound } from '#server/infra/net/outbound.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { changeAccounts, changeSessions, changeUsers } from '#tests/support/people/people.ts';
import { ago } from '#tests/support/database/changes.ts';

const setSettings = ({ deps }: PushApp, { userId }: Shopkeeper, settings: object) =>
  changeUsers(deps.allAccountsSql, { userId }, { settings: json(settings) });

test('an inbound message reaches the browser encrypted, with its sender but without its text', async ({
  push,
}) => {
  const ani = await push.shopkeeper();
  const browser = await push.browser(ani);
  await push.receive(ani, { text: 'Rahasia', name: 'Budi' });
  await push.sender.drain();
  const [post] = push.service.posts;
  expect(push.service.posts).toMatchObject([{ endpoint: browser.endpoint, status: 201 }]);
  expect(post?.headers).toMatchObject({
    urgency: 'high',
    topic: expect.stringMatching(/^[\w-]{32}$/),
    'content-encoding': 'aes128gcm',
  });
  expect(Number(post?.headers['ttl'])).toBeGreaterThan(3_500);
  const payload = browser.open(post?.body ?? Buffer.alloc(0));
  const url = expect.stringMatching(
    /^\/message-history\?view=percakapan&open=tok_[0-9A-Z]{26}&peer=6281234567890$/,
  );
  expect(payload).toEqual({
    web_push: 8030,
    notification: {
      title: 'Pesan baru dari Budi (+62 812-3456-7890)',
      body: 'Pesan baru',
      icon: '/favicon-192.png',
      navigate: `https://kabari.example${payload.data.url}`,
      app_badge: '1',
    },
    data: { url, id: expect.stringMatching(/^msg_/) },
    fcmOptions: { link: url, analyticsLabel: 'inbox' },
  });
  expect(JSON.stringify(payload)).not.toContain('Rahasia');
  expect(await push.deps.allAccountsSql`select * from push_queue`).toEqual([]);
});

test('sends the text if the person wants it, and nothing if they want no notices', async ({
  push,
}) => {
  const ani = await push.shopkeeper();
  const browser = await push.browser(ani);
  await setSettings(push, ani, { push_text: true });
  await push.receive(ani, { text: 'Masih ada\nyang biru?' });
  await push.sender.drain();
  const [post] = push.service.posts;
  expect(browser.open(post?.body ?? Buffer.alloc(0)).notification.body).toBe(
    'Masih ada yang biru?',
  );
  await setSettings(push, ani, { push_on: false });
  await push.receive(ani);
  await push.sender.drain();
  expect(push.service.posts).toHaveLength(1);
  expect(push.outcomes).toEqual(['taken', 'unwanted']);
});

const LOW = { title: 'Saldo hampir habis', body: 'Tersisa Rp 900.', url: '/saldo', tag: 'saldo' };

test('a notice without a message reaches all browsers of its account, in its own words', async ({
  push,
}) => {
  const ani = await push.shopkeeper();
  const budi = await push.shopkeeper();
  const browsers = [await push.browser(ani), await push.browser(ani)];
  await push.browser(budi);
  await push.deps.allAccountsSql.begin((tx) =>
    queueNotice(tx, { accountId: ani.accountId, ...LOW }),
  );
  await push.sender.drain();
  const { posts } = push.service;
  expect(posts.map(({ endpoint }) => endpoint).toSorted()).toEqual(
    browsers.map(({ endpoint }) => endpoint).toSorted(),
  );
  const receiver = browsers.find(({ endpoint }) => endpoint === posts[0]?.endpoint);
  expect(receiver?.open(posts[0]?.body ?? Buffer.alloc(0))).toEqual({
    web_push: 8030,
    notification: {
      title: LOW.title,
      body: LOW.body,
      icon: '/favicon-192.png',
      navigate: 'https://kabari.example/saldo',
    },
    data: { url: '/saldo', id: '', tag: 'saldo' },
    fcmOptions: { link: '/saldo', analyticsLabel: 'notice' },
  });
});

test('sends none of these to people who want no notices; only the newest waiting one of a tag is left', async ({
  push,
}) => {
  const ani = await push.shopkeeper();
  await push.browser(ani);
  const { allAccountsSql } = push.deps;
  for (const body of ['Tersisa Rp 900.', 'Tersisa Rp 500.']) {
    await allAccountsSql.begin((tx) => queueNotice(tx, { accountId: ani.accountId, ...LOW, body }));
  }
  await allAccountsSql`
    update push_queue set ready_at = statement_timestamp() - interval '2 minutes'`;
  await dropSuperseded(allAccountsSql);
  expect(await allAccountsSql`select body from push_queue`).toEqual([{ body: 'Tersisa Rp 500.' }]);
  await setSettings(push, ani, { push_on: false });
  await push.sender.drain();
  expect(push.service.posts).toHaveLength(0);
  expect(push.outcomes).toEqual(['unwanted']);
});

test('the badge counts conversations with unread messages, published or not', async ({ push }) => {
  const ani = await push.shopkeeper();
  const browser = await push.browser(ani);
  const badges = async () => {
    await push.sender.drain();
    const { body } = push.service.posts.at(-1) ?? { body: Buffer.alloc(0) };
    return browser.open(body).notification.app_badge;
  };
  await push.receive(ani, { from: '6281200000001' });
  expect(await badges()).toBe('1');
  const relay = startRelay({
    sql: push.deps.allAccountsSql,
    log: { error: vi.fn() } as never,
  });
  await relay.drain();
  await push.receive(ani, { from: '6281200000002' });
  expect(await badges()).toBe('2');
  await relay.drain();
  await push.receive(ani, { from: '6281200000002' });
  expect(await badges()).toBe('2');
  await relay.close();
});

test('sends nothing to a browser that its person has left, signed out or not', async ({
  push,
  db,
}) => {
  const [ani, budi, citra] = [
    await push.shopkeeper(),
    await push.shopkeeper(),
    await push.shopkeeper(),
  ];
  for (const person of [ani, budi, citra]) {
    await push.browser(person);
    await push.receive(person);
  }
  await changeSessions(db.allAccountsSql, ani, { revokedAt: 'now' });
  await changeSessions(db.allAccountsSql, budi, { lastUsedAt: ago('8 days') });
  await changeAccounts(db.allAccountsSql, citra, { status: 'closed' });
  await push.sender.drain();
  expect(push.service.posts).toEqual([]);
  expect(await db.allAccountsSql`select * from push_subscriptions`).toEqual([]);
});

test('sends a message of an account to its own browsers only, and once', async ({ push }) => {
  const [ani, budi] = [await push.shopkeeper(), await push.shopkeeper()];
  const browsers = [await push.browser(ani), await push.browser(ani)];
  await push.browser(budi);
  await push.receive(ani);
  await push.sender.drain();
  await push.sender.drain();
  expect(push.service.posts.map(({ endpoint }) => endpoint).toSorted()).toEqual(
    browsers.map(({ endpoint }) => endpoint).toSorted(),
  );
});

test('does not post again to a browser that is gone; the test button says so', async ({
  push,
  db,
}) => {
  const stored = () =>
    db.allAccountsSql`select 1 from push_subscriptions where sealed <> ''
      union all select 1 from push_queue`;
  const ani = await push.shopkeeper();
  const [one, other] = [await push.browser(ani), await push.browser(ani)];
  push.service.forget(one.endpoint);
  await push.receive(ani);
  await push.receive(ani);
  await push.sender.drain();
  const posts = () => push.service.posts.filter(({ endpoint }) => endpoint === one.endpoint);
  expect(posts()).toHaveLength(1);
  await push.receive(ani);
  await push.sender.drain();
  expect(posts()).toHaveLength(1);
  expect(await stored()).toHaveLength(1);
  await expect(push.perform(testPush, { push_token: one.token }, ani.caller)).rejects.toEqual(
    new Refusal('push_gone', {}),
  );
  expect(posts()).toHaveLength(1);
  push.service.trouble({ status: 404, endpoint: other.endpoint });
  await expect(push.perform(testPush, { push_token: other.token }, ani.caller)).rejects.toEqual(
    new Refusal('push_gone', {}),
  );
  expect(await stored()).toEqual([]);
});

test('a browser renews even if it learns later than we do that it is gone', async ({
  push,
  db,
}) => {
  const ani = await push.shopkeeper();
  const { token, endpoint, ...receiver } = await push.browser(ani);
  push.service.forget(endpoint);
  await push.receive(ani);
  await push.sender.drain();
  const moved = await push.registration(push.service.subscribe(), receiver);
  await push.perform(renewPush, { ...moved, old: token });
  expect(await db.allAccountsSql`select 1 from push_subscriptions`).toHaveLength(1);
  await push.receive(ani);
  await push.sender.drain();
  expect(push.service.posts.map((post) => [post.endpoint, post.status])).toEqual([
    [endpoint, 410],
    [moved.endpoint, 201],
  ]);
});

test('the test button sends at once, and reports a service that does not answer', async ({
  push,
}) => {
  const ani = await push.shopkeeper();
  const browser = await push.browser(ani);
  const press = () => push.perform(testPush, { push_token: browser.token }, ani.caller);
  expect(await press()).toEqual({});
  const [post] = push.service.posts;
  expect(browser.open(post?.body ?? Buffer.alloc(0)).data.url).toBe('/profile');
  push.service.trouble({ status: 500 });
  await expect(press()).rejects.toEqual(new Refusal('push_service_down', {}));
});

const waits = async ({ allAccountsSql }: PushApp['deps']) => {
  const rows = await allAccountsSql<{ seconds: number; attempt: number }[]>`
    select extract(epoch from ready_at - clock_timestamp())::float8 as seconds, attempt
    from push_queue order by message_id`;
  return rows;
};

test('retries a busy service when it says so, and keeps the order of messages', async ({
  push,
}) => {
  const ani = await push.shopkeeper();
  const browser = await push.browser(ani);
  push.service.trouble({ status: 429, retryAfter: '120', times: 1 });
  await push.receive(ani, { from: '6281200000001', name: 'Satu' });
  await push.receive(ani, { from: '6281200000002', name: 'Dua' });
  await push.sender.drain();
  expect(push.service.posts.map(({ status }) => status)).toEqual([429]);
  const [first] = await waits(push.deps);
  expect(first?.seconds).toBeGreaterThan(110);
  await push.hurry();
  await push.sender.drain();
  const titles = push.service.posts
    .slice(1)
    .map(({ body }) => browser.open(body).notification.title);
  expect(titles).toEqual([
    'Pesan baru dari Satu (+62 812-0000-0001)',
    'Pesan baru dari Dua (+62 812-0000-0002)',
  ]);
  const log = push.lines.join();
  expect(log).toContain(push.service.origin);
  for (const secret of [browser.endpoint, browser.token, '6281200000001', 'Satu']) {
    expect(log).not.toContain(secret);
  }
});

test('replaces an unsent notice by the newest of its conversation, and expires it', async ({
  push,
}) => {
  const ani = await push.shopkeeper();
  const browser = await push.browser(ani);
  await setSettings(push, ani, { push_text: true });
  push.service.trouble({ status: 503, times: 1 });
  await push.receive(ani, { text: 'lama' });
  await push.sender.drain();
  await push.receive(ani, { text: 'baru' });
  await push.sender.close();
  await push.hurry();
  const sender = startPushSender(push.deps);
  await sender.drain();
  expect(
    push.service.posts.slice(1).map(({ body }) => browser.open(body).notification.body),
  ).toEqual(['baru']);
  push.service.trouble({ status: 503, retryAfter: '120' });
  await push.receive(ani);
  await sender.drain();
  await push.deps.allAccountsSql`
    update push_queue set ready_at = statement_timestamp(),
      expires_at = statement_timestamp() + interval '1 minute'`;
  await sender.drain();
  expect(push.outcomes.at(-1)).toBe('given_up');
  expect(await push.deps.allAccountsSql`select * from push_queue`).toEqual([]);
  await sender.close();
});

test('sends at once what waited for its next try when a push service answers again', async ({
  push,
}) => {
  const ani = await push.shopkeeper();
  for (let n = 0; n < 3; n++) await push.browser(ani);
  await push.sender.close();
  let nowMs = 0;
  const sender = startPushSender(
    push.deps,
    createCircuitBreaker(() => nowMs),
  );
  push.service.trouble({ status: 503, times: 3 });
  await push.receive(ani);
  await sender.drain();
  await push.deps.allAccountsSql`
    update push_queue set ready_at = statement_timestamp()
      + case when subscription_id = (select subscription_id from push_queue limit 1) then interval '0'
        else interval '5 minutes' end`;
  nowMs += 60_000;
  await sender.drain();
  expect(push.service.posts.map(({ status }) => status)).toEqual([503, 503, 503, 201, 201, 201]);
  await sender.close();
});

test('sends a notice that is too large without its text; drops one that is never accepted', async ({
  push,
}) => {
  const ani = await push.shopkeeper();
  const browser = await push.browser(ani);
  await setSettings(push, ani, { push_text: true });
  push.service.trouble({ status: 413, times: 1 });
  await push.receive(ani, { text: 'Panjang' });
  await push.sender.drain();
  expect(push.service.posts.map(({ status }) => status)).toEqual([413, 201]);
  const bodies = push.service.posts.map(({ body }) => browser.open(body).notification.body);
  expect(bodies).toEqual(['Panjang', 'Pesan baru']);
  push.service.trouble({ status: 400 });
  await push.receive(ani);
  await push.sender.drain();
  expect(await push.deps.allAccountsSql`select * from push_queue`).toEqual([]);
});

test('follows no redirect of a service', async ({ push }) => {
  const ani = await push.shopkeeper();
  await push.browser(ani);
  const elsewhere = push.service.subscribe();
  push.service.trouble({ status: 307, location: elsewhere });
  await push.receive(ani);
  await push.sender.drain();
  expect(push.service.posts.map(({ status }) => status)).toEqual([307]);
});

test('a service that hangs delays no other notices', async ({ push }) => {
  const dead = await startPushService();
  dead.trouble({ status: 0, hangs: true });
  const listed = [push.service.origin, dead.origin];
  const config = { ...push.deps.config, PUSH_SERVICES: listed };
  Object.assign(push.deps, { config, outbound: openOutbound({ listed }) });
  const ani = await push.shopkeeper();
  for (let n = 0; n < 9; n++) await push.browser(ani, { endpoint: dead.subscribe() });
  const { endpoint } = await push.browser(ani);
  await push.receive(ani);
  push.sender.wake();
  await waitFor(() => expect(push.service.posts).toMatchObject([{ endpoint, status: 201 }]));
  await waitFor(() => expect(dead.posts).toHaveLength(4));
  await dead.close();
});

test('loses nothing when a sender dies, and ignores its late result', async ({ push, db }) => {
  const ani = await push.shopkeeper();
  await push.sender.close();
  await push.browser(ani);
  await push.receive(ani);
  const first = await claimDue(db.allAccountsSql, []);
  expect(await claimDue(db.allAccountsSql, [])).toBeUndefined();
  await push.hurry();
  const second = await claimDue(db.allAccountsSql, []);
  expect([first?.attempt, second?.attempt]).toEqual([1, 2]);
  if (!first || !second) throw new Error('nothing was due');
  await finish(db.allAccountsSql, first);
  expect(await postpone(db.allAccountsSql, first, { waitMs: 0 })).toBe(false);
  expect(await db.allAccountsSql`select 1 from push_queue`).toHaveLength(1);
  await finish(db.allAccountsSql, second);
  expect(await db.allAccountsSql`select 1 from push_queue`).toEqual([]);
});

test('two senders at once send each notice once', async ({ push }) => {
  const ani = await push.shopkeeper();
  await push.browser(ani);
  for (let n = 0; n < 6; n++) await push.receive(ani, { from: `628120000000${n}` });
  const other = startPushSender(push.deps);
  await Promise.all([push.sender.drain(), other.drain()]);
  await Promise.all([push.sender.drain(), other.drain()]);
  expect(push.service.posts).toHaveLength(6);
  await other.close();
});
