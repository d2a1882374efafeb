import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { businessIdOf, numberIdOf, wamidOf } from '#contract/dialects.ts';
import type { MessageType } from '#contract/messages.ts';
import {
  WebhookEvent,
  eventTypes,
  type WebhookFormat,
  formatEvents,
  webhookFormats,
} from '#contract/webhooks.ts';
import { type EventContext, formats } from '#server/domains/webhooks/formats.ts';

const uuid = (end: number) => `0193b0a0-7c00-7000-8000-${String(end).padStart(12, '0')}`;
const account = publicId('account', uuid(1));
const token = publicId('token', uuid(2));
const id = publicId('message', uuid(3));
const earlier = publicId('message', uuid(4));
const media = publicId('media', uuid(5));
const peer = '6281234567890';
const phone = '6281100000000';
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const timestamp = '2026-11-24T03:15:09.120Z';
const seconds = Date.parse('2026-11-24T03:15:09Z') / 1_000;

/** An event; the schema drops unknown fields. */
const happened = (type: string, data: object = {}): WebhookEvent =>
  WebhookEvent().parse({
    type,
    timestamp,
    data: {
      account,
      token,
      seq: 7,
      id,
      peer,
      type: 'text',
      conversation_seq: 1,
      price: 75,
      ref: null,
      status: 'sent',
      failure: null,
      content: {},
      reply_to: null,
      peer_name: null,
      name: 'Kasir',
      phone,
      source: 'reply',
      threshold: 1,
      available: 1,
      amount: 1,
      total: 1,
      number: null,
      kind: 'plan',
      ...(type === 'topup.paid' && { id: publicId('topup', uuid(8)) }),
      ...(type.startsWith('invoice.') && { id: publicId('invoice', uuid(9)), status: 'open' }),
      ...data,
    },
  });

const received = (type: MessageType, content: object, more: object = {}) =>
  happened('message.received', { type, content, peer_name: 'Budi', ...more });

const sentBy = (
  format: WebhookFormat,
  event: WebhookEvent,
  { at = new Date(timestamp), ...context }: Partial<EventContext> & { at?: Date } = {},
) =>
  formats[format].build({
    id: 'whd_1',
    at,
    event,
    context: { phone, metadata: {}, ...context },
    secrets: [secret],
  });

const bodyBy = (...of: Parameters<typeof sentBy>) => JSON.parse(sentBy(...of)?.body ?? 'null');

const valueBy = (event: WebhookEvent, context: Partial<EventContext> = {}) =>
  bodyBy('cloud', event, context)?.entry[0].changes[0].value;
const inboundBy = (...of: Parameters<typeof valueBy>) => valueBy(...of)?.messages[0];

const carried = (format: WebhookFormat) =>
  eventTypes.filter((type) => sentBy(format, happened(type)) !== null);

test('each format carries the events it supports, and no other', () => {
  for (const format of webhookFormats)
    expect(carried(format), format).toEqual(formatEvents[format]);
});

test('carries the text of other messages, and the message that an edit or deletion changes', () => {
  const poll = received('other', { kind: 'poll', text: 'Polling: Kapan?' });
  expect(bodyBy('kabari', poll).data.content).toEqual({ kind: 'poll', text: 'Polling: Kapan?' });
  expect(inboundBy(poll)).toMatchObject({
    type: 'unsupported',
    errors: [{ code: 131_051, error_data: { details: 'Polling: Kapan?' } }],
  });
  expect(bodyBy('fonnte', poll)).toMatchObject({ message: 'Polling: Kapan?' });
  expect(bodyBy('wablas', poll)).toMatchObject({
    message: 'Polling: Kapan?',
    messageType: 'other',
  });

  const edited = happened('message.edited', { content: { text: 'Baru', edited_at: timestamp } });
  expect(inboundBy(edited)).toEqual({
    from: peer,
    id: `${wamidOf(id)}.7`,
    timestamp: String(seconds),
    type: 'edit',
    edit: {
      original_message_id: wamidOf(id),
      message: { type: 'text', text: { body: 'Baru' } },
    },
  });
  const revoked = happened('message.revoked', {
    type: 'image',
    content: { revoked_at: timestamp },
  });
  expect(inboundBy(revoked)).toMatchObject({
    type: 'revoke',
    revoke: { original_message_id: wamidOf(id) },
  });
});

test('the documentation lists the events of each format', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/webhooks.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z]+)` \|(.+)\|$/gm)].map(
    ([, type = '', cells = '']) => ({ type, cells: cells.split('|').map((cell) => cell.trim()) }),
  );
  for (const [column, format] of webhookFormats.entries()) {
    const shown = rows.filter(({ cells }) => cells[column] !== '–').map(({ type }) => type);
    expect(shown, format).toEqual(carried(format));
  }
});

test("a text that selects an option has the Cloud API's form of a button, row or quick reply", () => {
  const by = (type: string, more = {}) => {
    const choice = { type, id: 'a\n', title: 'Ya', of: earlier, ...more };
    return inboundBy(received('text', { text: '1', choice }));
  };
  const shared = {
    from: peer,
    id: wamidOf(id),
    timestamp: String(seconds),
    context: { from: phone, id: wamidOf(earlier) },
  };
  const reply = { id: 'a\n', title: 'Ya' };
  expect(by('button', { description: 'x' })).toEqual({
    ...shared,
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: reply },
  });
  expect(by('list', { description: 'Rp1' }).interactive).toEqual({
    type: 'list_reply',
    list_reply: { ...reply, description: 'Rp1' },
  });
  expect(by('list').interactive.list_reply).toEqual(reply);
  expect(by('template')).toEqual({
    ...shared,
    type: 'button',
    button: { payload: 'a\n', text: 'Ya' },
  });
  for (const format of ['fonnte', 'wablas'] as const) {
    const choice = { type: 'button', ...reply, of: earlier };
    expect(bodyBy(format, received('text', { text: '1', choice })).message).toBe('1');
  }
});

test('the Cloud API’s envelope names the business, the number and the sender', () => {
  expect(bodyBy('cloud', received('text', { text: 'Halo' }))).toEqual({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: businessIdOf(account),
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: phone, phone_number_id: numberIdOf(token) },
              contacts: [{ profile: { name: 'Budi' }, wa_id: peer }],
              messages: [
                {
                  from: peer,
                  id: wamidOf(id),
                  timestamp: String(seconds),
                  type: 'text',
                  text: { body: 'Halo' },
                },
              ],
            },
          },
        ],
      },
    ],
  });
});

test('a sender who hides their number is named by their user id, as at Meta', () => {
  const value = valueBy(received('text', { text: 'Halo' }, { peer: 'ID.1A2B' }));
  expect(value).toMatchObject({
    contacts: [{ profile: { name: 'Budi' }, user_id: 'ID.1A2B' }],
    messages: [{ from_user_id: 'ID.1A2B' }],
  });
  expect(JSON.stringify(value)).not.toMatch(/"wa_id"|"from"/);
});

test("each incoming message type has Meta's form", () => {
  const file = { file: { id: media, mime_type: 'image/png', sha256: 'ab12' }, caption: 'Ini' };
  const of = (type: MessageType, content: object) => inboundBy(received(type, content));
  const known = { mime_type: 'image/png', sha256: 'ab12', id: media };
  expect(of('image', file)).toMatchObject({ type: 'image', image: { ...known, caption: 'Ini' } });
  expect(of('video', file)).toMatchObject({ type: 'video', video: known });
  expect(of('audio', { ...file, voice: true })).toMatchObject({ audio: { ...known, voice: true } });
  expect(of('document', { ...file, filename: 'a.pdf' })).toMatchObject({
    document: { ...known, filename: 'a.pdf' },
  });
  expect(of('sticker', file)).toMatchObject({ sticker: { ...known, animated: false } });
  expect(of('location', { latitude: -6.2, longitude: 106.8, name: 'Monas' })).toMatchObject({
    location: { latitude: -6.2, longitude: 106.8, name: 'Monas' },
  });
  expect(of('contact', { name: 'Sari', phone: '6281211112222' })).toMatchObject({
    type: 'contacts',
    contacts: [
      {
        name: { formatted_name: 'Sari', first_name: 'Sari' },
        phones: [{ phone: '+6281211112222', wa_id: '6281211112222' }],
      },
    ],
  });
});

test('a reaction names its message, a removed one is empty, and one to an unknown message is dropped', () => {
  const reaction = (content: object) => inboundBy(received('reaction', content));
  const message_id = wamidOf(earlier);
  expect(reaction({ message_id: earlier, emoji: '👍' })?.reaction).toEqual({
    message_id,
    emoji: '👍',
  });
  expect(reaction({ message_id: earlier, emoji: '' })?.reaction).toEqual({ message_id, emoji: '' });
  expect(reaction({ message_id: earlier })?.reaction).toEqual({ message_id, emoji: '' });
  expect(reaction({ emoji: '👍' })).toBeUndefined();
});

test('a quoted message is named with its author', () => {
  const quoting = (direction: string) =>
    inboundBy(
      received('text', { text: 'Ya', quoted: { direction, text: 'Jadi?' } }, { reply_to: earlier }),
    );
  expect(quoting('out')?.context).toEqual({ from: phone, id: wamidOf(earlier) });
  expect(quoting('in')?.context).toEqual({ from: peer, id: wamidOf(earlier) });
});

test('a message whose file is gone is reported as unsupported', () => {
  expect(
    inboundBy(received('image', { file: { id: null, mime_type: 'image/png' } })),
  ).toMatchObject({
    type: 'unsupported',
    errors: [{ code: 131_052, title: 'Media download error' }],
  });
});

test("a status names its message, its recipient and the sender's own data", () => {
  const metadata = { biz_opaque_callback_data: 'A-17' };
  expect(valueBy(happened('message.read', { status: 'read' }), { metadata })?.statuses).toEqual([
    {
      id: wamidOf(id),
      status: 'read',
      timestamp: String(seconds),
      recipient_id: peer,
      biz_opaque_callback_data: 'A-17',
    },
  ]);
  const failed = (data: object) => valueBy(happened('message.failed', data))?.statuses[0].errors;
  const failure = { code: 'not_on_whatsapp', detail: 'Nomor ini tidak terdaftar.' };
  expect(failed({ status: 'failed', failure })).toEqual([
    {
      code: 131_026,
      title: 'Message undeliverable',
      message: 'Message undeliverable',
      error_data: { details: 'Nomor ini tidak terdaftar.' },
    },
  ]);
  expect(failed({ status: 'expired' })).toMatchObject([
    { code: 131_000, error_data: { details: 'expired' } },
  ]);
});

test('a Cloud API body is ASCII, complete, signed, and the same for every try', () => {
  const base = received('text', {});
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
      const event = { ...base, data: { ...base.data, content: { text } } } as WebhookEvent;
      const first = sentBy('cloud', event);
      const body = first?.body ?? '';
      expect(body).toMatch(/^[\0-~]*$/);
      expect(inboundBy(event)?.text.body).toBe(text);
      const mac = createHmac('sha256', secret).update(body).digest('hex');
      expect(first?.headers['x-hub-signature-256']).toBe(`sha256=${mac}`);
      const later = sentBy('cloud', event, { at: new Date(Date.parse(timestamp) + 5_000) });
      expect(later?.body).toBe(body);
    }),
  );
});

test('a Fonnte status always has all four fields, and the secret', () => {
  const of = (type: string, data: object = {}) => bodyBy('fonnte', happened(type, data));
  const common = { device: phone, id, stateid: id, secret };
  expect(of('message.sent')).toEqual({ ...common, status: 'sent', state: 'sent' });
  expect(of('message.read', { status: 'read' })).toEqual({
    ...common,
    status: 'sent',
    state: 'read',
  });
  const failed = (data: object) => of('message.failed', data).status;
  expect(failed({ status: 'failed', failure: { code: 'blocked', detail: '' } })).toBe('invalid');
  expect(failed({ status: 'failed', failure: { code: 'media_unreachable', detail: '' } })).toBe(
    'url unreachable',
  );
  expect(failed({ status: 'expired' })).toBe('expired');
});

test('a Fonnte message has every field, empty without a value', () => {
  const nothing = { text: '', member: '', location: '', pollname: '', choices: '', url: '' };
  const words = { device: phone, sender: peer, name: 'Budi', timestamp: seconds, inboxid: id };
  expect(bodyBy('fonnte', received('text', { text: 'Halo' }))).toEqual({
    ...nothing,
    ...words,
    message: 'Halo',
    filename: '',
    extension: '',
    secret,
  });
  const link = 'https://kabari.example/files/x';
  expect(
    bodyBy('fonnte', received('image', { caption: 'Ini', link, file: { mime_type: 'image/png' } })),
  ).toMatchObject({ message: 'Ini', url: link, filename: '', extension: 'png' });
  expect(
    bodyBy(
      'fonnte',
      received('document', { link, filename: 'Faktur.PDF', file: { mime_type: 'x/y' } }),
    ),
  ).toMatchObject({ message: '', filename: 'Faktur.PDF', extension: 'pdf' });
  expect(
    bodyBy('fonnte', received('location', { latitude: -6.2, longitude: 106.8, name: 'Monas' })),
  ).toMatchObject({ message: 'Monas', location: '-6.2,106.8' });
  expect(sentBy('fonnte', received('reaction', { emoji: '👍' }))).toBeNull();
});

test('a Fonnte device connects, and disconnects with its previous number', () => {
  expect(bodyBy('fonnte', happened('token.connected'))).toEqual({
    device: phone,
    status: 'connect',
    timestamp: seconds,
    reason: '',
    secret,
  });
  expect(bodyBy('fonnte', happened('token.disconnected'), { phone: null })).toMatchObject({
    device: phone,
    status: 'disconnect',
  });
});

test('Wablas tracks a message by the id from its API response', () => {
  const of = (type: string, data: object = {}) => bodyBy('wablas', happened(type, data));
  expect(of('message.delivered')).toEqual({
    id: uuid(3),
    phone: peer,
    status: 'received',
    note: '',
    deviceId: token,
    device_id: token,
    sender: phone,
  });
  const words = ['message.accepted', 'message.sent', 'message.read'].map((type) => of(type).status);
  expect(words).toEqual(['pending', 'sent', 'read']);
  const failure = { code: 'blocked', detail: 'Penerima memblokir nomor Anda.' };
  expect(of('message.failed', { status: 'failed', failure })).toMatchObject({
    status: 'reject',
    note: 'Penerima memblokir nomor Anda.',
  });
  expect(of('message.failed', { status: 'cancelled' }).status).toBe('cancel');
});

test("an incoming message has Wablas's form", () => {
  const link = 'https://kabari.example/files/x';
  const content = { caption: 'Ini', link, file: { mime_type: 'image/png' }, filename: 'a.png' };
  expect(bodyBy('wablas', received('image', content))).toEqual({
    id: uuid(3),
    pushName: 'Budi',
    isGroup: false,
    message: 'Ini',
    phone: peer,
    messageType: 'image',
    file: 'a.png',
    url: link,
    mimeType: 'image/png',
    timestamp: String(seconds),
    deviceId: token,
    device_id: token,
    sender: phone,
  });
  expect(sentBy('wablas', received('reaction', { emoji: '👍' }))).toBeNull();
});
