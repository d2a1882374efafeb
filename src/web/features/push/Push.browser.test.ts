import type { Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { fakeActs, type FakeActs } from '#tests/journeys/support/fake-acts.ts';
import { signUp } from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';

type Profile = { open: (path?: string) => Promise<Page>; wrongs: readonly string[] };
type Profiles = { open: (options: object) => Promise<Profile> };

type Browser = {
  permission: NotificationPermission;
  /** The person's answers to the browser's prompt, one per prompt. */
  answers?: readonly NotificationPermission[];
  failures?: number;
  supported?: boolean;
};

/** Runs in the page before its scripts: the browser's side of push, without service or worker. */
function installBrowser({ permission, answers = [], failures = 0, supported = true }: Browser) {
  let granted = permission;
  let questions = 0;
  let attempts = 0;
  const key = new Uint8Array(16).fill(1).buffer;
  let subscription: object | null = null;
  const subscribe = async ({ applicationServerKey }: PushSubscriptionOptionsInit) => {
    attempts += 1;
    if (attempts <= failures) throw new DOMException('no service', 'AbortError');
    subscription = {
      endpoint: 'https://push.example/1',
      options: { applicationServerKey },
      getKey: () => key,
      unsubscribe: async () => {
        subscription = null;
        return true;
      },
    };
    return subscription;
  };
  const pushManager = { getSubscription: async () => subscription, subscribe };
  const registration = { pushManager, scope: '/' };
  const serviceWorker = Object.assign(new EventTarget(), {
    ready: Promise.resolve(registration),
    getRegistration: async () => registration,
    register: async () => Promise.reject(new Error('no worker here')),
    startMessages: () => undefined,
    controller: null,
  });
  Object.defineProperty(navigator, 'serviceWorker', { value: serviceWorker });
  const notification = {
    get permission() {
      return granted;
    },
    requestPermission: async () => (granted = answers[questions++] ?? granted),
  };
  Object.defineProperty(window, 'Notification', { value: notification });
  if (supported) Object.defineProperty(window, 'PushManager', { value: class {} });
  else Reflect.deleteProperty(window, 'PushManager');
}

let customer: Promise<string> | undefined;

/** A customer with such a browser; push is answered by `acts`, everything else by the product. */
async function at(profiles: Profiles, path: string, browser: Browser, acts: FakeActs = {}) {
  const phone = `62857${String(Date.now() % 1e8).padStart(8, '0')}`;
  customer ??= signUp(inject('product'), { name: 'Batik Kenanga', phone }).then(
    (one) => one.session,
  );
  const { open, wrongs } = await profiles.open({
    session: await customer,
    expects: [/status of 422/],
  });
  const before = wrongs.length;
  const tab = await open();
  onTestFinished(async () => {
    await tab.evaluate(() => {
      localStorage.removeItem('kept:push-off');
      localStorage.removeItem('kept:notice-card-later');
      indexedDB.deleteDatabase('kabari');
    });
    await tab.close();
    expect(wrongs.slice(before)).toEqual([]);
  });
  const asked = await fakeActs(tab, {
    push_config: () => ({ vapid_key: 'key_1_of_the_push_server' }),
    push_register: () => ({ token: `psh_${'a'.repeat(43)}` }),
    push_unregister: () => ({}),
    ...acts,
  });
  await tab.addInitScript(installBrowser, browser);
  await tab.goto(inject('gallery') + path);
  return { tab, acts: () => asked.map(({ act }) => act) };
}

const settings = '/profile#pemberitahuan';
const here = (tab: Page) => tab.locator('#pemberitahuan');
const state = (tab: Page, sentence: RegExp) =>
  here(tab).getByRole('status').filter({ hasText: sentence }).waitFor();
const offer = (tab: Page) => tab.getByRole('region', { name: 'Pemberitahuan pesan baru' });
const enable = (tab: Page) => offer(tab).getByRole('button', { name: 'Aktifkan pemberitahuan' });

test('a browser that blocks notices, or does not support them, shows the remedy, and no button', async ({
  profiles,
}) => {
  const browsers = [
    [{ permission: 'denied' }, /^Browser memblokir pemberitahuan/],
    [{ permission: 'granted', supported: false }, /^Browser ini tidak mendukung pemberitahuan/],
  ] as const;
  for (const [browser, sentence] of browsers) {
    const { tab, acts } = await at(profiles, settings, browser);
    await state(tab, sentence);
    expect(await here(tab).getByRole('button').allInnerTexts()).toEqual(['Coba bunyi']);
    expect(acts()).toEqual([]);
  }
});

test('a failed push service is retried with a press, and a lost subscription is off', async ({
  profiles,
}) => {
  const browser: Browser = { permission: 'granted', failures: 1 };
  const gone = { refused: 'push_gone', message: 'Tidak lagi menerima.' };
  const { tab, acts } = await at(profiles, settings, browser, { push_test: () => gone });
  const button = (name: string) => here(tab).getByRole('button', { name });
  await state(tab, /^Layanan pemberitahuan browser ini belum dapat dihubungi/);
  await button('Coba lagi').click();
  await state(tab, /^Aktif di browser ini/);
  await button('Kirim uji coba').click();
  await state(tab, /^Dimatikan di browser ini/);
  expect(acts().at(-1)).toBe('push_unregister');
  const sentence = here(tab).getByRole('alert').filter({ hasText: 'Tidak lagi menerima.' });
  await sentence.waitFor();
  await button('Nyalakan di browser ini').click();
  await state(tab, /^Aktif di browser ini/);
  expect(await sentence.count()).toBe(0);
});

test('a dismissed offer of notices is not shown again', async ({ profiles }) => {
  const { tab, acts } = await at(profiles, '/message-history', { permission: 'default' });
  await offer(tab).getByRole('button', { name: 'Nanti saja' }).click();
  await offer(tab).waitFor({ state: 'detached' });
  await tab.locator('h1:focus').waitFor({ state: 'attached' });
  await tab.reload();
  await tab.getByRole('heading', { level: 1 }).waitFor();
  await tab.getByRole('table').waitFor();
  expect(await offer(tab).count()).toBe(0);
  expect(acts()).toEqual([]);
});

test('the offer stays when the browser’s prompt is left open, and disappears with a message when it is denied', async ({
  profiles,
}) => {
  const browser: Browser = { permission: 'default', answers: ['default', 'denied'] };
  const { tab, acts } = await at(profiles, '/message-history', browser);
  await enable(tab).click();
  await enable(tab).click();
  await tab.getByText(/^Browser memblokir pemberitahuan\. Izinkan lewat setelan/).waitFor();
  await offer(tab).waitFor({ state: 'detached' });
  expect(acts()).toEqual([]);
});
