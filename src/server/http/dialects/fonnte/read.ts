import { shownPeer } from '#contract/messages/peer.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { TEXT_MAX } from '#contract/messages.ts';
import { MESSAGES_MAX } from '#contract/rest/limits.ts';
import type { NewMessage } from '#contract/rest/new-message.ts';
import type { FileKind } from '#server/http/dialects/dialect.ts';
import {
  type Given,
  type GivenFile,
  givenOf,
  isFile,
  numberOf,
  saysNo,
  saysYes,
  textOf,
  wrong,
} from '#server/http/dialects/given.ts';
import {
  type Content,
  type Source,
  isPlannable,
  kindOf,
  mediaContent,
  messageFrom,
} from '#server/http/dialects/pivot.ts';
import { type Target, filled, targetsOf } from './targets.ts';

/** What one target of a call became. */
export type Piece = {
  /** Its number as the answer names it. */
  target: string;
  message: NewMessage | Refusal;
  /** The instant it is planned for, in ms since 1970; what is over is now. */
  plannedMs: number | undefined;
};

export type SendCall = {
  pieces: readonly Piece[];
  /** False where the caller would rather wait for the phone than be refused. */
  connectedOnly: boolean;
  /** What was given of times, from which those of the messages are computed; undefined where nothing was. */
  plan: readonly string[] | undefined;
};

export type ReadContext = {
  now: Date;
  /** A number from 0 (included) to 1, as `Math.random`. */
  random: () => number;
  /** Takes a file into the account's own; its id (`med_…`) and what it is. */
  storeFile: (file: GivenFile) => Promise<{ id: string; type: FileKind }>;
};

/** Seconds between two targets, and until a follow-up, at most: a month. */
const SECONDS_MAX = 2_592_000;
/** Characters that an answer repeats of a target that was refused. */
const TARGET_SHOWN_MAX = 40;

/**
 * A call of `/send`: each target becomes a message of its own. What is wrong with the whole call is thrown; what
 * is wrong with one target stands in its piece.
 *
 * @throws Refusal `input_invalid`, `request_malformed`, and what the file is refused for
 */
export async function readSend(given: Given, context: ReadContext): Promise<SendCall> {
  const many = given.get('data');
  if (many === undefined || many === null || many === '') {
    const pieces = await piecesOf(given, context, MESSAGES_MAX);
    return { pieces, connectedOnly: waitsNot(given), plan: planOf([given]) };
  }
  const pieces: Piece[] = [];
  const items = listIn(many).map(givenOf);
  for (const fields of items) {
    const left = MESSAGES_MAX - pieces.length;
    if (left === 0) throw tooMany();
    pieces.push(...(await piecesOfItem(fields, context, left)));
  }
  const known = items.filter((fields) => fields !== undefined);
  return { pieces, connectedOnly: [given, ...known].every(waitsNot), plan: planOf(known) };
}

/** What is wrong with one item is that one's fault alone. */
async function piecesOfItem(
  fields: Given | undefined,
  context: ReadContext,
  max: number,
): Promise<Piece[]> {
  try {
    if (!fields) throw notJson();
    return await piecesOf(fields, context, max);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const given = fields?.get('target');
    const isShown = typeof given === 'string' || typeof given === 'number';
    const target = isShown ? String(given).slice(0, TARGET_SHOWN_MAX) : '';
    return [{ target, message: error, plannedMs: undefined }];
  }
}

/** The fields that say when a message goes out, of each item; undefined where none does. */
function planOf(items: readonly Given[]): string[] | undefined {
  const plan = items.map((fields) =>
    ['schedule', 'followup', 'delay'].map((name) => saidOf(fields.get(name))).join(' '),
  );
  return plan.every((one) => one === '0 0 0') ? undefined : plan;
}

/** A time as it was given; an item in which it is none was refused. */
const saidOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() || '0' : '0';

const waitsNot = (given: Given): boolean => !saysNo(given, 'connectOnly');

/** `data`: a list of objects, as JSON or as a text that holds it. */
function listIn(data: unknown): readonly unknown[] {
  let list = data;
  if (typeof data === 'string') {
    try {
      list = JSON.parse(data);
    } catch {
      throw notJson();
    }
  }
  if (!Array.isArray(list) || list.length === 0) throw notJson();
  if (list.length > MESSAGES_MAX) {
    throw tooMany();
  }
  return list;
}

const tooMany = (): Refusal =>
  wrong('data', `Paling banyak ${MESSAGES_MAX} pesan dalam satu panggilan.`);

const notJson = (): Refusal =>
  new Refusal('request_malformed', { why: 'isian data harus daftar objek JSON' });

async function piecesOf(given: Given, context: ReadContext, max: number): Promise<Piece[]> {
  const targets = targetsOf(given, max);
  const content = await contentOf(given, context);
  const plannedMs = plannedFor(given, context.now);
  const nowMs = context.now.getTime();
  const startMs = Math.max(plannedMs ?? nowMs, nowMs);
  const pause = pauseOf(given);
  const replyTo = textOf(given, 'inboxid');
  let waitMs = 0;
  return targets.map((target, index) => {
    if (index > 0) waitMs += pause(context.random) * 1000;
    const atMs = startMs + waitMs;
    const message = messageFrom(forTarget(content, target), {
      to: target.to,
      ...(atMs > nowMs && { send_at: new Date(atMs).toISOString() }),
      ...(replyTo !== undefined && { reply_to: replyTo }),
    });
    const to =
      message instanceof Refusal ? target.to.replace(/^\+(?!8)/, '') : shownPeer(message.to);
    return { target: to, message, plannedMs };
  });
}

/**
 * The instant for which a call is planned, in milliseconds: `schedule` (Unix seconds, which may
 * be over) or `followup` (seconds from now). 0 is now.
 *
 * @throws Refusal `input_invalid`
 */
function plannedFor(given: Given, now: Date): number | undefined {
  const seconds = numberOf(given, 'schedule', Number.MAX_SAFE_INTEGER) ?? 0;
  const after = numberOf(given, 'followup', SECONDS_MAX) ?? 0;
  if (seconds > 0) {
    if (!isPlannable(seconds * 1000)) throw wrong('schedule', 'Harus waktu Unix dalam detik.');
    return seconds * 1000;
  }
  return after > 0 ? now.getTime() + after * 1000 : undefined;
}

/**
 * The other time of a planned message; what is over is now. `delay` is passed over: it spaces targets of one call.
 *
 * @throws Refusal `input_invalid`, also for all messages of one time at once (`byschedule`)
 */
export function readSchedule(given: Given, now: Date): Date {
  if (saysYes(given, 'byschedule')) {
    throw wrong('byschedule', 'Belum didukung di sini. Sebutkan setiap pesan dengan id-nya.');
  }
  if (textOf(given, 'schedule') === undefined) {
    throw wrong('schedule', 'Wajib diisi: waktu Unix dalam detik.');
  }
  return new Date(Math.max(plannedFor(given, now) ?? 0, now.getTime()));
}

/** `delay`: seconds between two targets, `2`, or any of a range, `1-10`. @throws Refusal `input_invalid` */
function pauseOf(given: Given): (random: () => number) => number {
  const text = (textOf(given, 'delay') ?? '0').replaceAll(/\s/g, '');
  const [, from, to = from] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(text) ?? [];
  const [least, most] = [Number(from), Number(to)];
  if (!(least <= most && most <= SECONDS_MAX)) {
    throw wrong('delay', 'Harus detik, misalnya 2, atau rentang, misalnya 1-10.');
  }
  return (random) => least + Math.floor(random() * (most - least + 1));
}

/** A file that travels, else one at an address, else a place, else words. @throws Refusal */
async function contentOf(given: Given, context: ReadContext): Promise<Content> {
  const words = wordsOf(given);
  const options = { caption: words, filename: textOf(given, 'filename') };
  const file = given.get('file');
  if (isFile(file)) {
    const { id, type } = await context.storeFile(file);
    // Without a name given, a document has the one that it is stored under.
    return mediaContent(type, { id }, options);
  }
  const link = textOf(given, 'url')?.trim();
  if (link !== undefined) return linked({ link }, options);
  const place = textOf(given, 'location');
  if (place !== undefined) return placeOf(place, words);
  if (words === undefined)
    throw wrong('message', 'Wajib diisi, kecuali ada url, file atau location.');
  return { type: 'text', text: { body: words } };
}

/** The kind of a file at an address is told by the name it is given, else by the address. */
function linked(source: Source & { link: string }, options: Parameters<typeof mediaContent>[2]) {
  const { filename } = options;
  const byName = filename === undefined ? 'document' : kindOf(filename);
  return mediaContent(byName === 'document' ? kindOf(source.link) : byName, source, options);
}

/** The words of a call; what it cannot show (a poll, buttons) is written out. @throws Refusal `input_invalid` */
function wordsOf(given: Given): string | undefined {
  const message = textOf(given, 'message');
  const choices = textOf(given, 'choices');
  const words =
    choices === undefined
      ? (message ?? insteadOfButtons(given))
      : insteadOfPoll(message ?? textOf(given, 'pollname'), choices);
  if (words !== undefined && words.length > TEXT_MAX) {
    throw wrong('message', `Paling panjang ${TEXT_MAX} karakter.`);
  }
  return words;
}

/** @throws Refusal `input_invalid` */
function placeOf(text: string, name: string | undefined): Content {
  const [, latitude, longitude] =
    /^\s*(-?\d{1,3}(?:\.\d{1,20})?)\s*,\s*(-?\d{1,3}(?:\.\d{1,20})?)\s*$/.exec(text) ?? [];
  if (latitude === undefined || longitude === undefined) {
    throw wrong('location', 'Harus lintang dan bujur, misalnya -7.983908,112.621391.');
  }
  return {
    type: 'location',
    location: {
      latitude: Number(latitude),
      longitude: Number(longitude),
      ...(name !== undefined && { name }),
    },
  };
}

/** A content with the target's values in the places of its words. */
function forTarget(content: Content, target: Target): Content {
  if (content.type === 'text') {
    return { type: 'text', text: { body: filled(content.text.body, target) } };
  }
  if (!('caption' in content) || content.caption === undefined) return content;
  return { ...content, caption: filled(content.caption, target) };
}

/** Lines that stand for what a message cannot show, at most. */
const LINES_MAX = 30;

/** A poll in words: the question, and its choices under numbers. */
function insteadOfPoll(question: string | undefined, choices: string): string {
  const named = choices
    .split(',', LINES_MAX)
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const lines = named.map((one, index) => `${index + 1}. ${one}`);
  return [...(question === undefined ? [] : [question]), ...lines].join('\n');
}

/**
 * Buttons, a template or a list in words: its message, what could be chosen, its footer. Their own vendor has shown
 * them to nobody since 2023. Undefined where none is given or it is no JSON.
 */
function insteadOfButtons(given: Given): string | undefined {
  for (const name of ['buttonJSON', 'templateJSON', 'listJSON']) {
    const fields = givenOf(parsed(given.get(name)));
    const message = fields?.get('message');
    if (fields && typeof message === 'string' && message !== '') {
      const labels = labelsIn(fields.get('buttons')).map((label) => `• ${label}`);
      const footer = fields.get('footer');
      return [message, ...labels, ...(typeof footer === 'string' ? [footer] : [])].join('\n');
    }
  }
  return undefined;
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** What could be chosen: the message of each button, or of each entry of the lists that they open. */
function labelsIn(buttons: unknown): string[] {
  const entries = fieldsIn(buttons).flatMap((button) => {
    const list = fieldsIn(button.get('list'));
    return list.length > 0 ? list : [button];
  });
  const labels = entries.map((entry) => entry.get('message'));
  return labels.filter((label) => typeof label === 'string').slice(0, LINES_MAX);
}

const fieldsIn = (list: unknown): Given[] =>
  Array.isArray(list) ? list.slice(0, LINES_MAX).flatMap((one) => givenOf(one) ?? []) : [];
