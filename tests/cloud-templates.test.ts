import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { numberIdOf } from '#contract/dialects.ts';
import { pdfOf, picture } from '#tests/support/app/uploads-app.ts';
import { fileForm } from '#tests/support/hostile/file-form.ts';
import type { CloudSender } from '#tests/support/meta/cloud-channel.ts';
import type { FakeMeta } from '#tests/support/meta/fake-meta.ts';
import { templates, test } from '#tests/support/meta/template-shop.ts';

const BUDI = '6281234567890';

/** Uploads a file. @returns its id, `med_…`. */
async function given({ call }: CloudSender, name: string, bytes: Buffer): Promise<string> {
  const type = name.endsWith('.pdf') ? 'application/pdf' : 'image/png';
  const answer = await call('/v1/media', fileForm([['file', { name, type, bytes }]]));
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const send = ({ call }: CloudSender, template: object) =>
  call('/v1/messages', { body: { to: BUDI, type: 'template', template } });

function componentsOf(meta: FakeMeta): unknown {
  const { body } = meta.control.sent().at(-1) ?? {};
  return (body?.['template'] as { components: unknown } | undefined)?.components;
}

/** @returns the components that reached Meta, and the message as `/v1` shows it. */
async function sent(shop: CloudSender, meta: FakeMeta, template: object) {
  const { status, body } = await send(shop, template);
  expect([status, body.price]).toEqual([202, 650]);
  const message = await shop.becomes(body.id, 'read');
  return { components: componentsOf(meta), message };
}

test('shows a picture above the text, by id or link', async ({ shop, meta, host }) => {
  const id = await given(shop, 'kue.png', await picture('png', { width: 90, height: 60 }));
  for (const header of [{ id }, { link: `${host.origin}/kue.png` }]) {
    const template = { name: 'promo', variables: ['Budi'], header };
    const { components, message } = await sent(shop, meta, template);
    expect(components).toEqual([
      {
        type: 'header',
        parameters: [{ type: 'image', image: { id: expect.stringMatching(/^\d+$/) } }],
      },
      { type: 'body', parameters: [{ type: 'text', text: 'Budi' }] },
    ]);
    expect(message.content).toMatchObject({
      template: 'promo',
      text: 'Halo Budi, diskon 20%.',
      header_file: 'image',
      file: { mime_type: 'image/png', url: expect.stringContaining('http') },
    });
  }
  const { body } = await shop.ask('conversation_messages', {
    token_id: publicId('token', shop.tokenId),
    peer: BUDI,
  });
  expect(body.data[0].content).toMatchObject({
    type: 'template',
    caption: 'Halo Budi, diskon 20%.',
    external: false,
    template: { media: 'png', footer: 'Toko Ani' },
  });
});

test('fails the message without a charge if its picture is unavailable', async ({
  shop,
  meta,
  host,
}) => {
  const before = (await shop.call('/v1/balance')).body;
  const header = { link: `${host.origin}/gone.png` };
  const { body } = await send(shop, { name: 'promo', variables: ['Budi'], header });
  expect((await shop.becomes(body.id, 'failed')).failure.code).toBe('media_unreachable');
  expect((await shop.call('/v1/balance')).body).toEqual(before);
  expect(meta.control.sent()).toEqual([]);
});

test('sends a document with its name', async ({ shop, meta }) => {
  const id = await given(shop, 'tagihan.pdf', pdfOf(2000));
  const named = await sent(shop, meta, { name: 'tagihan', header: { id, filename: 'INV-17.pdf' } });
  expect(named.components).toEqual([
    {
      type: 'header',
      parameters: [
        {
          type: 'document',
          document: { id: expect.stringMatching(/^\d+$/), filename: 'INV-17.pdf' },
        },
      ],
    },
  ]);
  const unnamed = await sent(shop, meta, { name: 'tagihan', header: { id } });
  expect(JSON.stringify(unnamed.components)).toContain('"filename":"tagihan.pdf"');
});

test('fills in the variable of a header', async ({ shop, meta }) => {
  const template = { name: 'sapaan', variables: ['A-17'], header: { text: 'Budi' } };
  const { components, message } = await sent(shop, meta, template);
  expect(components).toEqual([
    { type: 'header', parameters: [{ type: 'text', text: 'Budi', parameter_name: 'nama' }] },
    { type: 'body', parameters: [{ type: 'text', text: 'A-17', parameter_name: 'nomor' }] },
  ]);
  expect(message.content).toEqual({
    template: 'sapaan',
    language: 'id',
    header: 'Halo Budi',
    text: 'Pesanan A-17 siap.',
  });
});

const buttons = [
  { index: 3, text: 'HEMAT20' },
  { index: 2, text: 'A-17' },
];
const filledButtons = [
  { sub_type: 'url', index: '2', parameters: [{ type: 'text', text: 'A-17' }] },
  {
    sub_type: 'copy_code',
    index: '3',
    parameters: [{ type: 'coupon_code', coupon_code: 'HEMAT20' }],
  },
];
const reply = (index: string, payload: string) => ({
  type: 'button',
  sub_type: 'quick_reply',
  index,
  parameters: [{ type: 'payload', payload }],
});

test('fills in an address and a coupon, and keeps the position of replies among all buttons', async ({
  shop,
  meta,
}) => {
  const { components, message } = await sent(shop, meta, { name: 'lacak', buttons });
  expect(components).toMatchObject([
    reply('1', 'Terima kasih'),
    reply('5', 'Ada masalah'),
    ...filledButtons,
  ]);
  const titles = ['Terima kasih', 'Ada masalah'];
  expect(message.content.choices).toEqual({
    type: 'template',
    options: titles.map((title) => ({ id: title, title })),
  });
  meta.control.receiveFrom(BUDI, {
    type: 'button',
    content: { payload: 'Ada masalah', text: 'Ada masalah' },
    contextId: meta.control.sent()[0]!.wamid,
  });
  await meta.control.settled();
  const latest = async () =>
    (await shop.call('/v1/messages?direction=in&limit=1')).body.data[0].content;
  expect((await latest()).choice).toMatchObject({ title: 'Ada masalah', of: message.id });
  // The title of a button that is no reply selects nothing.
  meta.control.receiveFrom(BUDI, { type: 'text', content: { body: 'Lacak' } });
  await meta.control.settled();
  expect(await latest()).toEqual({ text: 'Lacak' });
});

test('accepts the same template in Meta’s own format from a client', async ({
  shop,
  meta,
  host,
}) => {
  const path = `/v23.0/${numberIdOf(publicId('token', shop.tokenId))}/messages`;
  const post = async (name: string, components: object[]) => {
    const template = { name, language: { code: 'id' }, components };
    return shop.call(path, {
      body: { messaging_product: 'whatsapp', to: BUDI, type: 'template', template },
    });
  };
  const latest = async () => {
    const [{ id }] = (await shop.call('/v1/messages?direction=out&limit=1')).body.data;
    await shop.becomes(id, 'read');
    return componentsOf(meta);
  };
  const body = { type: 'body', parameters: [{ type: 'text', text: 'Budi' }] };
  const image = { link: `${host.origin}/kue.png` };
  const header = { type: 'header', parameters: [{ type: 'image', image }] };
  expect((await post('promo', [header, body])).status).toBe(200);
  expect(await latest()).toMatchObject([
    { type: 'header', parameters: [{ type: 'image', image: { id: expect.anything() } }] },
    body,
  ]);
  const filled = filledButtons.map((one) => ({ type: 'button', ...one }));
  expect((await post('lacak', [...filled, reply('5', 'KELUHAN')])).status).toBe(200);
  expect(await latest()).toMatchObject([
    reply('1', 'Terima kasih'),
    reply('5', 'KELUHAN'),
    ...filledButtons,
  ]);
  const document = { type: 'header', parameters: [{ type: 'document', document: image }] };
  const wrong: [string, object[], number][] = [
    ['promo', [body], 132012],
    ['promo', [document, body], 132012],
    ['lacak', filled.slice(0, 1), 132012],
    ['tagihan', [header], 132012],
    ['tagihan', [{ type: 'header', parameters: [{ type: 'location' }] }], 132012],
  ];
  for (const [name, components, code] of wrong) {
    expect(await post(name, components)).toMatchObject({ status: 400, body: { error: { code } } });
  }
});

test('accepts the documented sample for such a template', async ({ shop, meta }) => {
  const page = await readFile(join(import.meta.dirname, '../docs/api.md'), 'utf8');
  const [, sample = ''] = /### Headers and buttons[\s\S]*?```json\n([\s\S]*?)```/.exec(page) ?? [];
  const [header, body] = templates.promo;
  const url = { type: 'URL', text: 'Pesan', url: 'https://toko.example/promo/{{1}}' };
  const lines = { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Tidak' }, url] };
  meta.control.templates.add({ name: 'promo_juni', components: [header, body, lines] });
  await shop.ask('template_sync');
  expect(await shop.call('/v1/messages', { body: sample })).toMatchObject({ status: 202 });
});

test('names the variable whose value Meta would refuse, in every way of sending and before money is reserved', async ({
  shop,
  meta,
}) => {
  const before = (await shop.call('/v1/balance')).body;
  const breaks = ['satu\ndua', 'satu\r\ndua', 'kolom\tdua', 'satu\u2028dua'];
  const values = [...breaks, 'lima     spasi', '     ', '\u200b '];
  for (const value of values) {
    const why = breaks.includes(value) ? 'breaks' : value.trim().length < 3 ? 'empty' : 'blanks';
    const wrong: [object, string][] = [
      [{ name: 'sapaan', variables: [value], header: { text: 'Budi' } }, 'nomor'],
      [{ name: 'sapaan', variables: ['A-17'], header: { text: value } }, 'nama'],
      [{ name: 'lacak', buttons: [buttons[1], { index: 3, text: value }] }, 'buttons[3]'],
    ];
    for (const [template, variable] of wrong) {
      const { status, body } = await send(shop, template);
      expect([status, body.code], JSON.stringify(template)).toEqual([422, 'template_value_unfit']);
      expect(body.detail).toContain(`variabel ${variable} `);
    }
    const portal = await shop.ask('message_send_template', {
      token_id: publicId('token', shop.tokenId),
      to: BUDI,
      name: 'sapaan',
      language: 'id',
      variables: [value],
      header: 'Budi',
    });
    expect(portal.body.error, JSON.stringify(portal.body)).toMatchObject({
      type: 'template_value_unfit',
      facts: { name: 'sapaan', variable: 'nomor', why },
    });
    const components = [
      { type: 'header', parameters: [{ type: 'text', parameter_name: 'nama', text: 'Budi' }] },
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'nomor', text: value }] },
    ];
    const graph = await shop.call(
      `/v23.0/${numberIdOf(publicId('token', shop.tokenId))}/messages`,
      {
        body: {
          messaging_product: 'whatsapp',
          to: BUDI,
          type: 'template',
          template: { name: 'sapaan', language: { code: 'id' }, components },
        },
      },
    );
    expect(graph).toMatchObject({ status: 400, body: { error: { code: 132018 } } });
    expect(graph.body.error.error_data.details).toContain('nomor');
  }
  expect((await shop.call('/v1/balance')).body).toEqual(before);
  expect(meta.control.sent()).toEqual([]);
  const fine = { name: 'sapaan', variables: ['empat    spasi'], header: { text: 'Budi' } };
  expect((await send(shop, fine)).status).toBe(202);
});

test('refuses mismatches before any money is reserved', async ({ shop, meta }) => {
  const image = await given(shop, 'kue.png', await picture('png', { width: 90, height: 60 }));
  const pdf = await given(shop, 'tagihan.pdf', pdfOf(2000));
  const unknown = publicId('media', '0193b0a0-7c00-7000-8000-00000000ffff');
  const link = 'https://toko.example/kue.png';
  const before = (await shop.call('/v1/balance')).body;
  const promo = { name: 'promo', variables: ['Budi'] };
  const sapaan = { name: 'sapaan', variables: ['A-17'] };
  const wrong: [object, number, string][] = [
    [promo, 422, 'template_parts_unfit'],
    [{ ...promo, header: { text: 'Budi' } }, 422, 'template_parts_unfit'],
    [{ ...promo, header: { id: pdf } }, 422, 'media_unfit'],
    [{ ...promo, header: { id: unknown } }, 422, 'media_not_found'],
    [{ ...promo, header: { id: image, link } }, 422, 'input_invalid'],
    [{ ...promo, header: {} }, 422, 'input_invalid'],
    [{ ...promo, header: { link }, buttons }, 422, 'template_parts_unfit'],
    [sapaan, 422, 'template_parts_unfit'],
    [{ ...sapaan, header: { id: image } }, 422, 'template_parts_unfit'],
    [{ ...sapaan, header: { text: 'x'.repeat(61) } }, 422, 'input_invalid'],
    [{ name: 'lacak' }, 422, 'template_parts_unfit'],
    [{ name: 'lacak', buttons: buttons.slice(1) }, 422, 'template_parts_unfit'],
    [
      { name: 'lacak', buttons: [...buttons, { index: 1, text: 'x' }] },
      422,
      'template_parts_unfit',
    ],
    [{ name: 'lacak', buttons: [...buttons, buttons[0]] }, 422, 'input_invalid'],
    [{ name: 'lacak', buttons: [{ index: 2, text: '' }] }, 422, 'input_invalid'],
    [{ name: 'lacak', buttons, header: { text: 'x' } }, 422, 'template_parts_unfit'],
  ];
  for (const [template, status, code] of wrong) {
    const answer = await send(shop, template);
    expect([answer.status, answer.body.code], JSON.stringify(template)).toEqual([status, code]);
  }
  expect((await shop.call('/v1/balance')).body).toEqual(before);
  expect(meta.control.sent()).toEqual([]);
  const { body } = await send(shop, { name: 'lacak', header: { link } });
  expect(body.message ?? body.detail).toContain('2, 3');
});
