import { shownPeer } from '#contract/messages/peer.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { MESSAGES_MAX } from '#contract/rest/endpoint.ts';
import type { NewMessage } from '#contract/rest/messages.ts';
import {
  type Given,
  type GivenFile,
  givenOf,
  isFile,
  listOf,
  isTrue,
  textOf,
  fieldError,
  type Content,
  type Source,
  mediaContent,
  messageFrom,
  nameIn,
  isPlannable,
} from '#server/http/dialects/dialect.ts';

export type Kind = 'message' | 'image' | 'document' | 'video' | 'audio';

export type Piece = {
  phone: string;
  message: NewMessage | Refusal;
  shown: Readonly<Record<string, string | null>>;
  refId: string | undefined;
  planned: Planned | undefined;
};

type StoreFile = (file: GivenFile) => Promise<{ id: string }>;

/** One message to one phone or several (`phone`, separated by commas). @throws Refusal */
export async function readOne(given: Given, kind: Kind, storeFile?: StoreFile): Promise<Piece[]> {
  const content = storeFile
    ? await contentOfFile(given, kind, storeFile)
    : givenContentOf(given, kind);
  return toPhones(given, content, undefined, MESSAGES_MAX);
}

/** Several messages (`data`, a list of objects), each to its own phone. @throws Refusal */
export function readMany(given: Given, kind: Kind): Piece[] {
  return eachOf(given, (fields, max) =>
    toPhones(fields, givenContentOf(fields, kind), undefined, max),
  );
}

/** One scheduled text to one phone or several. @throws Refusal */
export function readPlan(given: Given): Piece[] {
  return toPhones(given, givenContentOf(given, 'message'), plannedIn(given), MESSAGES_MAX);
}

/** Several scheduled messages, each with its own `category` and time. @throws Refusal */
export function readPlans(given: Given): Piece[] {
  return eachOf(given, (fields, max) => {
    const category = textOf(fields, 'category') ?? 'text';
    const kind = category === 'text' ? 'message' : kinds.find((one) => one === category);
    if (!kind) throw fieldError('category', 'Harus text, image, video, document atau audio.');
    // Here the text is in `text` and any file in `url`.
    const renamed = new Map(fields);
    renamed.set(kind === 'message' ? 'message' : 'caption', fields.get('text'));
    if (kind !== 'message') renamed.set(kind, fields.get('url') ?? fields.get('file'));
    return toPhones(renamed, givenContentOf(renamed, kind), plannedIn(fields), max);
  });
}

const kinds = ['image', 'document', 'video', 'audio'] as const;

/** An error in one item refuses only that item. */
function eachOf(given: Given, read: (fields: Given, max: number) => Piece[]): Piece[] {
  let data = given.get('data');
  if (typeof data === 'string') data = jsonOf(data);
  if (!Array.isArray(data) || data.length === 0)
    throw fieldError('data', 'Wajib diisi: daftar pesan.');
  if (data.length > MESSAGES_MAX) throw fieldError('data', `Paling banyak ${MESSAGES_MAX} pesan.`);
  const pieces: Piece[] = [];
  for (const one of data as unknown[]) {
    const left = MESSAGES_MAX - pieces.length;
    if (left === 0) throw fieldError('data', `Paling banyak ${MESSAGES_MAX} pesan.`);
    const fields = givenOf(one) ?? new Map<string, unknown>();
    try {
      if (!givenOf(one)) throw fieldError('data', 'Harus daftar objek.');
      pieces.push(...read(fields, left));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      pieces.push(refused(fields, error));
    }
  }
  return pieces;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refused(fields: Given, message: Refusal): Piece {
  const phone = fields.get('phone');
  const shown = typeof phone === 'string' || typeof phone === 'number' ? String(phone) : '';
  return { phone: shown.slice(0, 40), message, shown: {}, refId: undefined, planned: undefined };
}

type Worded = { content: Content; shown: Piece['shown'] };

function toPhones(
  given: Given,
  { content, shown }: Worded,
  planned: Planned | undefined,
  max: number,
): Piece[] {
  const phones = listOf(given, 'phone', max);
  if (phones.length === 0) throw fieldError('phone', 'Wajib diisi: nomor tujuan.');
  if (isTrue(given, 'isGroup')) throw fieldError('isGroup', 'Pesan ke grup tidak dapat dikirim.');
  const refId = textOf(given, 'ref_id');
  const envelope = {
    ...(planned && { send_at: planned.at.toISOString() }),
    ...(textOf(given, 'priority') === 'low' && { priority: 'bulk' as const }),
    ...(refId !== undefined && { metadata: { ref_id: refId } }),
  };
  return phones.map((phone) => {
    const message = messageFrom(content, { to: phone, ...envelope });
    const to = message instanceof Refusal ? phone.slice(0, 40) : shownPeer(message.to);
    return { phone: to, message, shown, refId, planned };
  });
}

/** @throws Refusal `input_invalid` */
function givenContentOf(given: Given, kind: Kind): Worded {
  if (kind === 'message') {
    const message = textOf(given, 'message');
    if (message === undefined) throw fieldError('message', 'Wajib diisi: isi pesan.');
    return { content: { type: 'text', text: { body: message } }, shown: { message } };
  }
  const link = textOf(given, kind)?.trim();
  if (link === undefined) throw fieldError(kind, 'Wajib diisi: alamat berkas.');
  return media(given, kind, { source: { link }, name: nameIn(link) });
}

/** A part of the body, or base64 with PHP's file fields (`data`). @throws Refusal */
async function contentOfFile(given: Given, kind: Kind, storeFile: StoreFile): Promise<Worded> {
  const file = given.get('file');
  const found = isFile(file) ? file : decoded(file, given);
  if (!found || kind === 'message') throw fieldError('file', 'Wajib diisi: berkas.');
  const filename = textOf(given, 'filename') ?? found.filename;
  const { id } = await storeFile({ ...found, filename });
  // Without a name here, a document has the name of the stored file.
  return media(given, kind, { source: { id }, shownName: filename });
}

function decoded(file: unknown, given: Given): GivenFile | undefined {
  if (typeof file !== 'string') return undefined;
  const base64 = file.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const name = givenOf(jsonOf(textOf(given, 'data') ?? ''))?.get('name');
  const filename = typeof name === 'string' ? name : '';
  return { filename, type: '', bytes: Buffer.from(base64, 'base64') };
}

function media(
  given: Given,
  kind: Exclude<Kind, 'message'>,
  {
    source,
    name,
    shownName = name,
  }: { source: Source; name?: string | undefined; shownName?: string | undefined },
): Worded {
  const caption = textOf(given, 'caption');
  return {
    content: mediaContent(kind, source, { caption, filename: name }),
    shown: { message: null, caption: caption ?? null, [kind]: shownName ?? null },
  };
}

/** The accepted time zones, as hours ahead of UTC, without daylight saving. */
const hours: Readonly<Record<string, number>> = {
  'Asia/Jakarta': 7,
  'Asia/Pontianak': 7,
  'Asia/Makassar': 8,
  'Asia/Singapore': 8,
  'Asia/Jayapura': 9,
  UTC: 0,
};
const ZONE = 'Asia/Jakarta';

type Planned = { at: Date; timezone: string; schedule_at: string };

/**
 * The scheduled time of a call: `scheduled_at`, or `date` and `time`, in `timezone` (else WIB).
 *
 * @throws Refusal `input_invalid`
 */
function plannedIn(given: Given): Planned {
  const timezone = (textOf(given, 'timezone') ?? ZONE).trim();
  const offset = Object.hasOwn(hours, timezone) ? hours[timezone] : undefined;
  if (offset === undefined)
    throw fieldError('timezone', `Pilih: ${Object.keys(hours).join(', ')}.`);
  const date = textOf(given, 'date');
  const whole = textOf(given, 'scheduled_at') ?? `${date ?? ''} ${textOf(given, 'time') ?? ''}`;
  const local = localMs(whole.trim());
  const atMs = local === undefined ? Number.NaN : local - offset * 3_600_000;
  if (local === undefined || !isPlannable(atMs)) {
    throw fieldError('scheduled_at', 'Harus waktu seperti 2026-12-24 09:00:00.');
  }
  return { at: new Date(atMs), timezone, schedule_at: written(local) };
}

/** `2026-12-24 09:00:00` as milliseconds, as if it were UTC; undefined for an impossible date. */
function localMs(text: string): number | undefined {
  const [, day, hour, minute, second = '00'] =
    /^(\d{4}-\d{2}-\d{2})[ T](\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text) ?? [];
  if (day === undefined || hour === undefined) return undefined;
  const iso = `${day}T${hour.padStart(2, '0')}:${minute}:${second}.000Z`;
  const ms = Date.parse(iso);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === iso ? ms : undefined;
}

const written = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** An instant in WIB, in the format of answers. */
export const inWib = (at: Date | string): string => written(new Date(at).getTime() + 7 * 3_600_000);

const DAY_MS = 86_400_000;

/** A day in WIB, from its first instant to the first of the next one. */
export type Day = { from: Date; to: Date };

/** The day `2026-11-23` in WIB; undefined for an impossible date or an implausible year. */
export function dayOf(text: string): Day | undefined {
  const local = localMs(`${text} 00:00:00`);
  if (local === undefined || !isPlannable(local)) return undefined;
  const from = local - 7 * 3_600_000;
  return { from: new Date(from), to: new Date(from + DAY_MS) };
}

export const dayAt = (now: Date): Day => dayOf(inWib(now).slice(0, 10)) ?? { from: now, to: now };
