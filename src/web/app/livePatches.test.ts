import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { listInvoices, getSubscription } from '#contract/billing.ts';
import { listCampaigns } from '#contract/campaigns.ts';
import { LiveEvent, type LiveKind } from '#contract/events.ts';
import { listMessages } from '#contract/messages.ts';
import { listOptouts } from '#contract/messages/optouts.ts';
import { listTemplates } from '#contract/messages/templates.ts';
import { listMutations } from '#contract/saldo.ts';
import { saldoSummary } from '#contract/saldo-summary.ts';
import { listTokens } from '#contract/tokens.ts';
import { userQuery } from '#web/api/user.ts';
import { livePatches } from '#web/app/livePatches.ts';
import { campaignKey } from '#web/features/campaigns/queryKeys.ts';
import { exportsKey } from '#web/features/exports/queryKeys.ts';
import {
  messageKey,
  quickRepliesKey,
  threadKey,
  viewsKey,
} from '#web/features/messages/queryKeys.ts';
import { supportUnreadQuery } from '#web/features/support/unread.ts';
import { listKey } from '#web/ui/table/list/useList.ts';
import { createLiveCache, type LiveCache } from '#web/live/live.ts';

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

function onScreen(queryKey: readonly unknown[], data: unknown) {
  const fetched = vi.fn(async () => data);
  client.setQueryData(queryKey, data);
  const observer = new QueryObserver(client, { queryKey, queryFn: fetched });
  observer.subscribe(() => undefined);
  return fetched;
}
const shown = (key: readonly unknown[]) => client.getQueryData(key);

test('raises a tick at once wherever its message is shown, and refetches the lists', async () => {
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

test('refetches a failed message, because the event has no reason', async () => {
  const thread = onScreen(['thread', token.id, facts.peer], { rows: [] });
  const other = onScreen(['thread', token.id, '6289999999999'], { rows: [] });
  const detail = onScreen(['one_message', facts.id], { id: facts.id, status: 'sending' });
  cache.apply(changed('failed'));
  await vi.advanceTimersByTimeAsync(400);
  expect(thread).toHaveBeenCalledTimes(1);
  expect(detail).toHaveBeenCalledTimes(1);
  expect(other).not.toHaveBeenCalled();
});

test('refetches a rescheduled message, and templates, wherever they are shown', async () => {
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

test('refetches a named number, also where one of its messages is open', async () => {
  const lists = [
    onScreen(['message_list', { page: 0 }], { rows: [] }),
    onScreen(['conversations', 'list', ''], {}),
  ];
  const detail = onScreen(['one_message', facts.id], { id: facts.id, peer_name: null });
  cache.apply({ kind: 'conversation.changed', peer: facts.peer });
  await vi.advanceTimersByTimeAsync(400);
  for (const one of [...lists, detail]) expect(one).toHaveBeenCalledTimes(1);
});

test('sets the saldo from the event without a request', async () => {
  const summary = onScreen(['saldo_summary'], { available: 1_000, held: 0, message_price: 150 });
  const statement = onScreen(['saldo_mutation_list', {}], { rows: [] });
  cache.apply({ kind: 'saldo.changed', available: rupiah(850), held: rupiah(150) });
  expect(shown(['saldo_summary'])).toEqual({ available: 850, held: 150, message_price: 150 });
  await vi.advanceTimersByTimeAsync(400);
  expect(summary).not.toHaveBeenCalled();
  expect(statement).toHaveBeenCalledTimes(1);
});

test('refetches only the unread count in a hidden tab, and the rest when it becomes visible', async () => {
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

test('refetches all live queries after a gap, and no others', async () => {
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

const campaign = `cmp_${'0'.repeat(26)}`;

const screens = {
  messages: [...listKey(listMessages), { page: 0 }],
  message: messageKey(facts.id),
  otherMessage: messageKey(`msg_${'1'.repeat(26)}`),
  thread: threadKey(token.id, facts.peer),
  otherThread: threadKey(token.id, '6289999999999'),
  conversations: ['conversations', 'list', ''],
  optouts: listKey(listOptouts),
  views: viewsKey,
  quickReplies: quickRepliesKey,
  tokens: listKey(listTokens),
  templates: listKey(listTemplates),
  campaigns: listKey(listCampaigns),
  campaign: [...campaignKey, campaign],
  otherCampaign: [...campaignKey, `cmp_${'1'.repeat(26)}`],
  exports: exportsKey,
  webhooks: ['webhooks', token.id],
  saldo: [saldoSummary.name],
  mutations: listKey(listMutations),
  topups: ['topups', 'recent'],
  plan: [getSubscription.name],
  invoices: listKey(listInvoices),
  support: supportUnreadQuery.queryKey,
  home: ['home'],
  user: userQuery.queryKey,
  sessions: ['sessions'],
  operators: ['operator_topup_list'],
} satisfies Record<string, readonly unknown[]>;
type Screen = keyof typeof screens;

const received = { ...facts, direction: 'in', status: 'received' };
const account = `acc_${'0'.repeat(26)}`;
const line = {
  id: `sup_${'0'.repeat(26)}`,
  seq: 1,
  side: 'operator',
  name: 'Rina',
  at: new Date(),
};

type Effect = { facts?: object; refetches: readonly Screen[] };

const effects: Record<LiveKind, Effect> = {
  'message.accepted': {
    facts: { ...facts, direction: 'out', status: 'queued' },
    refetches: ['messages', 'thread', 'conversations', 'webhooks', 'plan', 'home'],
  },
  'message.changed': {
    facts: changed('delivered'),
    refetches: ['messages', 'message', 'conversations', 'webhooks', 'home'],
  },
  'message.received': {
    facts: { ...received, peer_name: null, preview: 'STOP' },
    refetches: ['messages', 'thread', 'conversations', 'optouts', 'webhooks', 'home'],
  },
  'message.edited': {
    facts: received,
    refetches: ['messages', 'message', 'thread', 'conversations', 'webhooks'],
  },
  'message.revoked': {
    facts: received,
    refetches: ['messages', 'message', 'thread', 'conversations', 'webhooks'],
  },
  'message.rescheduled': { facts, refetches: ['messages', 'message', 'thread', 'conversations'] },
  'view.changed': { facts: { user_id: `usr_${'0'.repeat(26)}` }, refetches: ['views'] },
  'conversation.read': { facts, refetches: ['conversations', 'home'] },
  'conversation.changed': {
    facts,
    refetches: ['messages', 'message', 'otherMessage', 'conversations'],
  },
  'optout.added': { facts: { ...facts, source: 'reply' }, refetches: ['optouts', 'webhooks'] },
  'optout.removed': { facts, refetches: ['optouts'] },
  'token.changed': {
    facts,
    refetches: ['tokens', 'campaign', 'otherCampaign', 'conversations', 'webhooks', 'home'],
  },
  'campaign.changed': {
    facts: { campaign_id: campaign },
    refetches: ['campaigns', 'campaign', 'home'],
  },
  'export.changed': { refetches: ['exports'] },
  'template.changed': { refetches: ['templates'] },
  'quick_reply.changed': { refetches: ['quickReplies'] },
  'webhook.changed': { facts, refetches: ['webhooks', 'home'] },
  'saldo.changed': { facts: { available: 1, held: 0 }, refetches: ['mutations', 'plan'] },
  'subscription.changed': {
    facts: { plan: 'usaha', status: 'active' },
    refetches: ['plan', 'invoices', 'home'],
  },
  'topup.changed': {
    facts: { topup_id: `TU-${'0'.repeat(26)}`, status: 'paid' },
    refetches: ['saldo', 'mutations', 'topups', 'webhooks', 'home'],
  },
  'broadcast.changed': { refetches: ['user'] },
  'invoice.changed': {
    facts: { invoice_id: `inv_${'0'.repeat(26)}`, status: 'paid' },
    refetches: ['plan', 'invoices', 'webhooks'],
  },
  'support.message': { facts: { account_id: account, ...line }, refetches: ['support'] },
  'support.changed': {
    facts: { account_id: account, status: 'open', customer_read: 1, operator_read: 1 },
    refetches: ['support'],
  },
  'support.typing': {
    facts: { account_id: account, side: 'operator', user_id: null, name: 'Rina' },
    refetches: [],
  },
};

test.each(Object.entries(effects))(
  '%s refetches the queries it makes stale, and no others',
  async (kind, { facts: eventFacts, refetches }) => {
    const fetches = Object.entries(screens).map(([name, key]) => ({
      name,
      fetched: onScreen(key, {}),
    }));
    cache.apply(LiveEvent().parse({ ...eventFacts, kind }));
    await vi.advanceTimersByTimeAsync(400);
    const names = fetches.filter(({ fetched }) => fetched.mock.calls.length > 0);
    expect(new Set(names.map(({ name }) => name))).toEqual(new Set(refetches));
  },
);

test.each([saldoSummary.name, 'home'])(
  'replaces an answer to %s that was in flight when the saldo changed',
  async (name) => {
    let read = { available: 1_000, held: 0 };
    const key = [name];
    const slow = async () => {
      const answer = read;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return answer;
    };
    new QueryObserver(client, { queryKey: key, queryFn: slow }).subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(50);
    read = { available: 850, held: 150 };
    cache.apply({ kind: 'saldo.changed', available: rupiah(850), held: rupiah(150) });
    await vi.advanceTimersByTimeAsync(400);
    expect(shown(key)).toEqual(read);
  },
);

test('refetches an operator’s notice in a hidden tab too', async () => {
  const user = onScreen(userQuery.queryKey, {});
  page.hidden = true;
  cache.apply({ kind: 'broadcast.changed' });
  await vi.advanceTimersByTimeAsync(400);
  expect(user).toHaveBeenCalledTimes(1);
});
