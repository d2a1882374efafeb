import type { Page } from 'playwright-core';
import { saveView } from '#contract/messages/history.ts';
import type { Picture } from '#tests/journeys/support/api-pictures.ts';
import { ask } from '#tests/journeys/support/portal.ts';
import type { Shop } from './shop.ts';

const FAILED = /stok selendang/;

export async function saveViews(address: string, { customer: { session } }: Shop): Promise<void> {
  await ask(address, saveView, { name: 'Belum dibaca', status: ['delivered'] }, session);
  await ask(address, saveView, { name: 'Tagihan 30 hari', q: '6281', days: '30' }, session);
}

async function choose(tab: Page): Promise<void> {
  const boxes = tab.getByRole('table').getByRole('checkbox');
  await boxes.nth(2).click();
  await boxes.nth(5).click({ modifiers: ['Shift'] });
  await tab.getByRole('group', { name: /^Baris terpilih/ }).waitFor();
}

/** Exports the filtered rows as a file. */
async function exportAll(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: 'Ekspor', exact: true }).click();
  const dialog = tab.getByRole('dialog', { name: 'Ekspor pesan' });
  await dialog.getByRole('button', { name: 'Buat berkas' }).click();
  await dialog.getByRole('link', { name: 'Unduh' }).first().waitFor();
}

async function openFailed(tab: Page): Promise<void> {
  await tab.getByRole('row', { name: FAILED }).getByRole('button').first().click();
  await tab.getByRole('region', { name: 'Mengapa gagal' }).waitFor();
}

/** The table of messages: a message's steps, selected rows, an explained failure. */
export const tablePictures = ({ customer: { session } }: Shop): Picture[] => [
  {
    name: 'pesan',
    options: { session },
    path: '/message-history?q=resi',
    before: async (tab) => {
      await tab
        .getByRole('row', { name: /Resi: JX4401928810/ })
        .getByRole('button')
        .first()
        .click();
      await tab.getByText('Diterima sistem').waitFor();
    },
  },
  { name: 'pesan-terpilih', options: { session }, path: '/message-history', before: choose },
  {
    name: 'ekspor',
    options: { session },
    path: '/message-history?status[]=failed',
    before: exportAll,
  },
  {
    name: 'ekspor-ponsel',
    options: { session, width: 390, dark: true },
    path: '/message-history',
    before: exportAll,
  },
  {
    name: 'pesan-gagal',
    options: { session, dark: true },
    path: '/message-history?status[]=failed',
    before: openFailed,
  },
  {
    name: 'pesan-gagal-ponsel',
    options: { session, width: 390 },
    path: '/message-history?status[]=failed',
    before: openFailed,
  },
];
