import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import {
  answerFrom,
  deliverText,
  newSender,
  type Sender,
  sendMessages,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';
import { type OpenPerson, test } from '#tests/support/gallery.ts';

const address = inject('product');

const phone = '6281355503021';
let bakery: Promise<{ session: string; sender: Sender }> | undefined;

async function openBakery() {
  const who = await signUp(address, { name: 'Toko Kue Lapis', phone });
  await topUp(address, who, 50_000);
  return { session: who.session, sender: await newSender(address, who, { name: 'Kasir', phone }) };
}

/** Opens the shop in a browser, with a recipient whose number has this ending. */
async function atBakery(person: OpenPerson, end: string) {
  const { session, sender } = await (bakery ??= openBakery());
  const { open } = await person({ session });
  const peer = `62812999890${end}`;
  const thread = `/message-history?view=percakapan&open=${sender.id}&peer=${peer}`;
  return { sender, open, thread, peer };
}

/** Records requests of a page to hosts other than its own. */
function strangersAsked(tab: Page, address: string): readonly string[] {
  const asked: string[] = [];
  tab.on('request', (request) => {
    if (!request.url().startsWith(address) && /^https?:/.test(request.url())) {
      asked.push(request.url());
    }
  });
  return asked;
}

test('lists, tables and notices show message text, never its markup', async ({ person }) => {
  const { sender, open, thread, peer } = await atBakery(person, '21');
  const text = 'Menu: <a href="https://toko.example/menu">di sini</a>,<br class="x">ya';
  await deliverText(address, sender, { to: peer, text });
  await answerFrom(address, peer, {
    sender,
    text: 'Baik<br>Bu <a href="https://x.example/">ini</a>',
  });
  const tab = await open('/');
  for (const path of ['/', '/message-history', '/message-history?view=percakapan']) {
    await tab.goto(path);
    await tab.getByText('Baik Bu ini', { exact: true }).first().waitFor();
    expect(await tab.locator('main').innerText()).not.toMatch(/<br|<a |href|<\/a>/);
    if (path === '/message-history')
      await tab.getByText('Menu: di sini, ya', { exact: true }).waitFor();
  }
  await tab.goto(thread);
  await tab.getByRole('link', { name: 'di sini (tab baru)' }).waitFor();
  await tab.goto(`/simulator?phone=${peer}`);
  await tab.getByRole('button', { name: 'Kembali' }).click();
  await tab.getByText('Baik Bu ini', { exact: true }).waitFor();
});

test('a picture whose link was not fetched is a card in thread and details, and is not loaded', async ({
  person,
}) => {
  const { sender, open, thread, peer } = await atBakery(person, '22');
  const link = 'https://cdn.toko.example/kue/lapis.jpg';
  await sendMessages(address, sender, [
    { to: peer, type: 'image', image: { link }, caption: 'Kue hari ini' },
    { to: peer, type: 'document', document: { link: `${link}.pdf`, filename: 'harga.pdf' } },
  ]);
  const tab = await open();
  const asked = strangersAsked(tab, address);
  await tab.goto(thread);
  const way = tab.getByRole('link', { name: 'Buka tautan (tab baru)' });
  await waitFor(async () => expect(await way.count()).toBe(2));
  expect(await way.first().getAttribute('href')).toBe(link);
  await tab.getByText(/^cdn\.toko\.example/).waitFor();
  await tab.getByText(/^PDF · cdn\.toko\.example/).waitFor();
  await tab.getByText('Kue hari ini').last().waitFor();

  await tab.goto('/message-history');
  await tab
    .getByRole('row', { name: /Kue hari ini/ })
    .getByRole('button')
    .click();
  const drawer = tab.getByRole('dialog', { name: 'Rincian pesan' });
  await drawer.getByRole('link', { name: 'Buka tautan (tab baru)' }).waitFor();
  expect(await tab.locator('img, audio, video').count()).toBe(0);
  expect(asked).toEqual([]);
});
