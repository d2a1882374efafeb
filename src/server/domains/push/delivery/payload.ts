import { cleanedName, isolated } from '#contract/base/names.ts';
import type { OperatorRole } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { formatPeer } from '#contract/messages/peer.ts';
import type { PushPayload } from '#contract/push.ts';

/** An inbound message, as a notice shows it. */
export type MessageNotice = {
  messageId: string;
  tokenId: string;
  /** Digits with the country code. */
  peer: string;
  peerName: string | null;
  /** The message's first words, when the person switched the text on; empty where there are none. */
  text: string | undefined;
  /** Conversations with something unread. */
  unread: number;
};

const ICON = '/favicon-192.png';
const DEFAULT_BODY = 'Pesan baru';
const NAME_LETTERS = 60;
const TEXT_LETTERS = 240;
/** Letters can be made of many bytes; a name and a text of these fit 3.8 kB in any case. */
const NAME_BYTES = 240;
const TEXT_BYTES = 1_000;
/** Text beyond this could not be shown anyway. */
const SCAN_MAX = 8_000;

const letters = new Intl.Segmenter('id', { granularity: 'grapheme' });

/**
 * The notice of a message: the sender, and the text only when the person wants that
 * (docs/wire.md#push). Under 3.8 kB, whatever people call themselves.
 *
 * @param origin where the portal is; addresses stay relative without it.
 */
export function payloadOf(notice: MessageNotice, origin: string | undefined): PushPayload {
  const { messageId, tokenId, peer, peerName, text = '', unread } = notice;
  const search = new URLSearchParams({
    view: 'percakapan',
    open: publicId('token', tokenId),
    peer,
  });
  const name = cleanedName(peerName ?? '', SCAN_MAX) ?? '';
  const who = shorten(name, NAME_LETTERS, NAME_BYTES) || formatPeer(peer);
  return buildPayload(
    {
      title: `Pesan baru dari ${isolated(who)}`,
      body: shorten(text, TEXT_LETTERS, TEXT_BYTES) || DEFAULT_BODY,
      app_badge: String(unread),
    },
    { url: `/message-history?${search.toString()}`, id: publicId('message', messageId) },
    { origin, label: 'inbox' },
  );
}

/** A notice of no message, as it was queued. */
export type Notice = {
  title: string;
  body: string;
  /** A path of the portal. */
  url: string;
  /** Letters, digits, `-` and `_`: a newer notice of a tag takes the place of one that waits or is shown. */
  tag: string;
  /** Shown in place of the body to who switched the text on. */
  text?: string | undefined;
  /** Of operators, only those with one of these roles get it. */
  roles?: readonly OperatorRole[];
};

/** The payload of a notice of no message. */
export function noticePayload(
  notice: Pick<Notice, 'title' | 'body' | 'url' | 'tag'>,
  origin: string | undefined,
): PushPayload {
  const { title, body, url, tag } = notice;
  return buildPayload(
    {
      title: shorten(title, NAME_LETTERS, NAME_BYTES),
      body: shorten(body, TEXT_LETTERS, TEXT_BYTES),
    },
    { url, id: '', tag },
    { origin, label: 'notice' },
  );
}

/** What the test button sends. */
export const testPayload = (origin: string | undefined): PushPayload =>
  buildPayload(
    { title: 'Kabari', body: 'Pemberitahuan sudah menyala di peramban ini.' },
    { url: '/profile', id: 'test' },
    { origin, label: 'test' },
  );

function buildPayload(
  words: Pick<PushPayload['notification'], 'title' | 'body' | 'app_badge'>,
  data: PushPayload['data'],
  { origin, label }: { origin: string | undefined; label: string },
): PushPayload {
  const navigate = origin === undefined ? data.url : new URL(data.url, origin).href;
  return {
    web_push: 8030,
    notification: { ...words, icon: ICON, navigate },
    data,
    fcmOptions: { link: data.url, analyticsLabel: label },
  };
}

/** One line, without bidi controls or invisible characters but the isolates of `isolated`, cut to a limit. */
function shorten(words: string, lettersMax: number, bytesMax: number): string {
  const line = words
    .slice(0, SCAN_MAX)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2066\u2067\ufeff]/g, '')
    .toWellFormed()
    .trim();
  let result = '';
  let count = 0;
  for (const { segment } of letters.segment(line)) {
    const isFull = Buffer.byteLength(result + segment) > bytesMax;
    if (isFull || (count === lettersMax - 1 && result.length + segment.length < line.length)) {
      return result === '' ? '' : `${result.trimEnd()}…`;
    }
    result += segment;
    count += 1;
  }
  return result;
}
