import { publicId } from '#contract/base/ids.ts';
import type { ShownChoices } from '#contract/messages/choices.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { NewMessage, type PlacedMessage } from '#contract/rest/new-message.ts';
import { choicesIn } from '#server/domains/messages/choices/choices.ts';
import type { Body } from '#server/domains/messages/content.ts';
import type { StoredMessage } from '#server/domains/messages/history/rows.ts';

type Original = Pick<StoredMessage, 'peer' | 'type' | 'body'>;

/**
 * What was sent as a message to be placed anew, to the same number: its content, what it answers, its choices and
 * its metadata. Its `ref`, time, `ttl` and priority were of the first one alone.
 *
 * @param kept the files that are still there: of one that is gone, its link is fetched again.
 * @returns undefined for what a new message cannot say.
 */
export function againOf(
  { peer, type, body }: Original,
  kept: ReadonlySet<string>,
): PlacedMessage | undefined {
  const { reply_to: replyTo, metadata } = body;
  const read = NewMessage().safeParse({
    to: writtenPeer(peer),
    type,
    ...contentOf(type, body, kept),
    ...(typeof replyTo === 'string' && { reply_to: replyTo }),
    ...(metadata !== undefined && { metadata }),
  });
  if (!read.success) return undefined;
  const choices = body['choices'] === undefined ? undefined : choicesIn(type, body);
  if (!choices) return read.data;
  if (type === 'template') return { ...read.data, payloads: payloadsOf(body, choices.options) };
  const interactive = body['interactive'] as ShownChoices | undefined;
  return { ...read.data, choices, ...(interactive && { interactive }) };
}

/** What the replies of a template carry, by their places among all its buttons. */
function payloadsOf(body: Body, options: readonly { id: string }[]): readonly string[] {
  const places = Array.isArray(body['reply_places']) ? body['reply_places'].map(Number) : undefined;
  const payloads: string[] = [];
  for (const [index, { id }] of options.entries()) payloads[places?.[index] ?? index] = id;
  return payloads;
}

function contentOf(type: StoredMessage['type'], body: Body, kept: ReadonlySet<string>): Body {
  const { caption, filename, voice } = body;
  const media = (more: Body = {}) => ({ [type]: { ...sourceOf(body, kept), ...more } });
  switch (type) {
    case 'text':
      return { text: { body: body['text'] } };
    case 'image':
    case 'video':
      return { ...media(), caption };
    case 'audio':
      return media(voice === undefined ? {} : { voice });
    case 'document':
      return { ...media(filename === undefined ? {} : { filename }), caption };
    case 'sticker':
      return media();
    case 'location':
      return { location: some(body, ['latitude', 'longitude', 'name', 'address']) };
    case 'contact':
      return { contact: cardOf(body) };
    case 'template':
      return { template: templateOf(body, kept) };
    case 'reaction':
    case 'other':
      return {};
  }
}

/** Its file of ours while it is there, else the link that it came from. */
function sourceOf({ file, link }: Body, kept: ReadonlySet<string>): Body {
  const isLost = typeof file !== 'string' || !kept.has(file);
  if (isLost && typeof link === 'string') return { link };
  return typeof file === 'string' ? { id: publicId('media', file) } : {};
}

const some = (body: Body, names: readonly string[]): Body =>
  Object.fromEntries(names.flatMap((name) => (name in body ? [[name, body[name]]] : [])));

function cardOf(body: Body): Body {
  const phones = 'phones' in body ? 'phones' : 'phone';
  return some(body, ['name', 'organization', 'email', phones]);
}

function templateOf(body: Body, kept: ReadonlySet<string>): Body {
  const { template, language, parameters, header_parameter: header, button_values: buttons } = body;
  const { filename } = body;
  const textOf = (one: Body) => one['text'];
  return {
    name: template,
    language,
    ...(Array.isArray(parameters) && { variables: parameters.map(textOf) }),
    ...(typeof header === 'object' &&
      header !== null && { header: { text: textOf({ ...header }) } }),
    ...('header_file' in body && {
      header: { ...sourceOf(body, kept), ...(filename !== undefined && { filename }) },
    }),
    ...(Array.isArray(buttons) && {
      buttons: buttons.map((one: Body) => some(one, ['index', 'text'])),
    }),
  };
}
