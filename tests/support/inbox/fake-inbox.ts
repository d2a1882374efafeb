import type { Page } from 'playwright-core';
import { checkToken } from '#contract/accounts.ts';
import { fakeChanges, fakeRequests } from '#tests/journeys/support/fake-acts.ts';
import { publicId } from '#contract/base/ids.ts';
import type { LiveEvent } from '#contract/events.ts';
import type { QuickReply } from '#contract/messages/sending.ts';
import type { InboxRow, OperatorThread } from '#contract/operator/support.ts';
import type { SupportMessage } from '#contract/support.ts';

type Wire<T> = Omit<T, 'assignee'> & { assignee: { id: string; name: string } | null };

/** A customer's thread as on the server; derived values are computed on request. */
export type FakeThread = {
  row: Omit<Wire<InboxRow>, 'last' | 'unread'>;
  phone: string;
  customer: OperatorThread['customer'];
  lines: SupportMessage[];
  customer_read: number;
  operator_read: number;
};

/** The server's data of customer service. A test changes it, as time or others would. */
export type InboxWorld = {
  threads: FakeThread[];
  canned: QuickReply[];
  me: { id: string; name: string };
  operators: readonly { id: string; name: string }[];
  readonly asked: Record<string, string>[];
  readonly events: LiveEvent[];
  failing: RegExp | undefined;
  waiting: Promise<void> | undefined;
};

let made = 0;

export function fakeId(kind: 'account' | 'user' | 'support' | 'token'): string {
  made += 1;
  return publicId(kind, `019ab000-0000-7000-8000-${made.toString(16).padStart(12, '0')}`);
}

const PAGE = 10;
type Fields = Record<string, string>;

const rowOf = (world: InboxWorld, { row, lines, operator_read }: FakeThread) => {
  const last = lines.at(-1);
  return {
    ...row,
    assignee: row.assignee && { ...row.assignee, mine: row.assignee.id === world.me.id },
    last: {
      side: last?.side ?? 'customer',
      preview: last?.content.caption ?? '',
      at: last?.at ?? new Date(),
    },
    unread: lines.filter(({ side, seq }) => side === 'customer' && seq > operator_read).length,
  };
};

function threadOf(world: InboxWorld, thread: FakeThread) {
  const { row, phone, customer, lines, customer_read, operator_read } = thread;
  const { last: _, ...rest } = rowOf(world, thread);
  return {
    ...rest,
    phone,
    customer,
    customer_read,
    operator_read,
    last_seq: lines.at(-1)?.seq ?? 0,
    operator: row.assignee?.name ?? null,
    usual_answer_seconds: 300,
    hours: { open_now: true, opens_at: null, lines: ['Senin–Jumat 08.00–17.00 WIB'], note: '' },
    rating: { due: false, score: null },
    operators: world.operators,
  };
}

const filters: Record<string, (row: InboxRow) => boolean> = {
  waiting: ({ status, waiting_since }) => status === 'open' && waiting_since !== null,
  mine: ({ status, assignee }) => status === 'open' && assignee?.mine === true,
  open: ({ status }) => status === 'open',
  snoozed: ({ status }) => status === 'snoozed',
  closed: ({ status }) => status === 'closed',
};

function listed(world: InboxWorld, { filter = 'waiting', q, page = '0' }: Fields) {
  const rows = world.threads.map((thread) => rowOf(world, thread));
  const sought = q?.toLowerCase();
  const found = rows.filter((row) =>
    sought === undefined
      ? filters[filter]?.(row)
      : `${row.account_name} ${row.last.preview}`.toLowerCase().includes(sought),
  );
  const from = Number(page) * PAGE;
  return { data: found.slice(from, from + PAGE), total_page: Math.ceil(found.length / PAGE) };
}

function counted(world: InboxWorld) {
  const rows = world.threads.map((thread) => rowOf(world, thread));
  const count = (filter: string) => rows.filter((row) => filters[filter]?.(row)).length;
  return {
    waiting: count('waiting'),
    mine: count('mine'),
    open: count('open'),
    snoozed: count('snoozed'),
    oldest: null,
  };
}

export function lineOf(seq: number, given: Partial<SupportMessage> = {}): SupportMessage {
  const caption = given.content?.caption ?? '';
  return {
    id: fakeId('support'),

    seq,
    side: 'customer',
    author: null,
    mine: false,
    internal: false,
    size: null,
    card: null,
    event: null,
    at: new Date(),
    ...given,
    content: {
      type: 'text',
      caption,
      url: null,
      external: false,
      filename: null,
      name: null,
      phone: null,
    },
  };
}

/** The id that a browser made identifies a message: a repeat returns the first one. */
function sent(world: InboxWorld, thread: FakeThread, fields: Fields): SupportMessage {
  const id = publicId('support', fields['message_id'] ?? '');
  const known = thread.lines.find((line) => line.id === id);
  if (known) return known;
  const internal = fields['internal'] === '1';
  const line = lineOf((thread.lines.at(-1)?.seq ?? 0) + 1, {
    id,
    side: 'operator',
    author: world.me.name,
    mine: true,
    internal,
    content: { caption: fields['text'] ?? '' } as SupportMessage['content'],
  });
  thread.lines.push(line);
  if (!internal) thread.row.waiting_since = null;
  return line;
}

function changed(world: InboxWorld, thread: FakeThread, act: string, fields: Fields): void {
  const { row } = thread;
  if (act.endsWith('_assign')) {
    row.assignee = world.operators.find(({ id }) => id === fields['operator_id']) ?? null;
  }
  if (act.endsWith('_snooze')) {
    row.status = 'snoozed';
    row.snoozed_until = new Date(fields['until'] ?? '');
  }
  if (act.endsWith('_close')) row.status = 'closed';
  if (act.endsWith('_reopen')) row.status = 'open';
  if (act.endsWith('_reopen') || act.endsWith('_close')) row.snoozed_until = null;
  if (act.endsWith('_read')) thread.operator_read = Number(fields['seq']);
}

function canned(world: InboxWorld, act: string, fields: Fields): unknown {
  const { name = '', text = '' } = fields;
  if (act !== 'operator_canned_list') {
    world.canned = world.canned.filter((one) => one.name !== name);
  }
  if (act !== 'operator_canned_save') return { replies: world.canned };
  const reply = { name, text, updated_at: new Date() };
  world.canned = [...world.canned, reply].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return reply;
}

function answer(world: InboxWorld, act: string, fields: Fields): unknown {
  if (act.startsWith('operator_canned_')) return canned(world, act, fields);
  if (act === 'operator_support_counts') return counted(world);
  const thread = world.threads.find(({ row }) => row.account_id === fields['account_id']);
  if (!thread) return undefined;
  if (act === 'operator_support_send') return sent(world, thread, fields);
  if (act === 'operator_support_transcript') return { url: '/not-found.svg' };
  if (act === 'operator_support_typing') return {};
  changed(world, thread, act, fields);
  return threadOf(world, thread);
}

function messagesOf(world: InboxWorld, { account_id, start = '0' }: Fields) {
  const thread = world.threads.find(({ row }) => row.account_id === account_id);
  const lines = thread?.lines.toReversed() ?? [];
  const page = lines.slice(Number(start), Number(start) + PAGE);
  return { data: page, count: page.length };
}

const looking = /_(?:list|counts|get|messages|typing)$/;
const envelope = ['act', 'token', 'fcm', 'key'];

/** The stream of events since the last poll; then it ends, and is polled again. */
function stream(world: InboxWorld): string {
  const frames = world.events.splice(0).map((event) => {
    const data = JSON.stringify(event);
    return `event: ${event.kind}\ndata: ${data}\n\n`;
  });
  return `: hello\n\n${frames.join('')}`;
}

/** Answers customer service acts in place of the server; everything else reaches it. */
export async function fakeInbox(tab: Page, world: InboxWorld): Promise<void> {
  const operator = { role: 'operator', operator_roles: ['support'] };
  await fakeChanges(tab, checkToken, () => ({ ...world.me, ...operator }));
  await fakeRequests(tab, async (given) => {
    const act = given['act'] ?? '';
    if (act === 'events') return { type: 'text/event-stream', text: stream(world) };
    if (!/^operator_(?:support|canned)_/.test(act)) return undefined;
    await world.waiting;
    if (world.failing?.test(act)) {
      return { status: 503, json: { code: 0, msg: 'Sedang penuh.' } };
    }
    const fields = Object.fromEntries(
      Object.entries(given).filter(([name]) => !envelope.includes(name)),
    );
    if (!looking.test(act)) world.asked.push({ act, ...fields });
    if (act === 'operator_support_list')
      return { json: { code: 1, result: listed(world, fields) } };
    if (act === 'operator_support_messages')
      return { json: { code: 1, ...messagesOf(world, fields) } };
    return { json: { code: 1, data: answer(world, act, fields) } };
  });
}
