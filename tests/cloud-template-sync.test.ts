import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { accessOf } from '#tests/support/meta/cloud-channel.ts';
import { test } from '#tests/support/meta/template-shop.ts';

type Named = { name: string };

test('lists a template with the values that each message gives', async ({ shop }) => {
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

test('offers a token of the Cloud API only what Meta approved for it', async ({ ani, meta }) => {
  const token = { token_id: publicId('token', ani.tokenId) };
  const move = (channel: string) => ani.ask('token_move', { ...token, channel });
  expect((await move('simulator')).status).toBe(200);
  const old = { name: 'catatan_lama', language: 'id', category: 'utility', body: 'Catatan lama.' };
  expect((await ani.ask('template_create', old)).status).toBe(200);
  const names = async () =>
    (await ani.ask('template_list', token)).body.result.data.map(({ name }: Named) => name);
  expect(await names()).toContain('catatan_lama');
  expect((await move('cloud')).status).toBe(200);
  await ani.ask('token_cloud_connect', { ...token, ...accessOf(meta) });
  meta.control.templates.add({ name: 'pesanan_siap' });
  await ani.ask('template_sync');
  expect(await names()).toContain('pesanan_siap');
  expect(await names()).not.toContain('catatan_lama');
});

test('refuses values that only Meta can fill in, with the reason, and approves without them', async ({
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
    const message = { to: '6281234567890', type: 'template', template: { name } };
    const refused = await ani.call('/v1/messages', { body: message });
    expect(refused.body.code).toBe('template_not_approved');
  }
  const [template] = meta.control.templates.list().filter(({ name }) => name === 'lokasi');
  template!.components = [{ type: 'HEADER', format: 'VIDEO' }, body];
  await ani.ask('template_sync');
  expect((await ani.call('/v1/templates/lokasi')).body.data).toMatchObject([
    { status: 'approved', reason: null, header_file: 'video' },
  ]);
});

test('prefers the approved of two templates of a name, and the dearer of two approved', async ({
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

test('prices two templates of a name by the dearer, even if it cannot be sent from here', async ({
  ani,
  meta,
}) => {
  const catalogue = {
    type: 'BUTTONS',
    buttons: [{ type: 'CATALOG', text: 'Lihat' }],
  };
  const components = [{ type: 'BODY', text: 'Halo' }, catalogue];
  meta.control.templates.add({ name: 'kembar', category: 'UTILITY' });
  meta.control.templates.add({ name: 'kembar', category: 'MARKETING', components });
  await ani.ask('template_sync');
  expect((await ani.call('/v1/templates/kembar')).body.data).toMatchObject([
    { category: 'marketing', status: 'rejected' },
  ]);
});

test('counts a template’s twin in a list of any length', async ({ ani, meta }) => {
  meta.control.templates.add({ name: 'kembar', category: 'UTILITY' });
  for (let n = 0; n < 500; n++) meta.control.templates.add({ name: `lain_${n}` });
  meta.control.templates.add({ name: 'kembar', category: 'MARKETING' });
  await ani.ask('template_sync');
  expect((await ani.call('/v1/templates/kembar')).body.data).toMatchObject([
    { category: 'marketing', status: 'approved' },
  ]);
});

test('learns of a new category within the hour without a callback', async ({ ani, meta }) => {
  const { templates } = meta.control;
  templates.add({ name: 'kabar', category: 'UTILITY' });
  await ani.ask('template_sync');
  Object.assign(
    templates.list().find(({ name }) => name === 'kabar')!,
    { category: 'MARKETING' },
  );
  await ani.running.container.channels.cloud.readTemplates();
  expect((await ani.call('/v1/templates/kabar')).body.data).toMatchObject([
    { category: 'marketing' },
  ]);
});

test('reads all other templates beside an odd one in Meta’s list', async ({ ani, meta }) => {
  const add = (name: string, of: object = {}) => meta.control.templates.add({ name, ...of });
  const body = { type: 'BODY', text: 'Halo\u0000\ud800' };
  add('a'.repeat(9_000) + Math.random());
  add('kategori', { category: 'constructor' });
  add('judul', { components: [{ type: 'HEADER', format: 'constructor' }, body] });
  add('isi', { components: [body] });
  expect((await ani.ask('template_sync')).status).toBe(200);
  const { data } = (await ani.call('/v1/templates')).body;
  expect(data.map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual([
    ['hello_world', 'approved'],
    ['isi', 'approved'],
    ['judul', 'rejected'],
  ]);
});

test('submits a header with a variable together with its example', async ({ ani, meta }) => {
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
