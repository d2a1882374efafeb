import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { numberIdOf } from '#contract/dialects/cloud.ts';
import { pdfOf, picture } from '#tests/support/app/uploads-app.ts';
import { fileForm } from '#tests/support/hostile/file-form.ts';
import { type FileHost, fileHost } from '#tests/support/media/file-host.ts';
import { type CloudSender, test as base } from '#tests/support/meta/cloud-channel.ts';
import type { FakeMeta } from '#tests/support/meta/fake-meta.ts';

const BUDI = '6281234567890';

/** Every kind of template whose header or buttons a message fills in. */
const templates = {
  promo: [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Halo {{1}}, diskon 20%.' },
    { type: 'FOOTER', text: 'Toko Ani' },
  ],
  tagihan: [
    { type: 'HEADER', format: 'DOCUMENT' },
    { type: 'BODY', text: 'Tagihan Anda terlampir.' },
  ],
  sapaan: [
    { type: 'HEADER', format: 'TEXT', text: 'Halo {{nama}}' },
    { type: 'BODY', text: 'Pesanan {{nomor}} siap.' },
  ],
  lacak: [
    { type: 'BODY', text: 'Pesanan dikirim.' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Toko', url: 'https://toko.example/' },
        { type: 'QUICK_REPLY', text: 'Terima kasih' },
        { type: 'URL', text: 'Lacak', url: 'https://toko.example/lacak/{{1}}' },
        { type: 'COPY_CODE', example: ['HEMAT20'] },
        { type: 'PHONE_NUMBER', text: 'Telepon', phone_number: '+6281200000000' },
        { type: 'QUICK_REPLY', text: 'Ada masalah' },
      ],
    },
  ],
} as const;

/** A customer whose business account has these templates, as read anew from Meta; and a host of files. */
const test = base.extend<{
  host: FileHost;
  env: Record<string, string>;
  shop: CloudSender;
}>({
  host: async ({ db: _ }, use) => {
    const png = await picture('png', { width: 90, height: 60 });
    const host = await fileHost(({ url }, response) => {
      if (url?.startsWith('/gone')) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'image/png' }).end(png);
    });
    await use(host);
    host.close();
  },
  env: async ({ host }, use) => use({ MEDIA_LISTED: host.origin }),
  shop: async ({ ani, meta }, use) => {
    for (const [name, components] of Object.entries(templates)) {
      meta.control.templates.add({ name, category: 'MARKETING', components });
    }
    await ani.ask('template_sync');
    await use(ani);
  },
});

/** Gives a file. @returns its id, `med_…`. */
async function given({ call }: CloudSender, name: string, bytes: Buffer): Promise<string> {
  const type = name.endsWith('.pdf') ? 'application/pdf' : 'image/png';
  const answer = await call('/v1/media', fileForm([['file', { name, type, bytes }]]));
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const send = ({ call }: CloudSender, template: object) =>
  call('/v1/messages', { body: { to: BUDI, type: 'template', template } });

/** The components of the newest message that reached Meta. */
function componentsOf(meta: FakeMeta): unknown {
  const { body } = meta.control.sent().at(-1) ?? {};
  return (body?.['template'] as { components: unknown } | undefined)?.components;
}

/** Sends a template. @returns the components that reached Meta, and the message as `/v1` shows it. */
async function sent(shop: CloudSender, meta: FakeMeta, template: object) {
  const { status, body } = await send(shop, template);
  expect([status, body.price]).toEqual([202, 650]);
  const message = await shop.becomes(body.id, 'read');
  return { components: componentsOf(meta), message };
}

test('a template is listed with what each message gives for it', async ({ shop }) => {
  const { body } = await shop.call('/v1/templates');
  const known = Object.fromEntries(body.data.map((one: { name: string }) => [one.name, one]));
  expect(known).toMatchObject({
    promo: { status: 'approved', header: null, header_file: 'image', header_variable: null },
    tagihan: { status: 'approved', header_file: 'document', button_values: [] },
    sapaan: { status: 'approved', header: 'Halo {{nama}}', header_variable: 'nama' },
    lacak: {
      status: 'approved',
      header_file: null,
      buttons: ['Toko', 'Terima kasih', 'Lacak', 'Salin kode', 'Telepon', 'Ada masalah'],
      button_values: [
        { index: 2, title: 'Lacak', takes: 'url' },
        { index: 3, title: 'Salin kode', takes: 'code' },
      ],
    },
  });
});

test('what Meta alone can fill in is refused with the reason, and approved once it is gone', async ({
  ani,
  meta,
}) => {
  const body = { type: 'BODY', text: 'Halo' };
  const buttons = (type: string) => ({ type: 'BUTTONS', buttons: [{ type, text: 'Buka' }] });
  const unfit = {
    lokasi: [{ type: 'HEADER', format: 'LOCATION' }, body],
    produk: [{ type: 'HEADER', format: 'PRODUCT' }, body],
    geser: [body, { type: 'CAROUSEL', cards: [] }],
    formulir: [body, buttons('FLOW')],
    katalog: [body, buttons('CATALOG')],
    banyak: [body, buttons('MPM')],
  };
  const names = Object.entries(unfit).map(([name, components]) => {
    meta.control.templates.add({ name, components });
    return name;
  });
  await ani.ask('template_sync');
  for (const name of names) {
    const { data } = (await ani.call(`/v1/templates/${name}`)).body;
    expect(data, name).toMatchObject([
      { status: 'rejected', reason: expect.stringContaining('belum dapat dikirim dari sini') },
    ]);
    expect((await send(ani, { name })).body.code).toBe('template_not_approved');
  }
  const [template] = meta.control.templates.list().filter(({ name }) => name === 'lokasi');
  template!.components = [{ type: 'HEADER', format: 'VIDEO' }, body];
  await ani.ask('template_sync');
  expect((await ani.call('/v1/templates/lokasi')).body.data).toMatchObject([
    { status: 'approved', reason: null, header_file: 'video' },
  ]);
});

test('of two templates of a name the approved one counts, and of two such the dearer', async ({
  ani,
  meta,
}) => {
  const add = (category: string, status: 'APPROVED' | 'PENDING') =>
    meta.control.templates.add({ name: 'kembar', category, status });
  add('UTILITY', 'APPROVED');
  add('MARKETING', 'APPROVED');
  add('AUTHENTICATION', 'PENDING');
  await ani.ask('template_sync');
  const { body } = await ani.call('/v1/templates/kembar');
  expect(body.data).toMatchObject([{ category: 'marketing', status: 'approved' }]);
});

test('a picture stands above the text, by its id or its link, and is shown', async ({
  shop,
  meta,
  host,
}) => {
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

test('a picture that cannot be had fails the message, and costs nothing', async ({
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

test('a header with a variable is handed in with its example', async ({ ani, meta }) => {
  const template = { name: 'salam', header: 'Halo {{nama}}', body: 'Pesanan {{nomor}} siap.' };
  expect((await ani.call('/v1/templates', { body: template })).status).toBe(201);
  const [handedIn] = meta.control.templates.list().filter(({ name }) => name === 'salam');
  expect(handedIn?.components).toEqual([
    {
      type: 'HEADER',
      format: 'TEXT',
      text: 'Halo {{nama}}',
      example: { header_text_named_params: [{ param_name: 'nama', example: 'nama' }] },
    },
    {
      type: 'BODY',
      text: 'Pesanan {{nomor}} siap.',
      example: { body_text_named_params: [{ param_name: 'nomor', example: 'nomor' }] },
    },
  ]);
});

test('a document goes by its name', async ({ shop, meta }) => {
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

test('the variable of a header is filled in', async ({ shop, meta }) => {
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

test('an address and a coupon are filled in, and replies stand at their place among all buttons', async ({
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
  const [chosen] = (await shop.call('/v1/messages?direction=in&limit=1')).body.data;
  expect(chosen.content.choice).toMatchObject({ title: 'Ada masalah', of: message.id });
});

test('a client of Meta sends the same by its own shapes', async ({ shop, meta, host }) => {
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

test('the sample of the page is taken for such a template', async ({ shop, meta }) => {
  const page = await readFile(join(import.meta.dirname, '../docs/api.md'), 'utf8');
  const [, sample = ''] = /### Headers and buttons[\s\S]*?```json\n([\s\S]*?)```/.exec(page) ?? [];
  const [header, body] = templates.promo;
  const url = { type: 'URL', text: 'Pesan', url: 'https://toko.example/promo/{{1}}' };
  const lines = { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Tidak' }, url] };
  meta.control.templates.add({ name: 'promo_juni', components: [header, body, lines] });
  await shop.ask('template_sync');
  expect(await shop.call('/v1/messages', { body: sample })).toMatchObject({ status: 202 });
});

test('what does not fit is refused before any money is held', async ({ shop, meta }) => {
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
