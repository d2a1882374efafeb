import type { Page } from 'playwright-core';
import type { PersonOptions } from '#tests/journeys/browser/browser.ts';
import type { Shop } from '#tests/journeys/seeds/shop.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { deliverText, type Sender } from './portal.ts';

export type Picture = {
  name: string;
  options: PersonOptions;
  path: string;
  before: (tab: Page) => Promise<void>;
};

async function callWrongly(address: string, { key }: Sender): Promise<void> {
  const calls = [
    ['GET', '/v1/pesan'],
    ['GET', '/v1/messages/msg_01KB3Y6QJ4T0X9V2M8ZC5W7D1E'],
    ['POST', '/v1/messages', '{"to":'],
    ['POST', '/v1/messages', '{"to":"0812","text":{"body":"Halo"}}'],
    ['POST', '/v1/messages', '{"to":"0813","text":{"body":"Halo"}}'],
  ] as const;
  for (const [method, path, body] of calls) {
    await fetch(address + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    });
  }
}

/** The simulated phone that answers by quoting. */
const QUOTES = '62800000009';

export const apiPictures = (
  { customer: { session }, sender }: Shop,
  address: string,
): readonly Picture[] => [
  {
    name: 'token-izin',
    options: { session, height: 1_240 },
    path: `/token?open=${sender.id}#akses`,
    before: async (tab) => {
      const heading = tab.getByRole('heading', { name: 'Izin & batas akses' });
      await tab.getByLabel('Alamat yang diizinkan').fill('203.0.113.7\n198.51.100.0/24');
      await heading.evaluate((element) => {
        element.style.scrollMarginTop = '72px';
        element.scrollIntoView({ block: 'start' });
      });
    },
  },
  {
    name: 'panggilan-ditolak',
    options: { session },
    path: '/token?view=ditolak',
    before: async (tab) => {
      await callWrongly(address, sender);
      await waitFor(async () => {
        await tab.getByRole('button', { name: 'Muat ulang' }).click();
        return (await tab.getByText(/2×/).count()) > 0;
      });
    },
  },
  {
    name: 'dokumentasi-coba-ponsel',
    options: { width: 390, dark: true },
    path: '/docs',
    before: async (tab) => {
      await tab.getByRole('button', { name: 'Coba: permintaan 1', exact: true }).click();
      await tab.getByLabel('Kunci API').fill(sender.key);
      await tab.getByRole('button', { name: 'Jalankan' }).click();
      await tab.getByText('Balasan 202').waitFor();
    },
  },
  {
    name: 'balas',
    options: { session },
    path: `/message-history?view=percakapan&open=${sender.id}&peer=${QUOTES}`,
    before: async (tab) => {
      const text = 'Halo Kak, ada dua motif: parang atau kawung. Mau yang mana?';
      await deliverText(address, sender, { to: QUOTES, text });
      const answer = tab.getByRole('article').filter({ hasText: 'Baik, yang ini ya' }).first();
      await answer.getByRole('button', { name: 'Balas' }).click();
    },
  },
];
