import type { ChatMessage } from '#web/ui/chat/chat.ts';

export type PlaceToSend = {
  latitude: number;
  longitude: number;
  name?: string | undefined;
  address?: string | undefined;
};

/** A contact card to send; the number is digits including the country code. */
export type CardToSend = { name: string; phone: string; organization?: string | undefined };

export type TemplateToSend = {
  name: string;
  language: string;
  variables?: readonly string[] | undefined;
  header?: string | undefined;
  buttons?: readonly string[] | undefined;
  shown: { header: string | null; body: string; footer: string | null; buttons: readonly string[] };
};

export type Content =
  | { type: 'location'; place: PlaceToSend }
  | { type: 'contact'; card: CardToSend }
  | { type: 'template'; template: TemplateToSend }
  | { type: 'reaction'; messageId: string; emoji: string };

/** Converts outgoing content for the renderer; `file` is the header of a template. */
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
