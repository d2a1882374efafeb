import { picture } from '#tests/support/app/uploads-app.ts';
import { type FileHost, fileHost } from '#tests/support/media/file-host.ts';
import { type CloudSender, test as base } from './cloud-channel.ts';

export const templates = {
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

/** A customer whose business account has these templates, synchronized; and a host of files. */
export const test = base.extend<{
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
