/** A message as the renderer gets it (specification, section 3). */
export type ChatMessage = {
  type: string;
  caption?: string | null;
  url?: string | null;
  filename?: string | null;
  /** A contact card's. */
  name?: string | null;
  phone?: string | null;
};

export type ChatKind = 'image' | 'audio' | 'video' | 'contact' | 'text' | 'file';

const kinds = new Map<string, ChatKind>([
  ['jpeg', 'image'],
  ['jpg', 'image'],
  ['png', 'image'],
  ['webp', 'image'],
  ['ogg', 'audio'],
  ['mp4', 'video'],
  ['vcard', 'contact'],
  ['text', 'text'],
]);

/** How a type is shown; anything unknown is a file. */
export const chatKind = (type: string): ChatKind => kinds.get(type) ?? 'file';

/** A `tel:` address of digits with the country in front. */
export const phoneHref = (phone: string): string => `tel:+${phone.replace(/\D/g, '')}`;

const RUN_MS = 5 * 60_000;

type Said = { side: 'out' | 'in'; at: Date };

/** True when a message starts a new run: another sender, or five minutes later. */
export const startsRun = (message: Said, before: Said | undefined): boolean =>
  before === undefined ||
  before.side !== message.side ||
  message.at.getTime() - before.at.getTime() > RUN_MS;
