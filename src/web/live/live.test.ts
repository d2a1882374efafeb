import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { publicId } from '#contract/base/ids.ts';
import { messagePatches } from '#web/features/messages/livePatches.ts';
import { isNews } from '#web/features/messages/incoming/useIncoming.ts';
import { forgetSessionToken, saveSessionToken } from '#web/browser/session.ts';
import { startLive } from '#web/live/live.ts';
import { signOut } from '#web/api/user.ts';

type Line = {
  since: string | null;
  say: (position: number, event: object) => void;
  write: (position: number, kind: string, data: string) => void;
};

let lines: Line[] = [];
let refusal: string | undefined;
let stops: (() => void)[] = [];

/** The globals of a page; locks and channels are Node's own. */
function aPage(): void {
  const page = Object.assign(new EventTarget(), { hidden: false, querySelector: () => null });
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('localStorage', undefined);
  vi.stubGlobal('sessionStorage', undefined);
  vi.stubGlobal('fetch', async (_address: string, { body, signal }: RequestInit) => {
    if (refusal !== undefined) {
      return Response.json({ code: 0, error: { type: refusal, facts: {} } }, { status: 401 });
    }
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    signal?.addEventListener('abort', () => void writer.abort().catch(() => undefined));
    const write: Line['write'] = (position, kind, data) => {
      const text = `id: ${position}\nevent: ${kind}\ndata: ${data}\n\n`;
      void writer.write(new TextEncoder().encode(text)).catch(() => undefined);
    };
    lines.push({
      since: (body as URLSearchParams).get('since'),
      say: (position, event) => {
        write(position, 'kind' in event ? String(event.kind) : 'reset', JSON.stringify(event));
      },
      write,
    });
    return new Response(readable, { headers: { date: new Date().toUTCString() } });
  });
}

beforeEach(() => {
  lines = [];
  stops = [];
  refusal = undefined;
  aPage();
});
afterEach(async () => {
  forgetSessionToken();
  for (const stop of stops) stop();
  await waitFor(async () => expect((await navigator.locks.query()).held).toEqual([]));
  vi.unstubAllGlobals();
});

function aTab({ sees = false, user = 'ani' } = {}) {
  const receivedEvents: string[] = [];
  const unseen: string[] = [];
  const client = new QueryClient();
  const stop = startLive({
    client,
    userId: user,
    patches: [messagePatches],
    alerts: [
      {
        kind: 'message.received',
        idOf: ({ id }) => id,
        isNews: ({ id }, serverNow) => isNews(id, serverNow),
        onEvent: ({ peer }) => {
          receivedEvents.push(peer);
          return sees;
        },
        onUnseen: ({ peer }) => void unseen.push(peer),
      },
      {
        kind: 'support.message',
        idOf: ({ id }) => id,
        isNews: () => true,
        onEvent: ({ name }) => {
          receivedEvents.push(name);
          return sees;
        },
        onUnseen: ({ name }) => void unseen.push(name),
      },
    ],
  });
  stops.push(stop);
  return { receivedEvents, unseen, client, stop };
}

function messageId(at: number): string {
  const time = at.toString(16).padStart(12, '0');
  return publicId('message', `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000001`);
}

const received = (peer: string, at = Date.now()) => ({
  kind: 'message.received',
  id: messageId(at),
  token_id: `tok_${'0'.repeat(26)}`,
  peer,
  direction: 'in',
  status: 'received',
  peer_name: null,
  preview: 'Halo',
});

const theLine = (index: number): Promise<Line> =>
  waitFor(() => {
    const line = lines[index];
    if (!line) throw new Error(`no line ${index} yet`);
    return line;
  });

/** The next message of this kind between the tabs of Ani's browser, after all of them have received it. */
function theWord(kind: string): Promise<object> {
  const listener = new BroadcastChannel('kabari-live ani');
  return new Promise((resolve) => {
    listener.addEventListener('message', ({ data }) => {
      if (data.kind !== kind) return;
      listener.close();
      // The tabs receive it in the same turn of the event loop or in the next.
      setImmediate(() => setImmediate(() => setImmediate(() => resolve(data))));
    });
  });
}

test('one tab per browser holds the stream and relays it to the others', async () => {
  const first = aTab();
  const line = await theLine(0);
  const second = aTab();
  line.say(1, received('6281234567890'));
  await waitFor(() => {
    expect(first.receivedEvents).toEqual(['6281234567890']);
    expect(second.receivedEvents).toEqual(['6281234567890']);
  });
  expect(lines).toHaveLength(1);
});

test('another tab continues at the same position when the tab with the stream closes', async () => {
  const first = aTab();
  const line = await theLine(0);
  const second = aTab();
  line.say(41, received('6281234567890'));
  await waitFor(() => expect(second.receivedEvents).toHaveLength(1));
  first.stop();
  const next = await theLine(1);
  expect(next.since).toBe('41');
  next.say(42, received('6281234567891'));
  await waitFor(() => expect(second.receivedEvents).toHaveLength(2));
  expect(first.receivedEvents).toHaveLength(1);
});

test('a later tab takes over without refetching everything', async () => {
  const first = aTab();
  (await theLine(0)).say(7, received('6281234567890'));
  await waitFor(() => expect(first.receivedEvents).toHaveLength(1));
  const announced = theWord('position');
  aTab();
  expect(await announced).toMatchObject({ position: 7 });
  first.stop();
  expect((await theLine(1)).since).toBe('7');
});

test('an unseen message causes one notification, however many tabs there are', async () => {
  const first = aTab();
  const line = await theLine(0);
  const second = aTab();
  line.say(1, received('6281234567890'));
  await waitFor(() => expect(first.unseen).toEqual(['6281234567890']));
  expect(second.unseen).toEqual([]);
});

test('a message visible in another tab causes no notification', async () => {
  const first = aTab();
  const line = await theLine(0);
  const second = aTab({ sees: true });
  const announced = theWord('seen');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  line.say(1, received('6281234567890'));
  await announced;
  expect([first.receivedEvents, second.receivedEvents]).toEqual([
    ['6281234567890'],
    ['6281234567890'],
  ]);
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
  expect(first.unseen).toEqual([]);
});

test('messages missed during a disconnect are shown without a sound', async () => {
  const tab = aTab();
  tab.client.setQueryData(['message_list', {}], { rows: [] });
  const line = await theLine(0);
  line.say(1, received('6281234567890', Date.now() - 120_000));
  line.say(2, received('6281234567891'));
  await waitFor(() => expect(tab.receivedEvents).toEqual(['6281234567891']));
  await waitFor(() =>
    expect(tab.client.getQueryState(['message_list', {}])?.isInvalidated).toBe(true),
  );
});

test('a tab of a previous user receives nothing', async () => {
  const ani = aTab();
  const line = await theLine(0);
  const budi = aTab({ user: 'budi' });
  line.say(1, received('6281234567890'));
  await waitFor(() => expect(ani.receivedEvents).toHaveLength(1));
  line.say(2, received('6281234567891'));
  await waitFor(() => expect(ani.receivedEvents).toHaveLength(2));
  expect(budi.receivedEvents).toEqual([]);
});

test('an invalid frame is ignored, and the next one is handled', async () => {
  const tab = aTab();
  const known = { rows: [{ id: messageId(0), status: 'sent' }] };
  tab.client.setQueryData(['message_list', {}], known);
  const line = await theLine(0);
  const event = {
    ...received('6281234567890', 0),
    kind: 'message.changed',
    direction: 'out',
    status: 'delivered',
  };
  line.say(1, { ...event, kind: 'message.vanished' });
  line.say(2, { ...event, status: 'teleported' });
  line.write(3, 'message.changed', '{"kind":');
  line.write(4, 'message.accepted', JSON.stringify(event));
  line.say(5, received('6281234567891'));
  await waitFor(() => expect(tab.receivedEvents).toEqual(['6281234567891']));
  expect(tab.client.getQueryData(['message_list', {}])).toEqual(known);
});

test('a reset frame makes all live queries stale', async () => {
  const tab = aTab();
  tab.client.setQueryData(['thread', 'tok', '62811'], { rows: [] });
  tab.client.setQueryData(['user'], {});
  const line = await theLine(0);
  const stale = (key: string[]) => tab.client.getQueryState(key)?.isInvalidated;
  line.write(90, 'reset', '90');
  await waitFor(() => expect(stale(['thread', 'tok', '62811'])).toBe(true));
  expect(stale(['user'])).toBe(false);
  expect(tab.receivedEvents).toEqual([]);
});

test('a reloaded page continues at its position, unless the user has changed', async () => {
  saveSessionToken('a session');
  const ani = aTab();
  (await theLine(0)).say(12, received('6281234567890'));
  await waitFor(() => expect(ani.receivedEvents).toHaveLength(1));
  window.dispatchEvent(new Event('pagehide'));
  ani.stop();
  aTab({ user: 'budi' });
  expect((await theLine(1)).since).toBe(null);
  aTab();
  expect((await theLine(2)).since).toBe('12');
});

test('the end of the session ends the stream, and the user is fetched again', async () => {
  refusal = 'not_signed_in';
  const fetches = vi.spyOn(globalThis, 'fetch');
  const tab = aTab();
  tab.client.setQueryData(['user'], { name: 'Ani' });
  await waitFor(() => expect(tab.client.getQueryData(['user'])).toBe(undefined));
  await waitFor(async () => expect((await navigator.locks.query()).held).toEqual([]));
  expect(fetches).toHaveBeenCalledTimes(1);
});

test('signing out ends the stream and pending requests before the session ends', async () => {
  const asked: string[] = [];
  const tab = aTab();
  (await theLine(0)).say(1, received('6281234567890'));
  await waitFor(() => expect(tab.receivedEvents).toHaveLength(1));
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    asked.push(String((init.body as URLSearchParams).get('act')));
    return asked.at(-1) === 'user_logout' ? Response.json({ code: 1 }) : fetch(address, init);
  });
  const assign = vi.fn<(address: string) => void>();
  Object.assign(window, { location: { assign } });
  let isGivenUp = false;
  const home = tab.client.fetchQuery({
    queryKey: ['home'],
    queryFn: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          isGivenUp = asked.length === 0;
          reject(new Error('given up'));
        });
      }),
  });
  home.catch(() => undefined);
  await signOut();
  expect(assign).toHaveBeenCalledExactlyOnceWith('/auth/login');
  expect(isGivenUp).toBe(true);
  expect((await navigator.locks.query()).held).toEqual([]);
  expect(asked).toEqual(['user_logout']);
});
