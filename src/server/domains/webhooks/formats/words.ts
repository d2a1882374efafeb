import type { MessageType } from '#contract/messages.ts';
import { textIn } from './format.ts';

/** A place as the other gateways write it: `latitude,longitude`. */
export const coordinatesOf = ({ latitude, longitude }: Readonly<Record<string, unknown>>): string =>
  `${Number(latitude)},${Number(longitude)}`;

/** What a message that came in says in words; empty for a file without a caption. */
export function wordsOf(type: MessageType, content: Readonly<Record<string, unknown>>): string {
  const some = (...fields: string[]) =>
    fields.flatMap((field) => textIn(content, field) ?? []).join('\n');
  switch (type) {
    case 'text':
    case 'other':
      return some('text');
    case 'location':
      return some('name', 'address');
    case 'contact':
      return contactWords(content);
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
    case 'template':
    case 'reaction':
      return some('caption');
  }
}

/** A contact card, a line for each of its facts. */
function contactWords(card: Readonly<Record<string, unknown>>): string {
  const phones = Array.isArray(card['phones']) ? card['phones'] : [card['phone']];
  return [card['name'], ...phones, card['organization'], card['email']]
    .filter((fact) => typeof fact === 'string' && fact !== '')
    .join('\n');
}
