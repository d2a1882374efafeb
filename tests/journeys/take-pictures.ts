/**
 * Takes the pictures of docs/pictures, of the product as it runs with the shop of `seed.ts`:
 * `npm run build && node tests/journeys/take-pictures.ts`.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { homeSummary } from '#contract/messages.ts';
import { openPerson, settled, startBrowser, type PersonOptions } from './browser/browser.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { ask } from './support/portal.ts';
import { startProduct } from './support/product.ts';
import { openShop, type Shop } from './support/seed.ts';

const folder = join(import.meta.dirname, '../../docs/pictures');

/** Waits until every message has come as far as it will. */
async function quiet(address: string, { customer }: Shop): Promise<void> {
  const under = async () => {
    const { today, days } = await ask(address, homeSummary, {}, customer.session);
    return days.at(-1)?.waiting === 0 && today.delivered - today.read <= 1;
  };
  await waitFor(under);
}

type Picture = {
  name: string;
  options: PersonOptions;
  path: string;
  before: (tab: Page) => Promise<void>;
};

/** Opens the statement's newest line to its steps. */
async function openFirstLine(tab: Page): Promise<void> {
  await tab
    .getByRole('button', { name: /^Rincian/ })
    .first()
    .click();
  await tab.locator('[aria-expanded="true"]').first().waitFor();
}

const picturesOf = ({ customer: { session }, sender, waiting, peer }: Shop): Picture[] => [
  {
    name: 'beranda',
    options: { session, height: 1_560 },
    path: '/',
    before: (tab) => tab.getByRole('table').first().waitFor(),
  },
  {
    name: 'pesan',
    options: { session },
    path: '/message-history',
    before: async (tab) => {
      await tab
        .getByRole('row', { name: /Resi: JX4401928810/ })
        .getByRole('button')
        .click();
      await tab.getByText('Diterima sistem').waitFor();
    },
  },
  {
    name: 'percakapan-gelap',
    options: { session, dark: true },
    path: `/message-history?view=percakapan&open=${sender.id}&peer=${peer}`,
    before: (tab) => tab.getByRole('article').last().waitFor(),
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
    options: { session },
    path: '/saldo',
    before: async (tab) => {
      await tab.getByRole('link', { name: /Menunggu pembayaran/ }).click();
      await tab.getByText('Transfer tepat sejumlah').waitFor();
    },
  },
  {
    name: 'mutasi',
    options: { session, height: 1_100 },
    path: '/saldo',
    before: openFirstLine,
  },
  {
    name: 'mutasi-ponsel',
    options: { session, width: 390, dark: true },
    path: '/saldo',
    before: async (tab) => {
      await openFirstLine(tab);
      await tab
        .getByRole('heading', { name: 'Mutasi' })
        .evaluate((heading) => heading.scrollIntoView());
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
      await tab.getByRole('img', { name: /Kode QR/ }).waitFor();
    },
  },
  {
    name: 'sambungkan',
    options: { session },
    path: `/token?open=${waiting.id}`,
    before: async (tab) => {
      await tab.getByRole('button', { name: 'Tampilkan QR' }).click();
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

const [product, browser] = await Promise.all([
  startProduct({ SIMULATOR_SPEED: '5' }),
  startBrowser('whole'),
]);
try {
  await mkdir(folder, { recursive: true });
  const shop = await openShop(product.address);
  await quiet(product.address, shop);
  for (const picture of picturesOf(shop)) await take(browser, product.address, picture);
} finally {
  await browser.close();
  await product.stop();
}
