import type { Refusal } from '#contract/base/refusals.ts';
import { NewMessage } from '#contract/rest/messages.ts';
import { readFields } from '#server/http/v1/fields.ts';

/** The part of `NewMessage` that is its content: without whom it goes to, and when. */
export type Content =
  | { type: 'text'; text: { body: string } }
  | { type: 'image' | 'video'; media: Source; caption?: string }
  | { type: 'audio'; media: Source }
  | { type: 'document'; media: Source; filename?: string; caption?: string }
  | { type: 'location'; location: { latitude: number; longitude: number; name?: string } };

/** Where a file is: at an address, or among the account's own. */
export type Source = { link: string } | { id: string };

/** What surrounds a content. */
export type Envelope = {
  to: string;
  send_at?: string;
  reply_to?: string;
  priority?: 'normal' | 'bulk';
  metadata?: Record<string, string>;
};

/**
 * A message as `/v1` takes it, read by the same schema: what is refused there is refused here, by the names of
 * its fields (`to`, `text.body`, `image.link`).
 */
export function messageFrom(content: Content, envelope: Envelope): NewMessage | Refusal {
  return readFields(NewMessage(), shapeOf(content, envelope), { language: 'id', whole: 'message' });
}

function shapeOf(content: Content, envelope: Envelope): Record<string, unknown> {
  const { type } = content;
  switch (content.type) {
    case 'text':
    case 'location':
      return { ...envelope, ...content };
    case 'audio':
      return { ...envelope, type, audio: content.media };
    case 'image':
    case 'video':
      return { ...envelope, type, [type]: content.media, ...captionOf(content) };
    case 'document': {
      const { media, filename } = content;
      const document = { ...media, ...(filename !== undefined && { filename }) };
      return { ...envelope, type, document, ...captionOf(content) };
    }
  }
}

const captionOf = ({ caption }: { caption?: string }) => (caption === undefined ? {} : { caption });

/** A file with its kind, as a message shows it; an audio has no caption, and only a document a name. */
export function mediaContent(
  type: 'image' | 'video' | 'audio' | 'document',
  media: Source,
  { caption, filename }: { caption?: string | undefined; filename?: string | undefined },
): Content {
  if (type === 'audio') return { type, media };
  const words = caption === undefined ? {} : { caption };
  if (type !== 'document') return { type, media, ...words };
  return { type, media, ...(filename !== undefined && { filename }), ...words };
}

const endings = {
  image: ['jpg', 'jpeg', 'png', 'gif', 'webp'],
  video: ['mp4', 'mpeg', 'mov', '3gp', 'webm'],
  audio: ['mp3', 'ogg', 'oga', 'opus', 'm4a', 'aac', 'amr', 'wav', 'mpga'],
} as const;

/** What a file is by the ending of its name, or of the path of its address; a document where that says nothing. */
export function kindOf(name: string): 'image' | 'video' | 'audio' | 'document' {
  const path = name.split(/[?#]/, 1)[0] ?? '';
  const ending = /\.([a-z0-9]{1,5})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  for (const kind of ['image', 'video', 'audio'] as const) {
    if ((endings[kind] as readonly string[]).includes(ending)) return kind;
  }
  return 'document';
}

/** The last part of an address's path, decoded, as a file's name; undefined where there is none. */
export function nameIn(link: string): string | undefined {
  const last = /^https?:\/\/[^/?#]+\/(?:[^?#]*\/)?([^/?#]+)/i.exec(link)?.[1];
  if (last === undefined) return undefined;
  try {
    return decodeURIComponent(last).slice(0, 240);
  } catch {
    return last.slice(0, 240);
  }
}

/** The first instant that a plan may name: what is before it was meant as something else. */
const TIMES_FROM_MS = Date.UTC(2000, 0, 1);
const TIMES_TO_MS = Date.UTC(9999, 0, 1);

/** Whether an instant may be planned at all. */
export const isPlannable = (atMs: number): boolean => atMs >= TIMES_FROM_MS && atMs < TIMES_TO_MS;
