import { describe, expect, test } from 'vitest';
import { wamidOf } from '#contract/dialects.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { CloudRefusal } from '#server/http/dialects/cloud/errors.ts';
import { readCloudRequest } from '#server/http/dialects/cloud/request.ts';

const quoted = publicId('message', '0193b0a0-7c00-7000-8000-00000000ffff');
const link = 'https://contoh.id/a.png';

function messageOf(fields: object, options = {}) {
  const body = { messaging_product: 'whatsapp', to: '0812-3456-7890', ...fields };
  const read = readCloudRequest(body, { language: 'en', ...options });
  if (read instanceof Refusal) throw new Error(JSON.stringify(read.facts));
  if (read.kind !== 'message') throw new Error('a receipt');
  return read.message;
}

function refusalOf(fields: unknown): { code: number; fields: Record<string, string> } {
  const read = readCloudRequest(fields, { language: 'en' });
  if (!(read instanceof CloudRefusal)) throw new Error(JSON.stringify(read));
  return { code: read.graphCode, fields: read.facts.fields };
}

const to = '6281234567890';

test('a person with a hidden number is addressed by their user id, unless a number is given', () => {
  const text = { body: 'Halo' };
  expect(messageOf({ to: undefined, recipient: 'ID.1A2B', text }).to).toBe('ID.1A2B');
  expect(messageOf({ recipient: 'ID.1A2B', to, text }).to).toBe(to);
});

describe('each type becomes the message that /v1 would receive', () => {
  const cases: [string, object, object][] = [
    ['a text without a type', { text: { body: 'Halo' } }, { type: 'text', text: { body: 'Halo' } }],
    [
      'an answer that wants something echoed',
      {
        text: { body: 'Ya' },
        context: { message_id: wamidOf(quoted) },
        biz_opaque_callback_data: 'pesanan 17',
      },
      { reply_to: quoted, metadata: { biz_opaque_callback_data: 'pesanan 17' } },
    ],
    [
      'an image by link',
      { type: 'image', image: { link, caption: 'Foto' } },
      { type: 'image', image: { link }, caption: 'Foto' },
    ],
    [
      'a video without a caption',
      { type: 'video', video: { link, caption: '' } },
      { type: 'video', video: { link } },
    ],
    [
      'a voice note',
      { type: 'audio', audio: { link, voice: true, caption: 'x' } },
      { type: 'audio', audio: { link, voice: true } },
    ],
    [
      'a document',
      { type: 'document', document: { link, filename: 'a.pdf', caption: 'Berkas' } },
      { type: 'document', document: { link, filename: 'a.pdf' }, caption: 'Berkas' },
    ],
    ['a sticker', { type: 'sticker', sticker: { link } }, { type: 'sticker', sticker: { link } }],
    [
      'a place whose numbers are texts',
      { type: 'location', location: { latitude: '-6.2', longitude: '106.8', name: 'Toko' } },
      { type: 'location', location: { latitude: -6.2, longitude: 106.8, name: 'Toko' } },
    ],
    [
      'a contact',
      {
        type: 'contacts',
        contacts: [
          {
            name: { formatted_name: 'Ani', first_name: 'Ani' },
            phones: [{ phone: '+62 812 1111 2222', type: 'CELL' }],
            emails: [{ email: 'ani@contoh.id', type: 'WORK' }],
            org: { company: 'Toko Ani' },
          },
        ],
      },
      {
        type: 'contact',
        contact: {
          name: 'Ani',
          phone: '6281211112222',
          organization: 'Toko Ani',
          email: 'ani@contoh.id',
        },
      },
    ],
    [
      'a contact with two phones and a name in parts',
      {
        type: 'contacts',
        contacts: [
          {
            name: { first_name: 'Ani', last_name: 'Wijaya' },
            phones: [{ phone: '0812 1111 2222' }, { wa_id: '6281233334444' }],
          },
        ],
      },
      {
        type: 'contact',
        contact: { name: 'Ani Wijaya', phones: ['6281211112222', '6281233334444'] },
      },
    ],
    [
      'a reaction',
      { type: 'reaction', reaction: { message_id: wamidOf(quoted), emoji: '👍' } },
      { type: 'reaction', reaction: { message_id: quoted, emoji: '👍' } },
    ],
    [
      'a reaction taken back',
      { type: 'reaction', reaction: { message_id: wamidOf(quoted), emoji: '' } },
      { type: 'reaction', reaction: { message_id: quoted, emoji: '' } },
    ],
    [
      'a template',
      {
        type: 'template',
        template: {
          name: 'order_ready',
          language: { code: 'id' },
          components: [
            {
              type: 'body',
              parameters: [
                { type: 'text', text: 'Budi' },
                { type: 'currency', currency: { fallback_value: 'Rp10.000', code: 'IDR' } },
                { type: 'date_time', date_time: { fallback_value: '25 Februari 2026' } },
              ],
            },
            { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [] },
          ],
        },
      },
      {
        type: 'template',
        template: {
          name: 'order_ready',
          language: 'id',
          variables: ['Budi', 'Rp10.000', '25 Februari 2026'],
        },
      },
    ],
  ];
  for (const [what, given, expected] of cases) {
    test(what, () => expect(messageOf(given)).toMatchObject({ to, ...expected }));
  }

  test('header and button parameters of a template have their own fields', () => {
    const templateWith = (...components: object[]) =>
      messageOf({ type: 'template', template: { name: 'promo', components } });
    const headerOf = (parameter: object) => {
      const message = templateWith({ type: 'header', parameters: [parameter] });
      return message.type === 'template' && [message.template.header, message.headerKind];
    };
    const id = publicId('media', '0193b0a0-7c00-7000-8000-00000000ffff');
    expect(headerOf({ type: 'image', image: { link } })).toEqual([{ link }, 'image']);
    expect(headerOf({ type: 'document', document: { id, link, filename: 'a.pdf' } })).toEqual([
      { id, filename: 'a.pdf' },
      'document',
    ]);
    expect(headerOf({ type: 'text', text: 'Budi' })).toEqual([{ text: 'Budi' }, undefined]);
    const button = (sub_type: string, index: unknown, parameter: object) => ({
      type: 'button',
      sub_type,
      index,
      parameters: [parameter],
    });
    const filled = templateWith(
      button('url', '1', { type: 'text', text: 'A-17' }),
      button('copy_code', 2, { type: 'coupon_code', coupon_code: 'HEMAT' }),
      button('quick_reply', '0', { type: 'payload', payload: 'OK' }),
      button('flow', '3', { type: 'action', action: {} }),
    );
    expect(filled).toMatchObject({
      template: {
        buttons: [
          { index: 1, text: 'A-17' },
          { index: 2, text: 'HEMAT' },
        ],
      },
      payloads: ['OK', ...Array(9).fill(undefined)],
    });
  });

  test('a template with named variables is filled by name', () => {
    const parameters = ['pesanan', 'nama'].map((name) => ({
      type: 'text',
      parameter_name: name,
      text: `<${name}>`,
    }));
    const template = {
      name: 'siap',
      language: { code: 'id' },
      components: [{ type: 'BODY', parameters }],
    };
    const given = { type: 'template', template };
    expect(messageOf(given, { variableNames: ['nama', 'pesanan'] })).toMatchObject({
      template: { variables: ['<nama>', '<pesanan>'] },
    });
    expect(messageOf(given)).toMatchObject({ template: { variables: ['<pesanan>', '<nama>'] } });
    expect(messageOf(given, { variableNames: ['nama', 'pesanan', 'jam'] })).toMatchObject({
      template: { variables: ['<nama>', '<pesanan>'] },
    });
    expect(() => messageOf(given, { variableNames: ['nama', 'nomor'] })).toThrow('nama, nomor');
  });
});

describe('interactive messages become text', () => {
  const interactive = (given: object) =>
    messageOf({ type: 'interactive', interactive: { body: { text: 'Jadi?' }, ...given } });
  const buttons = ['Ya', 'Tidak'].map((title, id) => ({
    type: 'reply',
    reply: { id: String(id), title },
  }));

  test('buttons are numbered', () => {
    const header = { type: 'text', text: 'Pesanan' };
    const footer = { text: 'Toko Ani' };
    expect(interactive({ type: 'button', header, footer, action: { buttons } })).toMatchObject({
      type: 'text',
      text: { body: '*Pesanan*\n\nJadi?\n\n1. Ya\n2. Tidak\n\n_Toko Ani_' },
    });
  });

  test('list rows are numbered across sections', () => {
    const sections = [
      { title: 'Roti', rows: [{ id: 'a', title: 'Tawar', description: 'Rp10.000' }] },
      { title: 'Kue', rows: [{ id: 'b', title: 'Lapis' }] },
    ];
    expect(interactive({ type: 'list', action: { button: 'Pilih', sections } })).toMatchObject({
      text: { body: 'Jadi?\n\nPilih:\n\n*Roti*\n1. Tawar — Rp10.000\n\n*Kue*\n2. Lapis' },
    });
  });

  test('a link is unchanged', () => {
    const parameters = { display_text: 'Buka', url: 'https://contoh.id' };
    expect(interactive({ type: 'cta_url', action: { name: 'cta_url', parameters } })).toMatchObject(
      { text: { body: 'Jadi?\n\nBuka: https://contoh.id' } },
    );
  });

  test('a header image gets the text as its caption', () => {
    const header = { type: 'image', image: { link } };
    expect(interactive({ type: 'button', header, action: { buttons } })).toMatchObject({
      type: 'image',
      image: { link },
      caption: 'Jadi?\n\n1. Ya\n2. Tidak',
    });
  });
});

describe('a refusal names the fields as the caller wrote them', () => {
  const whole = { to, type: 'text', text: { body: 'Halo' } };
  const cases: [string, unknown, number, string][] = [
    ['nothing', null, 131008, 'to'],
    ['a list', [], 131008, 'to'],
    ['no text', { to }, 131008, 'text'],
    ['a text that is none', { ...whole, text: 'Halo' }, 131009, 'text'],
    ['a body that is none', { ...whole, text: { body: 7 } }, 131009, 'text.body'],
    ['half a pair', { ...whole, text: { body: '\uD800' } }, 131009, 'text.body'],
    ['a type that is none', { ...whole, type: { a: 1 } }, 131051, 'type'],
    ['a type of every object', { ...whole, type: 'constructor' }, 131051, 'type'],
    ['a group', { ...whole, recipient_type: 'group' }, 131009, 'recipient_type'],
    ['no id of a user', { recipient: 'id.1A2B', text: { body: 'x' } }, 131009, 'recipient'],
    [
      'a caption that is too long',
      { to, type: 'image', image: { link, caption: 'x'.repeat(1025) } },
      131009,
      'image.caption',
    ],
    ['no file', { to, type: 'image', image: {} }, 131009, 'image'],
    ['no contact', { to, type: 'contacts' }, 131008, 'contacts.0.name.formatted_name'],
    ['many contacts', { to, type: 'contacts', contacts: Array(1e4).fill({}) }, 131009, 'contacts'],
    [
      'something else echoed',
      { ...whole, biz_opaque_callback_data: { a: 1 } },
      131009,
      'biz_opaque_callback_data',
    ],
    [
      'an interactive message of a catalogue',
      { to, type: 'interactive', interactive: { type: 'product', body: { text: 'x' } } },
      131051,
      'interactive.type',
    ],
    [
      'no options',
      { to, type: 'interactive', interactive: { type: 'button', body: { text: 'x' } } },
      131008,
      'interactive.action',
    ],
    [
      'too much text',
      {
        to,
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'x'.repeat(4000) },
          action: { buttons: Array(1e4).fill({ reply: { title: 'Ya' } }) },
        },
      },
      131009,
      'interactive.body.text',
    ],
    [
      'a header of a template with a place',
      {
        to,
        type: 'template',
        template: {
          name: 'a',
          components: [{ type: 'header', parameters: [{ type: 'location', location: {} }] }],
        },
      },
      132012,
      'template.components',
    ],
  ];
  for (const [what, given, code, field] of cases) {
    test(what, () => {
      const refused = refusalOf(given);
      expect(refused.code).toBe(code);
      expect(Object.keys(refused.fields)).toContain(field);
    });
  }
});

const strange = [
  null,
  true,
  0,
  -1,
  Number.MAX_VALUE,
  '',
  '\0',
  '\uD800',
  [],
  [[]],
  {},
  JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":1}}'),
];
const types =
  'text image video audio document sticker location contacts reaction interactive template';

test('a wrong type in any place is refused, never an internal error', () => {
  const places = ['to', 'type', 'context', 'recipient', 'status', 'biz_opaque_callback_data'];
  const within =
    'body id link caption filename latitude longitude name phones 0 emails org message_id emoji type header footer action buttons sections components language parameters'.split(
      ' ',
    );
  for (const type of types.split(' ')) {
    for (const value of strange) {
      for (const place of places) {
        readCloudRequest({ to, type, text: { body: 'x' }, [place]: value }, { language: 'id' });
      }
      readCloudRequest({ to, type, [type]: value }, { language: 'id' });
      for (const name of within) {
        for (const inner of [{ [name]: value }, [{ [name]: value }]]) {
          readCloudRequest({ to, type, [type]: inner }, { language: 'id' });
        }
      }
    }
  }
});
