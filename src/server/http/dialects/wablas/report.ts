import { publicId } from '#contract/base/ids.ts';
import type { ApiMessage } from '#contract/rest/messages.ts';
import { normalizePhone } from '#contract/base/phone.ts';
import { type DialectCall, type DialectDeps, readerOf } from '#server/http/dialects/dialect.ts';
import { type Given, listOf, numberOf, textOf, wrong } from '#server/http/dialects/given.ts';
import { refuseUnstorable } from '#server/http/input.ts';
import { reportRow, statusWord } from './answer.ts';
import { dialectId } from './ids.ts';
import { type Day, dayAt, dayOf } from './times.ts';

/** Messages of one report, at most: the newest of its day. */
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
  const wanted = filterOf(call.given);
  const [device, messages] = await Promise.all([
    deps.device(call.sender),
    messagesOf(deps, call, day),
  ]);
  const all = messages.filter(wanted);
  return {
    rows: all.slice((page - 1) * size, page * size).map((one) => reportRow(one, device.phone)),
    page,
    pages: Math.max(1, Math.ceil(all.length / size)),
    total: all.length,
    deviceId: device.id,
  };
}

/** The sender's messages of a day, else of all time, the newest first. */
async function messagesOf(
  deps: DialectDeps,
  { sender, request, given }: DialectCall,
  day: Day | undefined,
): Promise<ApiMessage[]> {
  const phone = phoneIn(given);
  const reader = readerOf(deps, request);
  const found: ApiMessage[] = [];
  let cursor = day && firstIdAt(day.to);
  while (found.length < MESSAGES_MAX) {
    const { messages, next } = await deps.messages.list(
      sender,
      {
        direction: 'out',
        limit: PAGE_MESSAGES,
        ...(cursor !== undefined && { cursor }),
        ...(phone !== undefined && { peer: phone }),
      },
      reader,
    );
    const within = messages.filter((one) => !day || new Date(one.created_at) >= day.from);
    found.push(...within);
    if (next === null || within.length < messages.length) break;
    cursor = next;
  }
  return found.slice(0, MESSAGES_MAX);
}

/** The phone that a report is for, named as sending names it where it is wrong. @throws Refusal `input_invalid` */
function phoneIn(given: Given): string | undefined {
  const phone = textOf(given, 'phone');
  const no = refuseUnstorable(phone, 'id', 'to');
  if (no) throw no;
  return phone === undefined ? undefined : normalizePhone(phone);
}

/** The first id that a message of an instant could have: ids begin with the time. */
function firstIdAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return publicId('message', `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`);
}

/** Which messages a report asks for, beyond its day and its phone. @throws Refusal `input_invalid` */
function filterOf(given: Given): (message: ApiMessage) => boolean {
  const ids = new Set(listOf(given, 'message_id', IDS_MAX).map((id) => id.toLowerCase()));
  const [status, type] = [textOf(given, 'status'), textOf(given, 'type')];
  const [refId, words] = [textOf(given, 'ref_id'), textOf(given, 'text')?.toLowerCase()];
  return (message) => {
    const row = reportRow(message, null);
    return (
      (ids.size === 0 || ids.has(dialectId(message.id)) || ids.has(message.id.toLowerCase())) &&
      (status === undefined || statusWord(message.status) === status) &&
      (type === undefined || message.type === type) &&
      (refId === undefined || row.ref_id === refId) &&
      (words === undefined || (row.text ?? '').toLowerCase().includes(words))
    );
  };
}
