import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { createTemplate } from '#contract/messages/templates.ts';
import { conversationMessages } from '#contract/messages/conversations.ts';
import { simulatedPhone } from '#contract/simulator.ts';
import { picture } from '#tests/support/app/uploads-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import {
  answerFrom,
  ask,
  askRows,
  newSender,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { test } from '#tests/support/gallery.ts';
import { isFocused, press } from '#tests/journeys/support/steps.ts';

const address = inject('product');

const PEER = '6281390004411';

async function openShop(address: string, phone: string) {
  const who = await signUp(address, { name: 'Toko Cempaka', phone });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone });
  await answerFrom(address, PEER, { sender, text: 'Kuenya masih ada?' });
  await ask(
    address,
    createTemplate,
    {
      name: 'pesanan_siap',
      language: 'id',
      category: 'utility',
      header: 'Pesanan siap',
      body: 'Halo {{nama}}, pesanan {{nomor}} sudah siap diambil.',
      footer: 'Toko Cempaka',
      buttons: ['Saya ambil sore'],
    },
    who.session,
  );
  const inPhone = async () => (await ask(address, simulatedPhone, { phone: PEER })).lines;
  const sent = () =>
    askRows(address, conversationMessages, { token_id: sender.id, peer: `+${PEER}` }, who.session);
  const path = `/message-history?view=percakapan&open=${sender.id}&peer=${PEER}`;
  return { who, sender, inPhone, sent, path };
}

const composer = (tab: Page) => tab.getByRole('textbox', { name: /^Tulis pesan untuk/ });

async function openTool(tab: Page, name: string): Promise<void> {
  await tab.getByRole('button', { name: 'Lampiran' }).click();
  await tab.getByRole('button', { name, exact: true }).click();
}

const sendFrom = (tab: Page, name: string) =>
  tab.getByRole('dialog').getByRole('button', { name, exact: true }).click();

test('a location, a contact, a template and a reaction are sent from the composer to the phone, and show in another tab', async ({
  person,
}) => {
  const { who, inPhone, path } = await openShop(address, '6281355505021');
  const { open, context } = await person({ session: who.session });
  await context.grantPermissions(['geolocation'], { origin: address });
  await context.setGeolocation({ latitude: -6.9147, longitude: 107.6098 });
  const { faults, look } = inspectionHere();
  const tab = await open(path);
  const other = await open(path);
  await composer(tab).waitFor();

  await openTool(tab, 'Lokasi');
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Tautan peta atau koordinat' }).fill('di mana saja');
  await dialog.getByText('Tidak ada koordinat di dalamnya').waitFor();
  await dialog
    .getByRole('textbox', { name: 'Tautan peta atau koordinat' })
    .fill('https://www.google.com/maps/@-6.175392,106.827153,17z');
  expect(await dialog.getByLabel('Garis lintang').inputValue()).toBe('-6.175392');
  await dialog.getByRole('button', { name: 'Gunakan lokasi saya' }).click();
  await waitFor(async () =>
    expect(await dialog.getByLabel('Garis bujur').inputValue()).toBe('107.6098'),
  );
  await dialog.getByLabel('Nama tempat').fill('Toko Cempaka');
  await look(tab, 'a place to send');
  await sendFrom(tab, 'Kirim lokasi');
  await other.getByRole('article').getByText('Toko Cempaka', { exact: true }).waitFor();

  await openTool(tab, 'Kontak');
  await sendFrom(tab, 'Kirim kontak');
  await dialog.getByText('Tulis namanya.').waitFor();
  await dialog.getByRole('button', { name: 'Pilih dari percakapan' }).click();
  await dialog.getByRole('list', { name: 'Percakapan' }).getByRole('button').first().click();
  await dialog.getByLabel('Nama').fill('Budi Santoso');
  await look(tab, 'a card to send');
  await sendFrom(tab, 'Kirim kontak');
  await other.getByRole('article').getByText('Budi Santoso', { exact: true }).waitFor();

  await openTool(tab, 'Templat');
  await dialog.getByRole('button', { name: /pesanan_siap/ }).click();
  await sendFrom(tab, 'Kirim templat');
  await dialog.getByText('Isi bagian ini.').first().waitFor();
  await dialog.getByLabel('Isi {{nama}}').fill('Bu Sri');
  await dialog.getByLabel('Isi {{nomor}}').fill('A-17');
  await dialog
    .getByRole('list', { name: 'Pratinjau' })
    .getByText('Halo Bu Sri, pesanan A-17 sudah siap diambil.')
    .waitFor();
  await look(tab, 'a template to send');
  await sendFrom(tab, 'Kirim templat');
  await other.getByRole('article').getByText('pesanan A-17 sudah siap').waitFor();
  await waitFor(async () => {
    const types = (await inPhone()).map(({ content }) => content.type);
    expect(types).toEqual(expect.arrayContaining(['location', 'vcard', 'template']));
  });

  const question = tab.getByRole('article').filter({ hasText: 'Kuenya masih ada?' });
  await question.getByRole('button', { name: 'Beri reaksi' }).click();
  await look(tab, 'a reaction to give');
  await tab.getByRole('button', { name: 'Reaksi hati' }).click();
  await tab.getByRole('button', { name: 'Hapus reaksi ❤️' }).waitFor();
  await other.getByRole('list', { name: 'Reaksi' }).getByText('❤️').waitFor();
  await tab.getByRole('button', { name: 'Hapus reaksi ❤️' }).click();
  await other.getByRole('list', { name: 'Reaksi' }).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('losing the network while sending loses nothing, and sends nothing twice', async ({
  person,
}) => {
  const { who, sent, path } = await openShop(address, '6281355505022');
  const expects = [/ERR_FAILED|ERR_INTERNET_DISCONNECTED|Failed to fetch/];
  const { open, context } = await person({ session: who.session, expects });
  const tab = await open(path);
  await composer(tab).waitFor();
  // The server receives it, and the response is lost: once for each.
  const lost = new Set<string>();
  await context.route('**/api', async (route) => {
    const act = /act=(\w+)/.exec(route.request().postData() ?? '')?.[1] ?? '';
    if (!/^message_(?:send|react)/.test(act) || lost.has(act)) return route.continue();
    lost.add(act);
    await route.fetch();
    await route.abort();
  });
  const asked = tab.getByRole('article').filter({ hasText: 'Kuenya masih ada?' });
  await asked.getByRole('button', { name: 'Beri reaksi' }).click();
  await tab.getByRole('button', { name: 'Reaksi jempol' }).click();
  await openTool(tab, 'Lokasi');
  await tab.getByRole('textbox', { name: 'Tautan peta atau koordinat' }).fill('-6.2, 106.8');
  await sendFrom(tab, 'Kirim lokasi');
  await openTool(tab, 'Kontak');
  await tab.getByRole('dialog').getByLabel('Nama').fill('Budi');
  await tab.getByRole('dialog').getByLabel('Nomor telepon').fill('081234567890');
  await sendFrom(tab, 'Kirim kontak');
  await waitFor(async () => expect(await sent()).toHaveLength(3));
  await waitFor(async () =>
    expect(lost).toEqual(
      new Set(['message_react', 'message_send_location', 'message_send_contact']),
    ),
  );
  // Text written offline survives a reload, and is sent once online.
  await context.setOffline(true);
  await openTool(tab, 'Lokasi');
  await tab.getByRole('textbox', { name: 'Tautan peta atau koordinat' }).fill('-7.8, 110.4');
  await sendFrom(tab, 'Kirim lokasi');
  const waiting = tab.getByRole('article').filter({ hasText: '-7.8, 110.4' });
  await waiting.getByText('Menunggu').waitFor();
  await context.setOffline(false);
  await tab.reload();
  await waitFor(async () => expect(await sent()).toHaveLength(4));
  await waiting.waitFor();
  const types = (await sent()).map(({ type }) => type);
  expect(types).toEqual(['location', 'contact', 'location', 'text']);
});

test('a text without an answer outlives its tab, and another tab sends it once', async ({
  person,
}) => {
  const { who, sent, path } = await openShop(address, '6281355591001');
  const { open, context } = await person({ session: who.session, expects: [/ERR_FAILED/] });
  const { faults, look } = inspectionHere();
  const tab = await open(path);
  await composer(tab).waitFor();
  let isLost = true;
  await context.route('**/api', async (route) => {
    const isSent = route.request().postData()?.includes('act=message_send&') ?? false;
    if (!isSent || !isLost) return route.continue();
    // The server receives it, and the response is lost.
    await route.fetch();
    await route.abort();
  });
  await composer(tab).fill('Masih ada, Bu');
  await composer(tab).press('Enter');
  await tab.getByText('Dicoba lagi otomatis.').waitFor();
  await look(tab, 'a text without an answer');
  const other = await open(path);
  const waiting = other.getByRole('article').filter({ hasText: 'Masih ada, Bu' });
  await waiting.getByText('Menunggu').waitFor();
  await tab.close();
  isLost = false;
  await waiting.getByText('Menunggu').waitFor({ state: 'detached' });
  expect((await sent()).map(({ excerpt }) => excerpt)).toEqual([
    'Masih ada, Bu',
    'Kuenya masih ada?',
  ]);
  expect(faults).toEqual([]);
});

test('quick replies, emoji and pasting work with the keyboard alone; another tab gets a new reply', async ({
  person,
}) => {
  const { who, path, inPhone } = await openShop(address, '6281355505023');
  const { open } = await person({ session: who.session });
  const { faults, look } = inspectionHere();
  const tab = await open(path);
  const other = await open(path);
  await composer(other).waitFor();

  await composer(tab).focus();
  await tab.keyboard.type('/');
  const add = tab.getByRole('button', { name: 'Tambah balasan' });
  await press(tab, add);
  const dialog = tab.getByRole('dialog', { name: 'Balasan cepat' });
  await press(tab, dialog.getByRole('button', { name: 'Tambah balasan' }));
  await tab.keyboard.type('salam');
  await tab.keyboard.press('Tab');
  await tab.keyboard.type('Selamat siang, {nama}. Ada yang bisa kami bantu?');
  await look(tab, 'a quick reply is written');
  await press(tab, tab.getByRole('button', { name: 'Simpan' }));
  await dialog.getByText('/salam', { exact: true }).waitFor();
  await look(tab, 'quick replies');
  await tab.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await other.bringToFront();
  await composer(other).fill('/sal');
  await other.getByRole('option', { name: /^\/salam/ }).waitFor();
  await look(other, 'quick replies to choose from');
  await composer(other).press('Enter');
  expect(await composer(other).inputValue()).toMatch(/^Selamat siang\. Ada yang bisa/);

  await press(other, other.getByRole('button', { name: 'Emoji', exact: true }));
  await other.getByRole('searchbox', { name: 'Cari emoji' }).waitFor();
  await waitFor(async () =>
    expect(await isFocused(other, other.getByRole('searchbox', { name: 'Cari emoji' }))).toBe(true),
  );
  await other.keyboard.type('bendera indonesia');
  await look(other, 'emoji');
  await other.keyboard.press('Enter');
  await other.keyboard.press('Escape');
  expect(await composer(other).inputValue()).toMatch(/bantu\?🇮🇩$/);

  const bytes = [...(await picture('png', { width: 300, height: 200 }))];
  await composer(other).evaluate((box, png) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([new Uint8Array(png)], 'kue.png', { type: 'image/png' }));
    box.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, bytes);
  await other.getByRole('radiogroup', { name: 'Lampiran yang akan dikirim' }).waitFor();
  await look(other, 'a pasted picture');
  const caption = other.getByRole('textbox', { name: 'Tulis keterangan untuk kue.png' });
  await caption.press('Enter');
  await waitFor(async () => {
    const captions = (await inPhone()).map(({ content }) => content.caption);
    expect(captions.some((caption) => caption.endsWith('bantu?🇮🇩'))).toBe(true);
  });

  const replies = Array.from({ length: 100 }, (_, n) => ({
    name: `salam-${n}`,
    text: 'Selamat siang.',
    updated_at: '2026-11-20T02:00:00Z',
  }));
  await fakeActs(tab, { quick_reply_list: () => ({ replies }) });
  await tab.reload();
  await composer(tab).waitFor();
  await openTool(tab, 'Balasan cepat');
  await dialog.getByText(/^Sudah ada 100 balasan cepat\. Hapus/).waitFor();
  expect(await dialog.getByRole('button', { name: 'Tambah balasan' }).isDisabled()).toBe(true);
  await look(tab, 'quick replies at their limit');
  expect(faults).toEqual([]);
});
