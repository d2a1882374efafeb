import * as z from 'zod/mini';
import { Id } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';

/** A piece of a caption: text, a line break, or a safe link. */
export type CaptionNode =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'link'; href: string; text: string };

const ENTITIES = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
]);
const trailing = new Set('.,!?;:)]}\'"');
const LONGEST_TAG = 2_200;

/** The address if it is safe to follow: http or https, without a user name; else `undefined`. */
export function safeHref(raw: string): string | undefined {
  // Browsers drop control characters and blanks before they parse the scheme.
  if (!/^https?:\/\//i.test(raw) || /[\s\p{Cc}\\]/u.test(raw) || raw.length > 2_000)
    return undefined;
  if (!URL.canParse(raw)) return undefined;
  const url = new URL(raw);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  return url.username === '' && url.password === '' ? url.href : undefined;
}

type Tag = { kind: 'break' } | { kind: 'open'; href: string | undefined } | { kind: 'close' };

/** Parses the tag between `<` and `>`; undefined unless it is one of the three supported ones. */
function tagOf(inside: string): Tag | undefined {
  const name = inside.trimEnd().toLowerCase();
  if (/^br(?![^\s/])/.test(name)) return { kind: 'break' };
  if (/^\/a(?!\S)/.test(name)) return { kind: 'close' };
  if (!/^a(?!\S)/.test(name)) return undefined;
  const found = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(inside);
  const raw = found ? (found[1] ?? found[2] ?? found[3] ?? '') : '';
  return { kind: 'open', href: safeHref(unescapeEntities(raw)) };
}

const unescapeEntities = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES.get(entity) ?? entity);

/**
 * The end of an address that starts at `from`: before a blank, a quote or an angle bracket, without trailing
 * punctuation.
 */
function endOfUrl(text: string, from: number): number {
  let end = from;
  while (end < text.length && !/[\s<>"\p{Cc}]/u.test(text.charAt(end))) end += 1;
  const shown = text.slice(from, end);
  let unopened = count(shown, ')') - count(shown, '(');
  while (end > from && trailing.has(text.charAt(end - 1))) {
    if (text.charAt(end - 1) === ')') {
      if (unopened <= 0) break;
      unopened -= 1;
    }
    end -= 1;
  }
  return end;
}

const count = (text: string, sign: string): number => text.split(sign).length - 1;

/** Converts plain text to nodes: addresses become links, line ends become breaks. */
function* linkAddresses(text: string): Generator<CaptionNode> {
  let done = 0;
  let at = nextStop(text, 0);
  while (at !== -1) {
    if (text.charAt(at) === '\n') {
      yield { kind: 'text', text: text.slice(done, at) };
      yield { kind: 'break' };
      done = at + 1;
    } else {
      const end = endOfUrl(text, at);
      const shown = text.slice(at, end);
      const href = safeHref(shown);
      if (href) {
        yield { kind: 'text', text: text.slice(done, at) };
        // A host in another script can imitate another host: show its resolved form.
        yield { kind: 'link', href, text: href.includes('xn--') ? href : shown };
        done = end;
      }
      at = Math.max(end, at + 1) - 1;
    }
    at = nextStop(text, at + 1);
  }
  yield { kind: 'text', text: text.slice(done) };
}

const stop = /\n|https?:\/\//gi;
function nextStop(text: string, from: number): number {
  stop.lastIndex = from;
  return stop.exec(text)?.index ?? -1;
}

/** Splits a caption at its tags: text, tag, text, tag … in linear time. */
function* splitTags(caption: string): Generator<string | Tag> {
  let text = '';
  let from = 0;
  let close = -2;
  while (from < caption.length) {
    const open = caption.indexOf('<', from);
    if (open === -1) break;
    text += caption.slice(from, open);
    if (close !== -1 && close < open) close = caption.indexOf('>', open);
    const nextOpen = caption.indexOf('<', open + 1);
    const whole =
      close !== -1 && (nextOpen === -1 || close < nextOpen) && close - open < LONGEST_TAG;
    const tag = whole ? tagOf(caption.slice(open + 1, close)) : undefined;
    if (tag) {
      yield text;
      yield tag;
      text = '';
      from = close + 1;
    } else {
      text += '<';
      from = open + 1;
    }
  }
  yield text + caption.slice(from);
}

/** The text inside a link: each line becomes its own link. */
function* insideLink(text: string, href: string): Generator<CaptionNode> {
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) yield { kind: 'break' };
    if (line !== '') yield { kind: 'link', href, text: line };
  }
}

/**
 * Parses a caption. `<a>`, `</a>` and `<br>` are recognised, with any attributes; every other tag is shown as text.
 * Links go to http and https only. Takes linear time; the result is never used as HTML.
 */
export function captionNodes(caption: string): CaptionNode[] {
  const nodes: CaptionNode[] = [];
  let href: string | undefined;
  for (const piece of splitTags(caption.replaceAll('\r\n', '\n'))) {
    if (typeof piece === 'string') {
      for (const node of href ? insideLink(piece, href) : linkAddresses(piece)) {
        if (node.kind !== 'text' || node.text !== '') nodes.push(node);
      }
    } else if (piece.kind === 'break') nodes.push(piece);
    else href = piece.kind === 'open' ? piece.href : undefined;
  }
  return nodes;
}

/**
 * The caption on one line, for lists, tables and notices: the words of its bubble without markup. Line breaks and runs
 * of blanks become one blank.
 */
export const captionText = (caption: string): string =>
  captionNodes(caption)
    .map((node) => (node.kind === 'break' ? ' ' : node.text))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

const FOLD = 4_096;

/** The position to cut a long caption: `undefined` for short ones; never inside a tag or a surrogate pair. */
export function foldAt(caption: string): number | undefined {
  if (caption.length <= FOLD) return undefined;
  const open = caption.lastIndexOf('<', FOLD);
  const inTag = open !== -1 && FOLD - open < LONGEST_TAG && caption.indexOf('>', open) >= FOLD;
  const cut = inTag && open > 0 ? open : FOLD;
  return /[\uD800-\uDBFF]/.test(caption.charAt(cut - 1)) ? cut - 1 : cut;
}

export const CHOICE_LIMITS = {
  buttons: 3,
  buttonId: 256,
  buttonTitle: 20,
  rows: 10,
  rowId: 200,
  rowTitle: 24,
  rowDescription: 72,
  payload: 256,
} as const;

const ChoiceType = schema(() => z.enum(['button', 'list', 'template']));
export type ChoiceType = Output<typeof ChoiceType>;

const Choice = schema(() =>
  z.object({ id: z.string(), title: z.string(), description: z.optional(z.string()) }),
);
export type Choice = Output<typeof Choice>;

/** The `content.choices` of an interactive message that was sent. */
export const Choices = schema(() => z.object({ type: ChoiceType(), options: z.array(Choice()) }));
export type Choices = Output<typeof Choices>;

export type ShownChoices = {
  header?: string | undefined;
  body: string;
  footer?: string | undefined;
  button?: string | undefined;
  /** The sections of a list, with the number of rows of each. */
  sections?: readonly { title?: string | undefined; rows: number }[] | undefined;
};

/** The `content.choice` of an inbound message. */
export const SelectedOption = schema(() =>
  z.extend(Choice(), {
    type: ChoiceType(),
    of: Id('message'),
  }),
);
export type SelectedOption = Output<typeof SelectedOption>;

export const ApiContent = schema(() =>
  z.looseObject({ choices: z.optional(Choices()), choice: z.optional(SelectedOption()) }),
);

/**
 * Kinds of inbound messages without a type of their own (`other`), with labels. Programs read the kind as
 * `content.kind` (docs/api.md#other-messages).
 */
export const otherKinds = {
  album: 'Album',
  call: 'Panggilan',
  call_permission: 'Jawaban atas permintaan izin menelepon',
  edited: 'Pesan diubah',
  event: 'Acara',
  form: 'Formulir',
  group_invite: 'Undangan grup',
  interactive: 'Pesan interaktif',
  invoice: 'Tagihan',
  order: 'Pesanan',
  payment: 'Pembayaran',
  payment_request: 'Permintaan pembayaran',
  pinned: 'Pesan disematkan',
  poll: 'Polling',
  poll_vote: 'Suara polling',
  product: 'Produk',
  request_welcome: 'Membuka percakapan untuk pertama kali',
  revoked: 'Pesan dihapus',
  system: 'Pemberitahuan WhatsApp',
  unsupported: 'Jenis pesan ini belum dapat ditampilkan di sini; lihat di ponsel',
  view_once: 'Foto, video, atau pesan suara sekali lihat; hanya dapat dibuka di ponsel',
  waiting: 'Menunggu pesan ini; periksa ponsel Anda',
} as const;

export type OtherKind = keyof typeof otherKinds;
