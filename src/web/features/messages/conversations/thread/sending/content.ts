import type { ChatMessage } from '#web/ui/chat/chat.ts';

/** A place that is sent, as its dialog gives it. */
export type PlaceToSend = {
  latitude: number;
  longitude: number;
  name?: string | undefined;
  address?: string | undefined;
};

/** A contact card that is sent; the number is digits with the country in front. */
export type CardToSend = { name: string; phone: string; organization?: string | undefined };

/** A template as it was filled in: what the server is given, and what its receiver will read. */
export type TemplateToSend = {
  name: string;
  language: string;
  variables?: readonly string[] | undefined;
  header?: string | undefined;
  buttons?: readonly string[] | undefined;
  /** What a bubble shows of it. */
  shown: { header: string | null; body: string; footer: string | null; buttons: readonly string[] };
};

/** What goes out beside texts and files. */
export type Content =
  | { type: 'location'; place: PlaceToSend }
  | { type: 'contact'; card: CardToSend }
  | { type: 'template'; template: TemplateToSend }
  | { type: 'reaction'; messageId: string; emoji: string };

/** Content on its way, as the renderer takes it; `file` is what stands above a template's text. */
export function contentShown(content: Content, file?: ChatMessage): ChatMessage {
  switch (content.type) {
    case 'location': {
      const { name = null, address = null, ...at } = content.place;
      return { type: 'location', place: { ...at, name, address } };
    }
    case 'contact':
      return { type: 'vcard', ...content.card };
    case 'template': {
      const { header, body, footer, buttons } = content.template.shown;
      const media = file && { media: file.type };
      const template = { header, footer, buttons: [...buttons], ...media };
      return { ...file, type: 'template', caption: body, template };
    }
    case 'reaction':
      return { type: 'text', caption: content.emoji };
  }
}
