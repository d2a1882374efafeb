import { isHiddenPeer } from '#contract/messages/peer.ts';
import { publicId } from '#contract/base/ids.ts';
import { Choices } from '#contract/messages/choices.ts';
import type { MediaKind } from '#contract/media/kinds.ts';
import type { MessageBody, Outgoing } from '#server/domains/channels/channels.ts';
import { at, given, listAt, textAt } from '#server/infra/net/json-values.ts';

/** What a payload names beside the message itself. */
export type Named = {
  /** Meta's id of the file that it carries. */
  mediaId?: string | undefined;
  /** Meta's id of the message that it answers or reacts to. */
  wamid?: string | undefined;
};

/**
 * A message as `POST /{phone-number-id}/messages` takes it (docs/channels.md#cloud). Our own id goes along as
 * `biz_opaque_callback_data`: every status names it, also one that comes before the answer, or instead of it.
 *
 * @returns undefined for a reaction to a message that Meta does not know.
 */
export function payloadOf(message: Outgoing, named: Named): object | undefined {
  const { to, messageId, type } = message;
  const content = contentOf(message, named);
  if (!content) return undefined;
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(isHiddenPeer(to) ? { recipient: to } : { to }),
    ...content,
    ...(named.wamid !== undefined &&
      type !== 'reaction' && { context: { message_id: named.wamid } }),
    biz_opaque_callback_data: publicId('message', messageId),
  };
}

function contentOf(message: Outgoing, { mediaId, wamid }: Named): object | undefined {
  const { type, body, text = textAt(body, 'text') ?? '' } = message;
  switch (type) {
    case 'text':
      return interactiveOf(body, undefined) ?? textContent(text);
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return (
        interactiveOf(body, headerOf(type, body, mediaId)) ?? {
          type,
          [type]: mediaOf(type, body, mediaId),
        }
      );
    case 'location':
      return {
        type,
        location: given({
          latitude: body['latitude'],
          longitude: body['longitude'],
          name: body['name'],
          address: body['address'],
        }),
      };
    case 'contact':
      return { type: 'contacts', contacts: [contactOf(body)] };
    case 'reaction':
      return wamid === undefined
        ? undefined
        : { type, reaction: { message_id: wamid, emoji: body['emoji'] ?? '' } };
    case 'template':
      return { type, template: templateOf(body, { code: message.text, mediaId }) };
    case 'other':
      return undefined;
  }
}

const textContent = (text: string) => ({
  type: 'text',
  text: { body: text, preview_url: /\bhttps?:\/\//.test(text) },
});

function mediaOf(type: MediaKind, body: MessageBody, mediaId: string | undefined): object {
  const source = mediaId === undefined ? { link: body['link'] } : { id: mediaId };
  return given({
    ...source,
    ...(type !== 'audio' && type !== 'sticker' && { caption: textAt(body, 'caption') }),
    ...(type === 'document' && { filename: textAt(body, 'filename') }),
    ...(type === 'audio' && body['voice'] === true && { voice: true }),
  });
}

function headerOf(type: MediaKind, body: MessageBody, mediaId: string | undefined) {
  if (type !== 'image' && type !== 'video' && type !== 'document') return undefined;
  const { caption: _, ...source } = mediaOf(type, body, mediaId) as Record<string, unknown>;
  return { type, [type]: source };
}

/** Buttons or a list as WhatsApp shows them; undefined for what lets its receiver choose nothing. */
function interactiveOf(body: MessageBody, media: object | undefined): object | undefined {
  const choices = Choices().safeParse(body['choices']);
  const shown = at(body, 'interactive');
  const text = textAt(shown, 'body');
  if (!choices.success || choices.data.type === 'template' || text === undefined) return undefined;
  const header = textAt(shown, 'header');
  const footer = textAt(shown, 'footer');
  return {
    type: 'interactive',
    interactive: {
      type: choices.data.type,
      ...(media
        ? { header: media }
        : header !== undefined && { header: { type: 'text', text: header } }),
      body: { text },
      ...(footer !== undefined && { footer: { text: footer } }),
      action:
        choices.data.type === 'button' ? buttonsOf(choices.data) : listOf(choices.data, shown),
    },
  };
}

const buttonsOf = ({ options }: Choices) => ({
  buttons: options.map(({ id, title }) => ({ type: 'reply', reply: { id, title } })),
});

/** The rows under the titles of their sections, as their sender had them. */
function listOf({ options }: Choices, shown: unknown): object {
  const sections = listAt(shown, 'sections');
  let from = 0;
  const parts = sections.map((section) => {
    const rows = at(section, 'rows');
    const own = options.slice(from, from + (typeof rows === 'number' ? rows : 0));
    from += own.length;
    return given({ title: textAt(section, 'title'), rows: own.map(rowOf) });
  });
  const rest = options.slice(from).map(rowOf);
  return {
    button: textAt(shown, 'button') ?? 'Pilih',
    sections: [...parts, ...(rest.length > 0 ? [{ rows: rest }] : [])],
  };
}

const rowOf = ({ id, title, description }: Choices['options'][number]) =>
  given({ id, title, description });

/** A contact card. WhatsApp wants one more part of the name beside the whole. */
function contactOf(body: MessageBody): object {
  const name = textAt(body, 'name') ?? '';
  const phones = listAt(body, 'phones').map(String);
  const all = phones.length > 0 ? phones : [textAt(body, 'phone') ?? ''];
  const company = textAt(body, 'organization');
  const email = textAt(body, 'email');
  return {
    name: { formatted_name: name, first_name: name },
    ...(company !== undefined && { org: { company } }),
    ...(email !== undefined && { emails: [{ email, type: 'WORK' }] }),
    phones: all.map((phone) => ({ phone: `+${phone}`, type: 'CELL', wa_id: phone })),
  };
}

type Fills = { code: string | undefined; mediaId: string | undefined };

/** What fills the template in; its words are Meta's own. A secret code is not in its body. */
function templateOf(body: MessageBody, { code, mediaId }: Fills): object {
  const known = code === undefined ? listAt(body, 'parameters') : [{ name: '1', text: code }];
  const parameters = known.map(textParameter);
  const header = templateHeader(body, mediaId);
  const copies = body['code_button'] === true ? [codeButton(parameters[0]?.text)] : [];
  const components = [
    ...(header ? [{ type: 'header', parameters: [header] }] : []),
    ...(parameters.length > 0 ? [{ type: 'body', parameters }] : []),
    ...repliesOf(body),
    ...listAt(body, 'button_values').map(filledButton),
    ...copies,
  ];
  return {
    name: body['template'],
    language: { code: body['language'] },
    ...(components.length > 0 && { components }),
  };
}

function textParameter(parameter: unknown) {
  const name = textAt(parameter, 'name') ?? '';
  const isNamed = !/^\d+$/.test(name);
  return {
    type: 'text',
    text: textAt(parameter, 'text') ?? '',
    ...(isNamed && { parameter_name: name }),
  };
}

/** What fills in the header of a template: its file, or its variable. */
function templateHeader(body: MessageBody, mediaId: string | undefined): object | undefined {
  const file = textAt(body, 'header_file');
  if (file !== undefined) return headerOf(file as MediaKind, body, mediaId);
  const parameter = at(body, 'header_parameter');
  return parameter === undefined ? undefined : textParameter(parameter);
}

/** What the replies of a template carry, each at its place among all buttons. */
function repliesOf(body: MessageBody): object[] {
  const places = listAt(body, 'reply_places').map(Number);
  return listAt(body, 'choices', 'options').map((option, index) => ({
    type: 'button',
    sub_type: 'quick_reply',
    index: String(places[index] ?? index),
    parameters: [{ type: 'payload', payload: textAt(option, 'id') ?? '' }],
  }));
}

/** A button that opens an address of its own, or copies a code. */
function filledButton(value: unknown): object {
  const text = textAt(value, 'text') ?? '';
  const isUrl = textAt(value, 'takes') === 'url';
  return {
    type: 'button',
    sub_type: isUrl ? 'url' : 'copy_code',
    index: String(at(value, 'index')),
    parameters: [isUrl ? { type: 'text', text } : { type: 'coupon_code', coupon_code: text }],
  };
}

/** The button of a template of codes, whatever Meta shows it as: it takes the code as the end of an address. */
const codeButton = (code: string | undefined) => ({
  type: 'button',
  sub_type: 'url',
  index: '0',
  parameters: [{ type: 'text', text: code ?? '' }],
});
