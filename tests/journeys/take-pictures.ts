/**
 * Takes the pictures of docs/pictures from the running product with the shop of `seeds/shop.ts`: `npm run build && node
 * tests/journeys/take-pictures.ts`, with names to take only those.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { homeSummary } from '#contract/messages.ts';
import { saveSaldoAlert } from '#contract/saldo.ts';
import { openPerson, settled, startBrowser } from './browser/browser.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { apiPictures, type Picture } from './support/api-pictures.ts';
import { ask } from './support/portal.ts';
import { HOME } from './support/steps.ts';
import { type Product, type ProductOptions, startProduct } from './support/product.ts';
import { openShop, type Shop } from './seeds/shop.ts';
import { type OperatorWork, openOperatorWork } from './seeds/desk.ts';
import { cloudNumbers, cloudPictures, openCloudShop } from './seeds/cloud.ts';
import { startFakeMeta } from '#tests/support/meta/fake-meta.ts';
import { campaignPictures } from './seeds/campaign-pictures.ts';
import { conversationPictures, openQuickReplies } from './seeds/conversation-pictures.ts';
import { openMediaThread, openPhotoHost } from './seeds/media.ts';
import { mediaPictures } from './seeds/media-pictures.ts';
import { saveViews, tablePictures } from './seeds/table-pictures.ts';
import { openTemplates, templatePictures } from './seeds/templates.ts';
import { supportPictures } from './seeds/support-pictures.ts';
import { openThreads } from './seeds/threads.ts';
import { openBakeryServer, openWebhook, webhookPictures } from './seeds/webhooks.ts';
import { fakeActs } from './support/fake-acts.ts';
import { usage } from './support/fake-payments.ts';

const folder = join(import.meta.dirname, '../../docs/pictures');

async function quiet(address: string, { customer }: Shop): Promise<void> {
  const under = async () => {
    const { today, days } = await ask(address, homeSummary, {}, customer.session);
    return days.at(-1)?.waiting === 0 && today.delivered - today.read <= 1;
  };
  await waitFor(under);
}

async function openFirstLine(tab: Page): Promise<void> {
  await tab
    .getByRole('button', { name: /^Rincian/ })
    .first()
    .click();
  await tab.locator('[aria-expanded="true"]').first().waitFor();
}

async function toStatement(tab: Page): Promise<void> {
  const heading = tab.getByRole('heading', { name: 'Mutasi', exact: true });
  await heading.evaluate((element) =>
    window.scrollTo(0, window.scrollY + element.getBoundingClientRect().top - 84),
  );
}

const picturesOf = ({ customer: { session }, waiting, peer }: Shop): Picture[] => [
  {
    name: 'beranda',
    options: { session, height: 1_560 },
    path: HOME,
    before: (tab) => tab.getByRole('table').first().waitFor(),
  },
  {
    name: 'kunci-token',
    options: { session },
    path: '/token?view=new',
    before: async (tab) => {
      await tab.getByRole('dialog').getByLabel('Nama').fill('Notifikasi Pesanan');
      await tab.getByRole('button', { name: 'Tambah', exact: true }).click();
      await tab.getByLabel('Kunci API').waitFor();
    },
  },
  {
    name: 'saldo',
    options: { session, height: 1_000 },
    path: '/saldo',
    before: async (tab) => {
      // The shop has opened today; its thirty days are made up.
      await fakeActs(tab, { saldo_usage: () => usage() });
      await tab.reload();
      await tab.getByText('Cukup untuk ±', { exact: false }).waitFor();
      await tab.getByText('Saldo di bawah batas', { exact: false }).waitFor();
    },
  },
  {
    name: 'isi-saldo',
    options: { session },
    path: '/saldo',
    before: async (tab) => {
      await tab.getByRole('link', { name: /Menunggu pembayaran/ }).click();
      await tab.getByText('Transfer tepat sejumlah').waitFor();
    },
  },
  {
    name: 'mutasi',
    options: { session },
    path: '/saldo',
    before: async (tab) => {
      await openFirstLine(tab);
      await toStatement(tab);
    },
  },
  {
    name: 'mutasi-ponsel',
    options: { session, width: 390, dark: true },
    path: '/saldo',
    before: async (tab) => {
      await openFirstLine(tab);
      await toStatement(tab);
    },
  },
  {
    name: 'dokumentasi',
    options: {},
    path: '/docs',
    before: (tab) => tab.getByRole('heading', { name: 'Dokumentasi API' }).waitFor(),
  },
  {
    name: 'simulator',
    options: {},
    path: `/simulator?phone=${peer}`,
    before: (tab) => tab.getByText(/seragam keluarga/).waitFor(),
  },
  {
    name: 'pindai',
    options: { width: 390 },
    path: waiting.scan,
    before: async (tab) => {
      await tab.getByRole('button', { name: /Saya mengerti/ }).click();
      await tab.getByText('Kode penautan', { exact: true }).waitFor();
    },
  },
  {
    name: 'sambungkan',
    options: { session },
    path: `/token?open=${waiting.id}&view=link`,
    before: async (tab) => {
      await tab.getByRole('img', { name: /Kode QR/ }).waitFor();
    },
  },
  {
    name: 'profil-ponsel',
    options: { session, width: 390 },
    path: '/profile',
    before: (tab) => tab.getByRole('heading', { name: 'Sesi' }).waitFor(),
  },
  {
    name: 'lompat',
    options: { session },
    path: '/saldo',
    before: async (tab) => {
      await tab.getByRole('row').nth(1).waitFor();
      await tab.keyboard.press('Control+k');
      await tab.getByRole('dialog', { name: 'Cari atau lompat' }).waitFor();
      await tab.keyboard.type('token');
    },
  },
  {
    name: 'galeri',
    options: {},
    path: '/__galeri/data-table',
    before: (tab) => tab.getByRole('table').first().waitFor(),
  },
  {
    name: 'masuk',
    options: {},
    path: '/auth/login',
    before: (tab) => tab.getByRole('button', { name: 'Masuk', exact: true }).waitFor(),
  },
];

const openRow = (name: RegExp) => async (tab: Page) => {
  await tab.getByRole('row', { name }).first().getByRole('button').first().click();
  await tab.getByRole('dialog').waitFor();
};

const moneyPictures = ({ bakery: { session }, qris, va, verify }: OperatorWork): Picture[] => [
  {
    name: 'isi-saldo-qris',
    options: { session },
    path: `/saldo?open=${qris.id}`,
    before: (tab) => tab.getByRole('img', { name: /Kode QRIS/ }).waitFor(),
  },
  {
    name: 'isi-saldo-va-ponsel',
    options: { session, width: 390 },
    path: `/saldo?open=${va.id}`,
    before: (tab) => tab.getByText(/^Nomor virtual account/).waitFor(),
  },
  {
    name: 'tagihan',
    options: { session, height: 1_320 },
    path: '/billing',
    before: (tab) => tab.getByRole('row', { name: /Paket Usaha/ }).waitFor(),
  },
  {
    name: 'tagihan-ganti-paket',
    options: { session },
    path: '/billing?change=bisnis',
    before: (tab) => tab.getByRole('button', { name: /^Setujui dan bayar/ }).waitFor(),
  },
  {
    name: 'faktur',
    options: { width: 390, height: 720 },
    path: new URL(verify).pathname,
    before: (tab) => tab.getByRole('heading', { name: 'Dokumen ini asli' }).waitFor(),
  },
];

const operatorPictures = ({ operator: session, statement }: OperatorWork): Picture[] => [
  {
    name: 'operator-ringkasan',
    options: { session, height: 1_000 },
    path: '/operator',
    before: (tab) => tab.getByText('Saldo semua pelanggan').waitFor(),
  },
  {
    name: 'operator-isi-saldo',
    options: { session },
    path: '/operator/isi-saldo?status=pending',
    before: openRow(/Apotek/),
  },
  {
    name: 'operator-pelanggan',
    options: { session },
    path: '/operator/pelanggan?q=Bengkel',
    before: async (tab) => {
      await tab
        .getByRole('row', { name: /Bengkel/ })
        .getByRole('button')
        .first()
        .click();
      await tab.getByText('Mutasi terakhir').waitFor();
    },
  },
  {
    name: 'operator-pembukuan-gelap',
    options: { session, dark: true },
    path: '/operator/pembukuan',
    before: (tab) => tab.getByText(/Semua \d+ aturan cocok/).waitFor(),
  },
  {
    name: 'operator-mutasi-bank',
    options: { session, height: 1_000 },
    path: '/operator/mutasi-bank/impor',
    before: async (tab) => {
      await tab.locator('input[type="file"]').setInputFiles({
        name: 'mutasi-bca.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(statement),
      });
      await tab.getByRole('heading', { name: 'Yang akan terjadi' }).waitFor();
    },
  },
];

const systemPictures = ({ operator: session }: OperatorWork): Picture[] => [
  {
    name: 'operator-pengaturan',
    options: { session },
    path: '/operator/pengaturan',
    before: (tab) => tab.getByText('Jam buka layanan pelanggan').waitFor(),
  },
  {
    name: 'operator-audit',
    options: { session, dark: true },
    path: '/operator/audit',
    before: async (tab) => {
      await tab.getByRole('row').nth(3).waitFor();
      await tab.getByRole('button', { name: 'Periksa sekarang' }).click();
      await tab.getByText(/^Rantai utuh sampai/).waitFor();
    },
  },
  {
    name: 'operator-keamanan-ponsel',
    options: { session, width: 390 },
    path: '/operator/keamanan',
    before: (tab) => tab.getByRole('heading', { name: 'Keamanan' }).waitFor(),
  },
];

async function take(browser: Browser, address: string, picture: Picture): Promise<void> {
  const person = await openPerson(browser, address, {
    floatingScrollbars: true,
    notices: true,
    ...picture.options,
  });
  const tab = await person.open(picture.path);
  await picture.before(tab);
  await tab.evaluate(() => document.fonts.ready);
  await settled(tab);
  await tab.screenshot({ path: join(folder, `${picture.name}.png`) });
  await person.context.close();
}

type Album = {
  freePlan: NonNullable<ProductOptions['freePlan']>;
  settings?: Record<string, string>;
  fill: (product: Product) => Promise<readonly Picture[]>;
};

const photo = await openPhotoHost();
const target = await openBakeryServer();
const meta = await startFakeMeta({ numbers: cloudNumbers });

const albums: readonly Album[] = [
  {
    freePlan: 'paying',
    settings: { SIMULATOR_SPEED: '0', CLOUD_URL: `${meta.url}/v23.0` },
    fill: async (product) => cloudPictures(await openCloudShop(product, meta)),
  },
  {
    freePlan: 'paying',
    settings: { SIMULATOR_SPEED: '0', WEBHOOK_ORIGINS: target.origin },
    fill: async ({ address }) => webhookPictures(await openWebhook(address, target.url)),
  },
  {
    freePlan: 'paying',
    settings: { SIMULATOR_SPEED: '0', MEDIA_LISTED: photo.origin },
    fill: async ({ address }) => {
      const phones = { phone: '6281355503061', peer: '6281299990061' };
      return mediaPictures(await openMediaThread(address, photo, phones));
    },
  },
  {
    // A shop of several branches has more tokens than the shipped free plan.
    freePlan: 'paying',
    fill: async ({ address }) => {
      const shop = await openShop(address);
      await quiet(address, shop);
      await ask(address, saveSaldoAlert, { threshold: 1_000_000 }, shop.customer.session);
      await openTemplates(address, shop.customer);
      await saveViews(address, shop);
      await openQuickReplies(address, shop);
      return [
        ...picturesOf(shop),
        ...tablePictures(shop),
        ...apiPictures(shop, address),
        ...templatePictures(shop.customer),
        ...(await campaignPictures(address, shop)),
        ...conversationPictures(shop),
      ];
    },
  },
  {
    freePlan: 'as it comes',
    fill: async (product) => {
      const desk = await openOperatorWork(product);
      const threads = await openThreads(product, desk);
      return [
        ...moneyPictures(desk),
        ...operatorPictures(desk),
        ...supportPictures(desk, threads),
        ...systemPictures(desk),
      ];
    },
  },
];

const only = process.argv.slice(2);
const isSelected = ({ name }: Picture) => only.length === 0 || only.includes(name);

await mkdir(folder, { recursive: true });
const browser = await startBrowser('whole');
try {
  for (const { freePlan, settings, fill } of albums) {
    const product = await startProduct({ SIMULATOR_SPEED: '5', ...settings }, { freePlan });
    try {
      const pictures = await fill(product);
      for (const picture of pictures.filter(isSelected))
        await take(browser, product.address, picture);
    } finally {
      await product.stop();
    }
  }
} finally {
  await browser.close();
  photo.close();
  await target.close();
  await meta.close();
}
