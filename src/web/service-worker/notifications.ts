import { readJson } from '#web/browser/json.ts';
import { safeTarget } from '#web/browser/redirect.ts';

/** The trusted content of a push. */
export type Pushed = {
  /** The id of its message; '' without one. */
  id: string;
  /** The tag of a notification without a message: a newer one replaces an older one. */
  tag: string | undefined;
  title: string;
  body: string;
  /** A path of this site. */
  url: string;
  image: string | undefined;
  /** The unread count; `undefined` if not given. */
  unread: number | undefined;
};

export const ICON = '/favicon-192.png';
/** Monochrome on transparent, as Android requires for its status bar. */
export const BADGE = '/badge-96.png';
const INBOX = '/message-history';
const TITLE_MAX = 200;
const BODY_MAX = 1_000;
const UNREAD_MAX = 99_999;

/** Every push must be shown; this one replaces an unreadable push. */
const unreadable: Pushed = {
  id: '',
  tag: undefined,
  title: 'Kabari',
  body: 'Pesan baru',
  url: INBOX,
  image: undefined,
  unread: undefined,
};

type UnknownRecord = Readonly<Record<string, unknown>>;
const bag = (value: unknown): UnknownRecord =>
  typeof value === 'object' && value !== null ? (value as UnknownRecord) : {};
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Reads a push from an untrusted sender: texts stay texts, foreign pictures and links are dropped.
 *
 * @param raw the decrypted text; `undefined` for an empty push.
 */
export function readPush(raw: string | undefined, origin: string): Pushed {
  const payload = bag(readJson(raw));
  const notification = bag(payload['notification']);
  const data = bag(payload['data']);
  const title = text(notification['title']).slice(0, TITLE_MAX);
  if (payload['web_push'] !== 8030 || title === '') return unreadable;
  const link = text(bag(payload['fcmOptions'])['link']) || text(data['url']);
  return {
    tag: /^[\w-]{1,60}$/.exec(text(data['tag']))?.[0],
    id: /^msg_[\w-]{1,60}$/.exec(text(data['id']))?.[0] ?? '',
    title,
    body: text(notification['body']).slice(0, BODY_MAX) || unreadable.body,
    url: ownLink(link, origin) ?? INBOX,
    image: ownPicture(text(notification['image']), origin),
    unread: wholeNumber(text(notification['app_badge'])),
  };
}

/** A link to one of our own pages as a path; `undefined` for any other (docs/threats.md, T13). */
export const ownLink = (link: unknown, origin: string): string | undefined =>
  safeTarget(text(link), origin) ?? undefined;

/** The notification for a push. Its tag is the message id, so that a message never has two. */
export const noticeFor = (
  { id, tag, body, image, url }: Pushed,
  { silent }: { silent: boolean },
): NotificationOptions => ({
  body,
  icon: ICON,
  badge: BADGE,
  lang: 'id',
  silent,
  data: { url },
  ...(id !== '' ? { tag: id } : tag !== undefined && { tag }),
  // Missing from the DOM types, but supported by browsers that show pictures.
  ...(image !== undefined && ({ image } as NotificationOptions)),
});

function ownPicture(link: string, origin: string): string | undefined {
  if (link === '' || !URL.canParse(link, origin)) return undefined;
  const url = new URL(link, origin);
  return url.origin === origin ? url.pathname + url.search : undefined;
}

function wholeNumber(digits: string): number | undefined {
  return /^\d{1,9}$/.test(digits) ? Math.min(Number(digits), UNREAD_MAX) : undefined;
}
