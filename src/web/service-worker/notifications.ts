import { readJson } from '#web/browser/json.ts';
import { safeTarget } from '#web/browser/redirect.ts';

/** What a push says, as far as it can be trusted. */
export type Pushed = {
  /** The message it is about; '' when it is about none. */
  id: string;
  /** Of a notice that is about no message: a newer one takes the place of an older. */
  tag: string | undefined;
  title: string;
  body: string;
  /** A path of ours. */
  url: string;
  image: string | undefined;
  /** How much is unread; `undefined` when it does not say. */
  unread: number | undefined;
};

export const ICON = '/favicon-192.png';
/** One colour on nothing, as Android wants it in its status bar. */
export const BADGE = '/badge-96.png';
const INBOX = '/message-history';
const TITLE_MAX = 200;
const BODY_MAX = 1_000;
const UNREAD_MAX = 99_999;

/** A push must be shown; one that cannot be read says no more than this. */
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
 * Reads a push. Anybody may have written it: texts stay texts, pictures and links are our own or gone.
 *
 * @param raw the decrypted text; `undefined` for a push that carries nothing.
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

/** The notice for a push: never two for one message, for both would have its id as their tag. */
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
  // Not in every list of options, but in every browser that shows pictures.
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
