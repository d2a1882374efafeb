import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { listTemplates } from '#contract/messages/templates.ts';
import { livePatches } from '#web/app/livePatches.ts';
import { listKey } from '#web/ui/table/list/useList.ts';
import { createLiveCache, type LiveCache } from '#web/live/cache.ts';

let page: EventTarget & { hidden: boolean };
let client: QueryClient;
let cache: LiveCache;

beforeEach(() => {
  vi.useFakeTimers();
  page = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal('document', page);
  client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
  cache = createLiveCache(client, livePatches);
});
afterEach(() => {
  cache.stop();
  client.clear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const token = { id: `tok_${'0'.repeat(26)}`, name: 'Toko' };
const facts = { id: `msg_${'0'.repeat(26)}`, token_id: token.id, peer: '6281234567890' } as const;
const changed = (status: 'sent' | 'delivered' | 'read' | 'failed') =>
  ({ kind: 'message.changed', ...facts, direction: 'out', status }) as const;

/** A query on screen; tells how often the server was asked. */
function onScreen(queryKey: readonly unknown[], data: unknown) {
  const fetched = vi.fn(async () => data);
  client.setQueryData(queryKey, data);
  const observer = new QueryObserver(client, { queryKey, queryFn: fetched });
  observer.subscribe(() => undefined);
  return fetched;
}
const shown = (key: readonly unknown[]) => client.getQueryData(key);

test('a tick rises at once wherever its message is shown, and the lists are asked again', async () => {
  const row = { id: facts.id, status: 'sent' };
  const list = onScreen(['message_list', { page: 0 }], { rows: [row] });
  const thread = onScreen(['thread', token.id, facts.peer], { rows: [row], ended: true });
  cache.apply(changed('delivered'));
  expect(shown(['message_list', { page: 0 }])).toEqual({ rows: [{ ...row, status: 'delivered' }] });
  expect(shown(['thread', token.id, facts.peer])).toMatchObject({
    rows: [{ status: 'delivered' }],
  });
  await vi.advanceTimersByTimeAsync(400);
  expect(list).toHaveBeenCalledTimes(1);
  expect(thread).not.toHaveBeenCalled();
});

test('a failure is asked about: why it failed is not in the event', async () => {
  const thread = onScreen(['thread', token.id, facts.peer], { rows: [] });
  const other = onScreen(['thread', token.id, '6289999999999'], { rows: [] });
  const detail = onScreen(['one_message', facts.id], { id: facts.id, status: 'sending' });
  cache.apply(changed('failed'));
  await vi.advanceTimersByTimeAsync(400);
  expect(thread).toHaveBeenCalledTimes(1);
  expect(detail).toHaveBeenCalledTimes(1);
  expect(other).not.toHaveBeenCalled();
});

test('a message that got another time, and templates, are asked for wherever they are shown', async () => {
  const list = onScreen(['message_list', { page: 0 }], { rows: [] });
  const thread = onScreen(['thread', token.id, facts.peer], { rows: [] });
  const detail = onScreen(['one_message', facts.id], { id: facts.id, status: 'scheduled' });
  const templates = onScreen(listKey(listTemplates), { rows: [], total: 0 });
  cache.apply({ kind: 'message.rescheduled', ...facts });
  await vi.advanceTimersByTimeAsync(400);
  for (const one of [list, thread, detail]) expect(one).toHaveBeenCalledTimes(1);
  expect(templates).not.toHaveBeenCalled();
  cache.apply({ kind: 'template.changed' });
  await vi.advanceTimersByTimeAsync(400);
  expect(templates).toHaveBeenCalledTimes(1);
  expect(list).toHaveBeenCalledTimes(1);
});

test('a number that was named is asked for again, also where one of its messages is open', async () => {
  const lists = [
    onScreen(['message_list', { page: 0 }], { rows: [] }),
    onScreen(['conversations', 'list', ''], {}),
  ];
  const detail = onScreen(['one_message', facts.id], { id: facts.id, peer_name: null });
  cache.apply({ kind: 'conversation.changed', peer: facts.peer });
  await vi.advanceTimersByTimeAsync(400);
  for (const one of [...lists, detail]) expect(one).toHaveBeenCalledTimes(1);
});

test('the saldo is what the server says, at once and without asking', async () => {
  const summary = onScreen(['saldo_summary'], { available: 1_000, held: 0, message_price: 150 });
  const statement = onScreen(['saldo_mutation_list', {}], { rows: [] });
  cache.apply({ kind: 'saldo.changed', available: rupiah(850), held: rupiah(150) });
  expect(shown(['saldo_summary'])).toEqual({ available: 850, held: 150, message_price: 150 });
  await vi.advanceTimersByTimeAsync(400);
  expect(summary).not.toHaveBeenCalled();
  expect(statement).toHaveBeenCalledTimes(1);
});

test('a tab that nobody looks at asks for the unread count only, and for the rest when it is seen', async () => {
  const list = onScreen(['message_list', {}], { rows: [] });
  const unread = onScreen(['conversations', 'unread'], { total: 0 });
  page.hidden = true;
  cache.apply({
    kind: 'message.received',
    ...facts,
    direction: 'in',
    status: 'received',
    peer_name: null,
    preview: 'Halo',
  });
  await vi.advanceTimersByTimeAsync(400);
  expect(unread).toHaveBeenCalledTimes(1);
  expect(list).not.toHaveBeenCalled();
  page.hidden = false;
  page.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(0);
  expect(list).toHaveBeenCalledTimes(1);
});

test('after too much was missed everything is asked again, and nothing that is not ours', async () => {
  const fetched = [
    onScreen(['token_list', {}], {}),
    onScreen(['topup_list', {}], {}),
    onScreen(['home_summary'], {}),
    onScreen(['conversations', 'list', ''], {}),
  ];
  const user = onScreen(['user'], {});
  cache.reset();
  await vi.advanceTimersByTimeAsync(400);
  for (const one of fetched) expect(one).toHaveBeenCalledTimes(1);
  expect(user).not.toHaveBeenCalled();
});
