import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { refusalCode } from '#web/api/errors.ts';
import { pushToken, setPushToken } from '#web/browser/push/pushToken.ts';
import { forgetSessionToken, saveSessionToken } from '#web/browser/session.ts';
import { storageClear } from '#web/browser/storage.ts';
import { disablePush, enablePush, followPush, sendTestPush } from './push.ts';

/** The browser's storage for pages and worker: Node has no IndexedDB. */
const records = vi.hoisted(() => new Map<string, unknown>());
vi.mock('#web/browser/push/records.ts', () => ({
  inTurn: (work: () => unknown) => work(),
  readRecord: async (name: string) => records.get(name),
  writeRecord: async (name: string, value: unknown) => void records.set(name, value),
  forgetRecord: async (name: string) => void records.delete(name),
  forgetRecords: async () => records.clear(),
}));

const HOUR_MS = 3_600_000;
const TOKENS = ['a', 'b', 'c'].map((letter) => `psh_${letter.repeat(43)}`);

type Fields = Record<string, string>;
type Subscription = { key: string; ended: boolean };

/** The browser and the server. A test changes them, as the person or time would. */
type World = {
  permission: NotificationPermission;
  answer: NotificationPermission;
  key: string;
  subscriptions: Subscription[];
  /** The push service of the browser; its promise may never settle. */
  subscribe: () => Promise<void>;
  refusals: Record<string, string>;
  asked: Fields[];
};
let world: World;
let page: EventTarget & { hidden: boolean; querySelector: () => null };
let stopFollowing: (() => void) | undefined;

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url')).buffer;
const current = () => world.subscriptions.findLast(({ ended }) => !ended);
const acts = () => world.asked.map(({ act }) => act);

function subscriptionOf(one: Subscription) {
  return {
    endpoint: `https://push.example/${world.subscriptions.indexOf(one)}`,
    options: { applicationServerKey: bytesOf(one.key) },
    getKey: (name: string) => bytesOf(`${name}_key_of_a_receiver`),
    unsubscribe: async () => (one.ended = true),
  };
}

const pushManager = {
  getSubscription: async () => {
    const one = current();
    return one ? subscriptionOf(one) : null;
  },
  subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => {
    await world.subscribe();
    const key = Buffer.from(applicationServerKey).toString('base64url');
    const one = { key, ended: false };
    world.subscriptions.push(one);
    return subscriptionOf(one);
  },
};
const registration = { pushManager, scope: 'https://kabari.example/' };
const serviceWorker = {
  ready: Promise.resolve(registration),
  getRegistration: async () => registration,
};

function answer({ act = '', old }: Fields): { code: number; [fact: string]: unknown } {
  const type = world.refusals[act];
  if (type !== undefined) return { code: 0, msg: 'Tidak.', error: { type, facts: {} } };
  if (act === 'push_config') return { code: 1, data: { vapid_key: world.key } };
  const token = TOKENS[old === undefined ? 0 : TOKENS.indexOf(old) + 1];
  return { code: 1, data: act === 'push_register' ? { token } : {} };
}

beforeEach(() => {
  world = {
    permission: 'granted',
    answer: 'granted',
    key: 'key_1_of_the_push_server',
    subscriptions: [],
    subscribe: async () => undefined,
    refusals: {},
    asked: [],
  };
  page = Object.assign(new EventTarget(), { hidden: false, querySelector: () => null });
  const question = {
    get permission() {
      return world.permission;
    },
    requestPermission: async () => (world.permission = world.answer),
  };
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', { PushManager: class {}, Notification: question });
  vi.stubGlobal('Notification', question);
  vi.stubGlobal('navigator', { serviceWorker });
  vi.stubGlobal('fetch', async (_: string, { body }: { body: URLSearchParams }) => {
    const fields = Object.fromEntries(body);
    world.asked.push(fields);
    return Response.json(answer(fields));
  });
  vi.spyOn(console, 'info').mockImplementation(() => undefined);
  saveSessionToken('session 1');
});
afterEach(() => {
  stopFollowing?.();
  stopFollowing = undefined;
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  records.clear();
  setPushToken('');
  storageClear();
  forgetSessionToken();
});

/** Runs everything that does not wait for a clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

const lookAgain = () => page.dispatchEvent(new Event('visibilitychange'));

test('names the obstacle to push, and calls no server act', async () => {
  world.permission = 'denied';
  expect(await enablePush()).toBe('denied');
  world.permission = 'default';
  world.answer = 'default';
  expect(await enablePush()).toBe('unasked');
  world.answer = 'denied';
  expect(await enablePush()).toBe('denied');
  vi.stubGlobal('window', {});
  expect(await enablePush()).toBe('unsupported');
  vi.stubGlobal('navigator', { standalone: false });
  expect(await enablePush()).toBe('install_first');
  expect(world.asked).toEqual([]);
});

test('registers a subscription once, and again only for another session', async () => {
  world.permission = 'default';
  expect(await enablePush()).toBe('on');
  expect(await enablePush()).toBe('on');
  expect(acts()).toEqual(['push_config', 'push_register', 'push_config']);
  expect(pushToken()).toBe(TOKENS[0]);
  saveSessionToken('session 2');
  expect(await enablePush()).toBe('on');
  expect(world.asked.at(-1)).toMatchObject({ act: 'push_register', old: TOKENS[0] });
  expect(pushToken()).toBe(TOKENS[1]);
  expect(world.subscriptions).toHaveLength(1);
});

test('a subscription for an old server key is replaced by one for the current key', async () => {
  await enablePush();
  world.key = 'key_2_of_the_push_server';
  expect(await enablePush()).toBe('on');
  expect(world.subscriptions.map(({ ended }) => ended)).toEqual([true, false]);
  expect(world.asked.at(-1)).toMatchObject({ old: TOKENS[0], vapid_key: world.key });
});

test('a revoked permission ends the subscription, even when the server is failing', async () => {
  await enablePush();
  world.permission = 'denied';
  world.refusals = { push_unregister: 'internal' };
  stopFollowing = followPush(true);
  await waitFor(() => expect(records.size).toBe(0));
  expect(world.asked.at(-1)).toMatchObject({ act: 'push_unregister', push_token: TOKENS[0] });
  expect([current(), pushToken()]).toEqual([undefined, '']);
});

test('push switched off here stays off until it is switched on here again', async () => {
  await enablePush();
  expect(await disablePush()).toBe('off');
  expect(current()).toBe(undefined);
  const before = world.asked.length;
  stopFollowing = followPush(true);
  await settle();
  expect(world.asked).toHaveLength(before);
  expect(await enablePush()).toBe('on');
});

test('switching off succeeds when the browser fails, and leaves a record for a retry', async () => {
  await enablePush();
  vi.spyOn(pushManager, 'getSubscription').mockRejectedValue(new Error('storage'));
  expect(await disablePush()).toBe('off');
  expect(records.has('push')).toBe(true);
});

test('a push service that fails or never answers is retried after an hour, not before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const subscribe = vi.spyOn(world, 'subscribe').mockRejectedValueOnce(new Error('no service'));
  expect(await enablePush()).toBe('failed');
  subscribe.mockReturnValueOnce(new Promise(() => undefined));
  const hanging = enablePush();
  await waitFor(() => expect(subscribe).toHaveBeenCalledTimes(2));
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await hanging).toBe('failed');

  subscribe.mockRejectedValueOnce(new Error('no service'));
  stopFollowing = followPush(true);
  await waitFor(() => expect(subscribe).toHaveBeenCalledTimes(3));
  await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
  lookAgain();
  await vi.advanceTimersByTimeAsync(1);
  page.hidden = true;
  lookAgain();
  await settle();
  expect(acts()).toHaveLength(3);
  page.hidden = false;
  lookAgain();
  await waitFor(() => expect(pushToken()).toBe(TOKENS[0]));
});

test('a slow worker is awaited in the background, but not by a signed-out page', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const slow = async (meanwhile: () => void) => {
    const starting = Promise.withResolvers<typeof registration>();
    vi.stubGlobal('navigator', { serviceWorker: { ...serviceWorker, ready: starting.promise } });
    const enabling = enablePush();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await enabling).toBe('failed');
    meanwhile();
    starting.resolve(registration);
  };
  await slow(forgetSessionToken);
  await settle();
  expect(world.asked).toEqual([]);
  saveSessionToken('session 1');
  await slow(() => undefined);
  await waitFor(() => expect(pushToken()).toBe(TOKENS[0]));
});

test('a test notice to a lost subscription switches push off here; other failures do not', async () => {
  await enablePush();
  world.refusals = { push_test: 'push_service_down' };
  expect(refusalCode(await sendTestPush().catch((no: unknown) => no))).toBe('push_service_down');
  expect(current()).toBeDefined();
  world.refusals = { push_test: 'push_gone' };
  expect(refusalCode(await sendTestPush().catch((no: unknown) => no))).toBe('push_gone');
  expect(current()).toBe(undefined);
  expect(acts().at(-1)).toBe('push_unregister');
});
