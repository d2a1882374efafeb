import type { Refusal } from '#contract/base/refusals.ts';
import { international } from '#contract/messages/peer.ts';
import { messageIdOf } from '#contract/dialects/cloud.ts';
import { CloudRefusal } from '#server/http/dialects/cloud/errors.ts';
import { at, given, listAt, textAt, unwrapped } from '#server/infra/net/json-values.ts';
import { interactiveDraft } from './interactive.ts';
import { type Draft, type DraftOptions, media, objectWith } from './parts.ts';
import { phrases } from './phrases.ts';
import { templateDraft } from './template.ts';

type Drafter = (object: unknown, options: DraftOptions) => Draft | Refusal;

/** The fields of a message by its type, which is `text` where none is given. */
export function draftOf(body: unknown, options: DraftOptions): Draft | Refusal {
  const type = at(body, 'type') ?? 'text';
  if (typeof type !== 'string' || !Object.hasOwn(drafters, type)) {
    return new CloudRefusal(131051, { type: phrases.type[options.language] });
  }
  return drafters[type as keyof typeof drafters](unwrapped(at(body, type)), options);
}

const drafters = {
  text: (text) => ({
    fields: { type: 'text', text: objectWith(text, { body: at(text, 'body') }) },
    places: {},
  }),
  image: (image) => media('image', image, { caption: caption(image) }),
  video: (video) => media('video', video, { caption: caption(video) }),
  audio: (audio) => media('audio', audio, {}, { voice: at(audio, 'voice') === true || undefined }),
  document: (document) =>
    media(
      'document',
      document,
      { caption: caption(document) },
      { filename: at(document, 'filename') },
    ),
  sticker: (sticker) => media('sticker', sticker, {}),
  location: (location) => ({
    fields: { type: 'location', location: objectWith(location, locationOf(location)) },
    places: {},
  }),
  contacts: contactDraft,
  reaction: (reaction) => {
    const id = at(reaction, 'message_id');
    const message_id = typeof id === 'string' ? (messageIdOf(id) ?? id) : id;
    const own = { message_id, emoji: at(reaction, 'emoji') };
    return { fields: { type: 'reaction', reaction: objectWith(reaction, own) }, places: {} };
  },
  interactive: interactiveDraft,
  template: templateDraft,
} as const satisfies Record<string, Drafter>;

/** A caption that is empty is none. */
const caption = (object: unknown): unknown => at(object, 'caption') || undefined;

function locationOf(location: unknown): Record<string, unknown> {
  return {
    latitude: numberIn(at(location, 'latitude')),
    longitude: numberIn(at(location, 'longitude')),
    name: at(location, 'name') || undefined,
    address: at(location, 'address') || undefined,
  };
}

/** Some clients write numbers as text. */
const numberIn = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,3}(\.\d{1,20})?$/.test(value) ? Number(value) : value;

function contactDraft(contacts: unknown, { language }: DraftOptions): Draft | Refusal {
  const list = listAt({ contacts }, 'contacts');
  if (list.length > 1) return new CloudRefusal(131009, { contacts: phrases.oneContact[language] });
  const [card] = list;
  const name = at(card, 'name');
  const parts = ['first_name', 'middle_name', 'last_name'].flatMap(
    (own) => textAt(name, own) ?? [],
  );
  const phones = listAt(card, 'phones').map((phone) => {
    const number = at(phone, 'phone') ?? at(phone, 'wa_id');
    return typeof number === 'string' ? international(number) : number;
  });
  const contact = given({
    name: at(name, 'formatted_name') ?? (parts.length > 0 ? parts.join(' ') : undefined),
    ...(phones.length > 1 ? { phones } : { phone: phones[0] }),
    organization: at(card, 'org', 'company') || undefined,
    email: at(card, 'emails', 0, 'email') || undefined,
  });
  return {
    fields: { type: 'contact', contact },
    places: {
      contact: 'contacts.0',
      'contact.name': 'contacts.0.name.formatted_name',
      'contact.phone': 'contacts.0.phones.0.phone',
      'contact.organization': 'contacts.0.org.company',
      'contact.email': 'contacts.0.emails.0.email',
    },
  };
}
