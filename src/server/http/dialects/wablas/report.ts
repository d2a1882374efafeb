import { idFloor } from '#contract/base/ids.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { MessageStatus, MessageType } from '#contract/messages.ts';
import type { ApiMessage } from '#contract/rest/messages.ts';
import { normalizePeer, shownPeer } from '#contract/messages/peer.ts';
import { type DialectCall, type DialectDeps, readerOf } from '#server/http/dialects/dialect.ts';
import { type Given, listOf, numberOf, textOf, wrong } from '#server/http/dialects/given.ts';
import { refuseUnstorable } from '#server/http/input.ts';
import { reportRow, statusWord } from './answer.ts';
import { messageId } from './ids.ts';
import { type Day, dayAt, dayOf } from './times.ts';

/** Messages that one report reads, at most: the newest of its day. */
const MESSAGES_MAX = 1000;
const PAGE_MESSAGES = 100;
const PER_PAGE = 50;
const PAGES_MAX = 1_000_000;
const IDS_MAX = 100;

/** `/api/report/message`: what was sent, of a day or the newest of all, in pages. @throws Refusal */
export async function reportOf(deps: DialectDeps, call: DialectCall): Promise<object> {
  const { given } = call;
  const date = textOf(given, 'date')?.trim();
  const day = date === undefined ? undefined : dayOf(date);
  if (date !== undefined && !day) throw wrong('date', 'Harus tanggal seperti 2026-11-23.');
  const size = numberOf(given, 'perPage', MESSAGES_MAX) || PER_PAGE;
  const { rows, page, pages, total } = await pageOf(deps, call, { day, size });
  const message = rows.map(({ file, ...row }) => ({ ...row, URL_file: file }));
  return {
    status: true,
    totalData: total,
    perPage: String(size),
    page: String(page),
    totalPage: pages,
    message,
  };
}

/** `/api/report-realtime`: what was sent today, in pages. @throws Refusal */
export async function reportToday(deps: DialectDeps, call: DialectCall): Promise<object> {
  const size = numberOf(call.given, 'limit', MESSAGES_MAX) || PER_PAGE;
  const found = await pageOf(deps, call, { day: dayAt(deps.now()), size });
  const message = found.rows.map(({ text, ...row }) => ({ ...row, message: text }));
  return {
    status: true,
    message: message.length === 0 ? [] : message,
    device_id: found.deviceId,
    page: String(found.page),
    totalPage: found.pages,
    totalData: found.total,
  };
}

async function pageOf(
  deps: DialectDeps,
  call: DialectCall,
  { day, size }: { day: Day | undefined; size: number },
) {
  const page = numberOf(call.given, 'page', PAGES_MAX) || 1;
  const query = reportQueryOf(call.given, day);
  const ids = listOf(call.given, 'message_id', IDS_MAX);
  const [device, all] = await Promise.all([
    deps.device(call.sender),
    ids.length > 0
      ? named(deps, call, { ids, query })
      : newest(deps, call, { day, query, enough: page * size + 1 }),
  ]);
  return {
    rows: all.slice((page - 1) * size, page * size).map((one) => reportRow(one, device.phone)),
    page,
    pages: Math.max(1, Math.ceil(all.length / size)),
    total: all.length,
    deviceId: device.id,
  };
}

/** Of the sender's messages with these ids those that were asked for, the newest first, however old they are. */
async function named(
  { messages, ...deps }: DialectDeps,
  { sender, request }: DialectCall,
  { ids, query }: { ids: readonly string[]; query: ReportQuery },
): Promise<ApiMessage[]> {
  const found: ApiMessage[] = [];
  for (const id of new Set(ids.map((one) => messageId(one)))) {
    try {
      found.push(await messages.one(sender, id, readerOf(deps, request)));
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'not_found')) throw error;
    }
  }
  return found
    .filter((one) => one.direction === 'out' && query.has(one))
    .toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

/**
 * The newest of the sender's messages that were asked for, of a day or of all time. Read are `enough` of them, and no
 * more than `MESSAGES_MAX` to find those.
 */
async function newest(
  deps: DialectDeps,
  { sender, request }: DialectCall,
  { day, query, enough }: { day: Day | undefined; query: ReportQuery; enough: number },
): Promise<ApiMessage[]> {
  const { phone, statuses, type } = query;
  // No message has such a status, or is of such a type.
  if (statuses?.length === 0 || type === null) return [];
  const reader = readerOf(deps, request);
  const found: ApiMessage[] = [];
  let cursor = day && firstIdAt(day.to);
  for (let read = 0; read < MESSAGES_MAX && found.length < enough; read += PAGE_MESSAGES) {
    const { messages, next } = await deps.messages.list(
      sender,
      {
        direction: 'out',
        limit: PAGE_MESSAGES,
        statuses,
        type,
        ...(cursor !== undefined && { cursor }),
        ...(phone !== undefined && { peer: phone }),
      },
      reader,
    );
    const within = messages.filter((one) => !day || new Date(one.created_at) >= day.from);
    found.push(...within.filter(query.has));
    if (next === null || within.length < messages.length) break;
    cursor = next;
  }
  return found;
}

/** The phone that a report is for, named as sending names it where it is wrong. @throws Refusal `input_invalid` */
function phoneIn(given: Given): string | undefined {
  const phone = textOf(given, 'phone');
  const no = refuseUnstorable(phone, 'id', 'to');
  if (no) throw no;
  return phone === undefined ? undefined : normalizePeer(phone);
}

/** The first id that a message of an instant could have: ids begin with the time. */
const firstIdAt = (at: Date): string => publicId('message', idFloor(at.getTime()));

/** Which messages a report asks for. */
type ReportQuery = {
  phone: string | undefined;
  statuses: readonly MessageStatus[] | undefined;
  /** Null where no message is of the type that was given. */
  type: MessageType | null | undefined;
  has: (message: ApiMessage) => boolean;
};

/** @throws Refusal `input_invalid` */
function reportQueryOf(given: Given, day: Day | undefined): ReportQuery {
  const [status, kind] = [textOf(given, 'status'), textOf(given, 'type')];
  const [refId, words] = [textOf(given, 'ref_id'), textOf(given, 'text')?.toLowerCase()];
  const phone = phoneIn(given);
  const statuses =
    status === undefined
      ? undefined
      : MessageStatus().options.filter((one) => statusWord(one) === status);
  const type =
    kind === undefined ? undefined : (MessageType().options.find((one) => one === kind) ?? null);
  const has = (message: ApiMessage) => {
    const row = reportRow(message, null);
    const at = new Date(message.created_at);
    return (
      (day === undefined || (at >= day.from && at < day.to)) &&
      (phone === undefined || message.peer === shownPeer(phone)) &&
      (statuses === undefined || statuses.includes(message.status)) &&
      (type === undefined || message.type === type) &&
      (refId === undefined || row.ref_id === refId) &&
      (words === undefined || (row.text ?? '').toLowerCase().includes(words))
    );
  };
  return { phone, statuses, type, has };
}
