import type { Page, Worker } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { logoutUser } from '#contract/accounts.ts';
import { pushConfig, PushToken, registerPush } from '#contract/push.ts';
import { startPushService } from '#tests/push/push-service.ts';
import { newReceiver } from '#tests/push/receiver.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import {
  answerFrom,
  ask,
  type Customer,
  newSender,
  type Sender,
  signIn,
  signUp,
} from './support/portal.ts';
import { givePush, shownBy, noticesOnScreen, storedToken, workerOf } from './support/push.ts';
import { setUpJourney } from './support/stage.ts';
import { arrivesAt } from './support/steps.ts';

const service = await startPushService();
afterAll(() => service.close());
const journey = setUpJourney({ SIMULATOR_SPEED: '0', PUSH_SERVICES: service.origin }, 'whole');

const peer = '62800000021';
let shop: Promise<{ who: Customer; sender: Sender }> | undefined;

async function ready(address: string): Promise<{ session: string; sender: Sender }> {
  shop ??= (async () => {
    const who = await signUp(address, { name: 'Batik Kenanga', phone: '6281234568001' });
    const sender = await newSender(address, who, { name: 'Kasir', phone: '6281234568002' });
    return { who, sender };
  })();
  const { who, sender } = await shop;
  return { session: await signIn(address, { phone: who.phone, password: who.password }), sender };
}

/** Waits for the push token: the worker caches the whole app first, slowly on a loaded machine. */
const registered = (tab: Page): Promise<string> =>
  waitFor(async () => (await tab.evaluate(storedToken))?.token ?? false, {
    what: 'push is registered',
    patienceMs: 180_000,
  });

/** Subscribes a session without a browser. @returns its endpoint. */
async function listen(address: string, session: string): Promise<string> {
  const { vapid_key } = await ask(address, pushConfig, {}, session);
  const endpoint = service.subscribe(vapid_key);
  const { keys } = newReceiver();
  await ask(address, registerPush, { endpoint, ...keys, vapid_key }, session);
  return endpoint;
}

const postsTo = (endpoint: string): number =>
  service.posts.filter((post) => post.endpoint === endpoint).length;

/** Sends the worker the browser's event for a click on a notice with this address. */
const click = (worker: Worker, url: unknown, action = ''): Promise<void> =>
  worker.evaluate(
    async ([to, pressed]) => {
      const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
      await registration.showNotification('Uji', { tag: 'klik', data: { url: to } });
      const [notification] = await registration.getNotifications({ tag: 'klik' });
      const Clicked = (globalThis as unknown as { NotificationEvent: typeof Event })
        .NotificationEvent;
      const init = { notification, action: pressed } as EventInit;
      globalThis.dispatchEvent(new Clicked('notificationclick', init));
    },
    [url, action] as const,
  );

journey(
  'a message is announced once: by a visible page, otherwise by a notice with its sender',
  async ({ product: { address }, person }) => {
    const { session, sender } = await ready(address);
    const ani = await person({ session, notices: true });
    const push = await givePush(ani.context, service);
    const tab = await ani.open();
    await tab.goto(`${address}/`);
    const token = await registered(tab);
    const worker = await workerOf(ani.context, tab);
    expect(PushToken().safeParse(token).success).toBe(true);

    // Every later call carries it, and it survives a restart.
    const calling = tab.waitForRequest((request) => /act=home/.test(request.postData() ?? ''));
    await tab.reload();
    await calling;
    await tab.getByRole('heading', { name: 'Beranda' }).click();
    await waitFor(async () => expect((await tab.evaluate(storedToken))?.token).toBe(token));
    const later = tab.waitForRequest((request) => (request.postData() ?? '').includes(token));
    await tab.getByRole('link', { name: 'Pesan', exact: true }).first().click();
    await later;

    // The stream and the push bring the same visible message, which is announced once.
    const phone = await ani.open('/simulator');
    await push.connect(phone);
    await tab.bringToFront();
    await answerFrom(address, peer, { sender, text: 'Apakah masih ada stok?' });
    await waitFor(() => expect(push.arrived.length).toBe(1));
    await waitFor(async () => expect(await shownBy(tab)).toHaveLength(1));
    expect(await shownBy(worker)).toEqual([]);
    await waitFor(() =>
      expect(ani.observed.filter(({ kind }) => kind === 'sound')).toHaveLength(1),
    );

    await tab.close();
    await answerFrom(address, peer, { sender, text: 'Rahasia: warna marun' });
    await waitFor(() => expect(push.arrived.length).toBe(2));
    await waitFor(async () => expect(await shownBy(worker)).toHaveLength(1));
    expect((await shownBy(worker))[0]).toEqual({
      title: 'Pesan baru dari +62 800-0000-21',
      body: 'Pesan baru',
      tag: expect.stringMatching(/^msg_/),
      icon: `${address}/favicon-192.png`,
      url: `/message-history?view=percakapan&open=${sender.id}&peer=${peer}`,
    });
    expect(push.arrived.join()).not.toContain('Rahasia');
  },
);

journey(
  'a clicked notice opens its conversation, and never leaves our pages',
  async ({ product: { address }, person }) => {
    const { session, sender } = await ready(address);
    const budi = await person({ session, notices: true });
    await givePush(budi.context, service);
    const tab = await budi.open('/billing');
    const worker = await workerOf(budi.context, tab);
    await tab.getByRole('heading', { name: 'Tagihan', level: 1 }).waitFor();
    const other = await budi.open('/saldo');
    await other.getByRole('heading', { name: 'Saldo', exact: true }).first().waitFor();

    await click(worker, `/message-history?view=percakapan&open=${sender.id}&peer=${peer}`);
    await waitFor(() =>
      expect([tab, other].filter((one) => /percakapan/.test(one.url())).length).toBe(1),
    );
    const there = /percakapan/.test(tab.url()) ? tab : other;
    await there.getByRole('region', { name: /^Percakapan dengan/ }).waitFor();
    await click(worker, there.url().slice(address.length));
    await waitFor(async () => expect(await noticesOnScreen(worker)).toBe(0));

    // Hostile links, and buttons that we never added, lead nowhere; a valid one still works afterwards.
    const before = [tab.url(), other.url()];
    for (const hostile of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      `${address}@evil.example/`,
      '/auth/login',
      42,
    ]) {
      await click(worker, hostile);
    }
    await click(worker, '/token', 'tombol');
    expect([tab.url(), other.url()]).toEqual(before);
    await click(worker, '/token');
    await waitFor(() =>
      expect([tab, other].filter((one) => new URL(one.url()).pathname === '/token').length).toBe(1),
    );
    expect(budi.context.pages()).toHaveLength(2);
  },
);

journey(
  'a forged push shows no foreign picture, opens the inbox and sets no invalid badge',
  async ({ product: { address }, person }) => {
    const { session } = await ready(address);
    const cici = await person({ session, notices: true });
    const push = await givePush(cici.context, service);
    const tab = await cici.open('/');
    const worker = await workerOf(cici.context, tab);
    const phone = await cici.open('/simulator');
    await push.connect(phone);
    await tab.close();
    await worker.evaluate(() => {
      const own = { badges: [] as unknown[] };
      Object.assign(globalThis, own);
      const { navigator } = globalThis;
      navigator.setAppBadge = async (count) => void own.badges.push(count);
      navigator.clearAppBadge = async () => void own.badges.push('clear');
    });
    const badges = () =>
      worker.evaluate(() => (globalThis as unknown as { badges: unknown[] }).badges);
    const forged = (app_badge: string, url: string) => ({
      web_push: 8030,
      notification: {
        title: '<b>Budi</b>',
        body: 'Halo',
        icon: 'https://evil.example/i.png',
        image: 'https://evil.example/i.png',
        app_badge,
      },
      data: { url, id: 'msg_palsu' },
      fcmOptions: { link: url },
    });
    await push.forge(forged('7', 'https://evil.example/'));
    await waitFor(async () =>
      expect(await shownBy(worker)).toEqual([
        {
          title: '<b>Budi</b>',
          body: 'Halo',
          tag: 'msg_palsu',
          icon: `${address}/favicon-192.png`,
          url: '/message-history',
        },
      ]),
    );
    await waitFor(async () => expect(await badges()).toEqual([7]));
    await push.forge(forged('-1e9', '/saldo'));
    await waitFor(async () => expect((await shownBy(worker))[1]).toMatchObject({ url: '/saldo' }));
    await push.forge(forged('0', '/saldo'));
    await waitFor(async () => expect(await badges()).toEqual([7, 'clear']));
    await push.forge('bukan sebuah pesan');
    await waitFor(async () =>
      expect(await shownBy(worker)).toContainEqual(
        expect.objectContaining({ title: 'Kabari', body: 'Pesan baru', url: '/message-history' }),
      ),
    );
  },
);

journey(
  'the offer of notices disappears once the browser’s settings allow them',
  async ({ product: { address }, person }) => {
    const { session } = await ready(address);
    const eka = await person({ session });
    const tab = await eka.open();
    await tab.goto(`${address}/message-history`);
    const offer = tab.getByRole('button', { name: 'Aktifkan pemberitahuan' });
    await offer.waitFor();
    await eka.context.grantPermissions(['notifications'], { origin: address });
    await offer.waitFor({ state: 'detached' });
  },
);

journey(
  'signing out does not wait for hanging requests, and still removes everything',
  async ({ product: { address }, person }) => {
    const { session } = await ready(address);
    const dedi = await person({ session, notices: true });
    await givePush(dedi.context, service);
    const tab = await dedi.open();
    await tab.goto(`${address}/saldo`);
    await registered(tab);
    await tab.route('**/api', async (route) => {
      const hangs = /act=push_unregister/.test(route.request().postData() ?? '');
      if (!hangs) await route.fallback();
    });
    await tab.getByRole('button', { name: 'Keluar' }).click();
    await arrivesAt(tab, '/auth/login');
    await waitFor(async () =>
      expect(await tab.evaluate(async () => (await indexedDB.databases()).length)).toBe(0),
    );
    const subscribed = async () => {
      const { pushManager } = await navigator.serviceWorker.ready;
      return (await pushManager.getSubscription()) !== null;
    };
    await waitFor(async () => expect(await tab.evaluate(subscribed)).toBe(false));
  },
);

journey(
  'signing out leaves only the app itself in the browser',
  async ({ product: { address }, person }) => {
    const { session, sender } = await ready(address);
    const dedi = await person({ session, notices: true });
    const push = await givePush(dedi.context, service);
    const tab = await dedi.open();
    await tab.goto(`${address}/message-history`);
    await registered(tab);
    await tab.goto(`${address}/saldo`);
    await tab.getByRole('heading', { name: 'Saldo', exact: true }).first().waitFor();
    await tab.getByRole('button', { name: 'Keluar' }).click();
    await arrivesAt(tab, '/auth/login');
    await tab.getByRole('button', { name: 'Masuk', exact: true }).waitFor();

    const left = async () => {
      const names = await caches.keys();
      const storage = await Promise.all(
        names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)),
      );
      return {
        local: Object.keys(localStorage),
        tab: Object.keys(sessionStorage),
        databases: (await indexedDB.databases()).map(({ name }) => name),
        files: storage.flat().map((url) => new URL(url).pathname),
        subscribed: await (await navigator.serviceWorker.ready).pushManager.getSubscription(),
      };
    };
    // The page does not wait for the end of the navigation it requested.
    const strange = async () => {
      const { local, tab: own, files, ...rest } = await tab.evaluate(left);
      return {
        local: local.filter((name) => !/^(?:auth-(?:token|redirect)|ui-)/.test(name)),
        own: own.filter((name) => !/^ui-|^tsr-scroll/.test(name)),
        files: files.filter(
          (path) => !/^\/(?:$|assets\/|favicon|manifest\.webmanifest$)/.test(path),
        ),
        ...rest,
      };
    };
    const nothing = { local: [], own: [], files: [], databases: [], subscribed: null };
    await waitFor(async () => expect(await strange()).toEqual(nothing));

    const staying = await listen(address, (await ready(address)).session);
    const { session: ending } = await ready(address);
    const ended = await listen(address, ending);
    await ask(address, logoutUser, {}, ending);
    const before = push.arrived.length;
    await answerFrom(address, peer, { sender, text: 'Masih di sana?' });
    await waitFor(() => expect(postsTo(staying)).toBe(1));
    expect([postsTo(ended), push.arrived.length]).toEqual([0, before]);
  },
);
