import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { threadKey } from '#web/features/messages/queryKeys.ts';

vi.mock('#web/browser/scheduling/nextTask.ts', () => ({
  nextTask: () => new Promise<void>((go) => setTimeout(go)),
}));

type SendRequest = { text: string; key: string };

const which = { tokenId: `tok_${'0'.repeat(26)}`, peer: '6281234567890' };
let requests: SendRequest[] = [];
let answers: (() => Response | Promise<Response>)[] = [];
let net: { onLine: boolean };
let isAway: boolean;
let client: QueryClient;
let stop = () => undefined as void;

function newStorage(): object {
  const storage: Record<string, string> = Object.create({
    getItem: (name: string) => storage[name] ?? null,
    setItem: (name: string, value: string) => void (storage[name] = value),
    removeItem: (name: string) => void delete storage[name],
  });
  return storage;
}

async function loadPage() {
  vi.resetModules();
  const page = await import('./sending.ts');
  const { resend } = await import('#web/api/outbox.ts');
  const { readUnsent } = await import('#web/api/unsent.ts');
  stop = page.startConversations(client);
  const sendText = (text: string) => page.sendTo(which, { text });
  return { sendText, resend, waiting: readUnsent };
}

function sent({ text }: SendRequest): Response {
  const message = {
    id: publicId('message', `01900000-0000-7000-8000-00000000000${requests.length}`),
    direction: 'out',
    token: { id: which.tokenId, name: 'Toko' },
    peer: which.peer,
    peer_name: null,
    type: 'text',
    excerpt: text,
    status: 'queued',
    price: 150,
    possible_duplicate: false,
    failure: null,
    created_at: new Date().toISOString(),
    scheduled_at: null,
    quoted: null,
    reactions: [],
    content: {
      type: 'text',
      caption: text,
      url: null,
      external: false,
      filename: null,
      name: null,
      phone: null,
    },
  };
  return Response.json({ code: 1, data: message });
}

const refused = () =>
  Response.json(
    { code: 0, error: { type: 'saldo_short', facts: { required: 150, available: 0 } } },
    { status: 402 },
  );
const lost = () => Promise.reject(new TypeError('Failed to fetch'));

beforeEach(() => {
  vi.useFakeTimers();
  requests = [];
  answers = [];
  net = { onLine: true };
  isAway = false;
  client = new QueryClient();
  client.setQueryData(threadKey(which.tokenId, which.peer), { rows: [], ended: true, readAt: 0 });
  vi.stubGlobal('navigator', net);
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', { querySelector: () => null });
  vi.stubGlobal('localStorage', newStorage());
  vi.stubGlobal('fetch', async (_address: string, { body }: RequestInit) => {
    const form = body as URLSearchParams;
    if (isAway) return lost();
    if (form.get('act') === 'app_config') return Response.json({ code: 1 });
    requests.push({ text: form.get('text') ?? '', key: form.get('key') ?? '' });
    const answer = answers.shift();
    return answer ? answer() : sent(requests.at(-1)!);
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const inThread = () =>
  client
    .getQueryData<{ rows: { excerpt: string }[] }>(threadKey(which.tokenId, which.peer))
    ?.rows.map(({ excerpt }) => excerpt);

test('texts arrive in the order they were written, and show in the thread', async () => {
  const { sendText, waiting } = await loadPage();
  for (const text of ['satu', 'dua', 'tiga']) sendText(text);
  await vi.advanceTimersByTimeAsync(100);
  expect(requests.map(({ text }) => text)).toEqual(['satu', 'dua', 'tiga']);
  expect(inThread()).toEqual(['tiga', 'dua', 'satu']);
  expect(waiting()).toEqual([]);
});

test('a text that was sent while the thread was loading shows in it', async () => {
  const { sendText, waiting } = await loadPage();
  const queryKey = threadKey(which.tokenId, which.peer);
  client.removeQueries({ queryKey });
  const { promise, resolve } = Promise.withResolvers<object>();
  const loading = client.fetchQuery({ queryKey, queryFn: () => promise });
  sendText('halo');
  await vi.advanceTimersByTimeAsync(100);
  expect(waiting()).toEqual([]);
  resolve({ rows: [], ended: true, readAt: 0 });
  await loading;
  await vi.advanceTimersByTimeAsync(100);
  expect(inThread()).toEqual(['halo']);
});

test('a text whose response was lost is retried with the same key: it is sent and charged once', async () => {
  const { sendText } = await loadPage();
  answers = [lost];
  sendText('halo');
  await vi.advanceTimersByTimeAsync(2_500);
  expect(requests).toHaveLength(2);
  expect(requests[0]?.key).toBe(requests[1]?.key);
  expect(inThread()).toEqual(['halo']);
});

test('a text that failed twice keeps the reason, and its key, until it is resent', async () => {
  const { sendText, waiting, resend } = await loadPage();
  answers = [lost, lost];
  sendText('halo');
  await vi.advanceTimersByTimeAsync(2_500);
  expect(waiting()).toMatchObject([
    { body: { text: 'halo' }, why: expect.stringContaining('koneksi') },
  ]);
  resend(waiting()[0]!);
  await vi.advanceTimersByTimeAsync(100);
  expect(requests).toHaveLength(3);
  expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
  expect(inThread()).toEqual(['halo']);
});

test('texts written while the server is away wait, and are sent in order once it is back', async () => {
  const { sendText, waiting } = await loadPage();
  isAway = true;
  sendText('satu');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(waiting()).toMatchObject([{ why: expect.stringContaining('koneksi') }]);
  sendText('dua');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(waiting()[1]).not.toHaveProperty('why');
  isAway = false;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(requests.map(({ text }) => text)).toEqual(['satu', 'dua']);
});

test('after a refusal the next attempt is a new request: the old key would be refused again', async () => {
  const { sendText, waiting, resend } = await loadPage();
  answers = [refused];
  sendText('halo');
  await vi.advanceTimersByTimeAsync(100);
  expect(waiting()).toMatchObject([{ failed: true, code: 'saldo_short' }]);
  resend(waiting()[0]!);
  await vi.advanceTimersByTimeAsync(100);
  expect(requests).toHaveLength(2);
  expect(requests[0]?.key).not.toBe(requests[1]?.key);
});

test('a text waits while offline, and is sent once online', async () => {
  const { sendText } = await loadPage();
  net.onLine = false;
  sendText('nanti');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(requests).toEqual([]);
  net.onLine = true;
  window.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(100);
  expect(inThread()).toEqual(['nanti']);
});

test('a reload loses no text, and sends none twice', async () => {
  const { sendText } = await loadPage();
  answers = [() => new Promise<Response>(() => undefined)];
  sendText('tengah jalan');
  await vi.advanceTimersByTimeAsync(100);
  stop();
  await loadPage();
  await vi.advanceTimersByTimeAsync(100);
  expect(requests).toHaveLength(2);
  expect(requests[0]?.key).toBe(requests[1]?.key);
  expect(inThread()).toEqual(['tengah jalan']);
});

test('texts older than half a day are not sent automatically', async () => {
  net.onLine = false;
  const { sendText } = await loadPage();
  sendText('kemarin');
  stop();
  vi.setSystemTime(Date.now() + 13 * 3_600_000);
  net.onLine = true;
  await loadPage();
  await vi.advanceTimersByTimeAsync(100);
  expect(requests).toEqual([]);
});
