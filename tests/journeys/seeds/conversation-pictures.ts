import type { Page } from 'playwright-core';
import { saveQuickReply } from '#contract/messages/sending.ts';
import type { Shop } from '#tests/journeys/seeds/shop.ts';
import type { Picture } from '#tests/journeys/support/api-pictures.ts';
import { ask } from '#tests/journeys/support/portal.ts';

const replies = [
  ['alamat', 'Toko kami di Jl. Malioboro 118, Yogyakarta. Buka setiap hari pukul 09.00–20.00.'],
  ['salam', 'Selamat siang, {nama}. Ada yang bisa kami bantu?'],
  ['selesai', 'Terima kasih sudah berbelanja, {nama}. Sampai bertemu lagi.'],
] as const;

export async function openQuickReplies(address: string, { customer }: Shop): Promise<void> {
  for (const [name, text] of replies)
    await ask(address, saveQuickReply, { name, text }, customer.session);
}

const openTool = async (tab: Page, name: string): Promise<void> => {
  await tab.getByRole('article').last().waitFor();
  await tab.getByRole('button', { name: 'Lampiran' }).click();
  await tab.getByRole('button', { name, exact: true }).click();
};

export function conversationPictures(shop: Shop): readonly Picture[] {
  const { session } = shop.customer;
  const path = `/message-history?view=percakapan&open=${shop.sender.id}&peer=${shop.peer}`;
  const fillTemplate = async (tab: Page) => {
    await openTool(tab, 'Templat');
    const dialog = tab.getByRole('dialog');
    await dialog
      .getByRole('button', { name: /pesanan_siap/ })
      .last()
      .click();
    await dialog.getByLabel('Isi {{1}}').fill('Bu Sri');
    await dialog.getByLabel('Isi {{2}}').fill('BK-2261');
  };
  return [
    {
      name: 'percakapan-gelap',
      options: { session, dark: true },
      path,
      before: (tab) => tab.getByRole('article').last().waitFor(),
    },
    {
      name: 'percakapan-sematan',
      options: { session },
      path,
      before: async (tab) => {
        await tab.getByRole('article').last().waitFor();
        const rows = tab.getByLabel('Daftar percakapan').getByRole('listitem');
        for (const place of [2, 4]) {
          await rows.nth(place).getByRole('button').click();
          await tab.getByRole('menuitem', { name: 'Sematkan di atas' }).click();
          await rows
            .getByText('disematkan')
            .nth(place / 2 - 1)
            .waitFor({ state: 'attached' });
        }
        await rows.nth(3).getByRole('button').click();
        await tab.getByRole('menuitem', { name: 'Sematkan di atas' }).waitFor();
      },
    },
    { name: 'kirim-templat', options: { session }, path, before: fillTemplate },
    {
      name: 'kirim-templat-ponsel',
      options: { session, width: 390, dark: true },
      path,
      before: fillTemplate,
    },
    {
      name: 'balasan-cepat-gelap',
      options: { session, dark: true },
      path,
      before: async (tab) => {
        await tab.getByRole('textbox', { name: /^Tulis pesan untuk/ }).fill('/');
        await tab.getByRole('option').first().waitFor();
      },
    },
  ];
}
