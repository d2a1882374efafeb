import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { startTarget } from '#tests/support/webhooks/webhook-target.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { newSender, sendTexts, signUp, topUp } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';
import { press, write } from './support/steps.ts';

const target = await startTarget();
afterAll(() => target.close());

const journey = setUpJourney({ SIMULATOR_SPEED: '0', WEBHOOK_ORIGINS: target.origin });

/** A simulated number that always receives and reads. */
const PEER = '62800000001';

async function openedShop(address: string, phone: string) {
  const who = await signUp(address, { name: 'Toko Anggrek', phone });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone: `${phone}9` });
  const send = (text: string) => sendTexts(address, sender, [{ to: PEER, text }]);
  return { who, sender, send };
}

const rowOf = (tab: Page, event: string | RegExp) => tab.getByRole('row', { name: event }).first();

/** Saves the address in the open form. @returns the secret, which is shown once. */
async function saveAddress(tab: Page): Promise<string> {
  await tab.getByLabel('Alamat webhook').fill(target.url);
  await tab.getByRole('button', { name: 'Simpan dan uji alamat' }).click();
  const secret = await tab.getByLabel('Kunci webhook', { exact: true }).last().innerText();
  await tab.getByText(/^Uji coba berhasil: HTTP 200/).waitFor();
  return secret;
}

journey(
  'a webhook is saved, signs its events, and shows their deliveries',
  async ({ product: { address }, person }) => {
    const { who, sender, send } = await openedShop(address, '628135550510');
    const { open } = await person({ session: who.session });
    const { faults, look } = inspectionHere();
    const tab = await open(`/token?open=${sender.id}#webhook`);
    await tab.getByText('Belum dipasang').waitFor();
    await tab.getByRole('link', { name: 'Pasang webhook' }).click();
    await tab.getByRole('heading', { name: 'Pasang webhook' }).waitFor();
    await look(tab, 'no webhook yet');
    await tab.getByRole('button', { name: 'Simpan dan uji alamat' }).click();
    await tab.getByText('Isi alamat webhook.').waitFor();
    await look(tab, 'an address left out');
    const secret = await saveAddress(tab);
    expect(secret).toMatch(/^whsec_/);
    await look(tab, 'the secret, shown once');
    await tab.getByRole('button', { name: 'Sudah saya simpan' }).click();
    await tab.getByText('Belum ada peristiwa', { exact: true }).waitFor();
    await look(tab, 'a webhook without deliveries');

    await send('Pesanan Anda dikirim.');
    await rowOf(tab, /message\.read.*Terkirim/).waitFor();
    const [post] = target.posts;
    expect(new Webhook(secret).verify(post?.body ?? '', post?.headers as never)).toMatchObject({
      type: 'message.accepted',
    });
    await look(tab, 'deliveries');
    await rowOf(tab, /message\.accepted/)
      .getByRole('button')
      .click();
    const drawer = tab.getByRole('dialog', { name: 'Rincian pengiriman' });
    await drawer.getByText(/^Percobaan 1: HTTP 200/).waitFor();
    await drawer.getByText('Header yang dikirim').click();
    await drawer.getByText(/webhook-signature: v1,/).waitFor();
    await drawer.getByText(/"message\.accepted"/).waitFor();
    await look(tab, 'a delivery');
    await drawer.getByText('+62 800-0000-01').waitFor();
    await tab.goBack();
    await drawer.waitFor({ state: 'detached' });

    await tab.getByLabel('Peristiwa', { exact: true }).selectOption('message.accepted');
    await tab.getByLabel('Status', { exact: true }).selectOption('delivered');
    await waitFor(async () =>
      expect(await tab.getByRole('row', { name: /message/ }).count()).toBe(1),
    );
    await tab.reload();
    await rowOf(tab, /message\.accepted/).waitFor();
    expect(await tab.getByLabel('Status', { exact: true }).inputValue()).toBe('delivered');
    expect(await tab.getByRole('row', { name: /message\.read/ }).count()).toBe(0);
    await tab.getByLabel('Status', { exact: true }).selectOption('parked');
    await tab.getByText('Data tidak ditemukan').waitFor();
    await look(tab, 'nothing found');
    await tab.getByRole('button', { name: 'Hapus filter' }).last().click();
    await tab.getByRole('searchbox', { name: 'Cari nomor' }).fill('0899');
    await tab.getByText('Tulis nomornya dengan lengkap.').waitFor();
    await look(tab, 'half a number');
    await tab.getByRole('searchbox', { name: 'Cari nomor' }).fill('0899-1111-2222');
    await tab.getByText('Data tidak ditemukan').waitFor();
    await tab.getByRole('searchbox', { name: 'Cari nomor' }).fill(`+${PEER}`);
    await rowOf(tab, /message\.read/).waitFor();
    await rowOf(tab, /message\.accepted/)
      .getByRole('link')
      .click();
    await tab.getByText('Pesanan Anda dikirim.').first().waitFor();
    expect(faults).toEqual([]);
  },
);

journey(
  'a failing endpoint is reported, and missed events are sent again',
  async ({ product: { address }, person }) => {
    const { who, sender, send } = await openedShop(address, '628135550520');
    const { open } = await person({ session: who.session });
    const { faults, look } = inspectionHere();
    const tab = await open(`/token/webhook?token=${sender.id}`);
    await saveAddress(tab);
    await tab.getByRole('button', { name: 'Sudah saya simpan' }).click();

    target.answer(503);
    await send('Pesanan Anda dikirim.');
    await rowOf(tab, /message\.accepted.*Menunggu.*HTTP 503/).waitFor();
    await tab.getByText(/^Pengiriman gagal sejak|^Gagal beberapa kali/).waitFor();
    await look(tab, 'an endpoint that fails');
    await rowOf(tab, /message\.accepted/)
      .getByRole('button')
      .click();
    const drawer = tab.getByRole('dialog', { name: 'Rincian pengiriman' });
    await drawer.getByText(/^Percobaan 1: HTTP 503/).waitFor();
    target.answer(200);
    await drawer.getByRole('button', { name: 'Kirim sekarang' }).click();
    await drawer.getByText(/: HTTP 200$/).waitFor();
    await look(tab, 'a delivery that was sent anew');
    await tab.keyboard.press('Escape');
    await rowOf(tab, /message\.read.*Terkirim/).waitFor();

    // 410 means that the receiver is gone.
    target.answer(410);
    await send('Pesanan Anda sampai.');
    await tab.getByText('Webhook berhenti karena alamatnya menjawab 410 (Gone).').waitFor();
    await look(tab, 'a webhook that was given up');
    const home = await open('/');
    const notice = home.getByRole('link', { name: /^Kasir Webhook dimatikan: .*410/ });
    await notice.waitFor();
    target.answer(200);
    await tab.getByRole('button', { name: 'Nyalakan' }).click();
    await tab.getByText('Aktif', { exact: true }).waitFor();
    await notice.waitFor({ state: 'detached' });
    target.answer(410);
    await send('Pesanan Anda sampai juga.');
    await notice.click();
    await home.getByRole('button', { name: 'Nyalakan' }).waitFor();
    await home.close();
    target.answer(200);
    await tab.getByRole('button', { name: 'Nyalakan' }).click();
    await tab.getByText('Aktif', { exact: true }).waitFor();

    const before = target.posts.length;
    await tab.getByRole('button', { name: 'Kirim ulang per tanggal' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Kirim ulang pengiriman' });
    await dialog.getByLabel('Yang mana').selectOption('all');
    await look(tab, 'sending a period anew');
    await dialog.getByRole('button', { name: 'Kirim ulang', exact: true }).click();
    await tab.getByText(/peristiwa dikirim ulang\./).waitFor();
    await waitFor(() => target.posts.length > before);
    expect(faults).toEqual([]);
  },
);

journey(
  'a webhook is tested, gets another secret, and is deleted with the keyboard only',
  async ({ product: { address }, person }) => {
    const { who, sender } = await openedShop(address, '628135550530');
    const { open } = await person({ session: who.session });
    const { faults, look } = inspectionHere();
    const tab = await open(`/token/webhook?token=${sender.id}`);
    await write(tab, tab.getByLabel('Alamat webhook'), target.url);
    await tab.keyboard.press('Enter');
    await press(tab, tab.getByRole('button', { name: 'Sudah saya simpan' }));
    await press(tab, tab.getByRole('button', { name: 'Kirim uji coba' }));
    await tab.getByText(/^Uji coba berhasil/).waitFor();
    await press(tab, tab.getByRole('button', { name: 'Ubah', exact: true }));
    const editing = tab.getByRole('dialog', { name: 'Ubah webhook' });
    await look(tab, 'changing a webhook');
    await press(tab, editing.getByRole('button', { name: 'Batal' }));
    await editing.waitFor({ state: 'detached' });

    const more = tab.getByRole('button', { name: 'Tindakan lain' });
    await press(tab, more);
    await tab.getByRole('menuitem', { name: 'Ganti kunci' }).waitFor();
    await tab.keyboard.press('Enter');
    await press(tab, tab.getByRole('button', { name: 'Ganti kunci' }));
    await tab.getByText(/^Kunci lama berlaku sampai/).waitFor();
    await look(tab, 'another secret');
    await press(tab, tab.getByRole('button', { name: 'Sudah saya simpan' }));
    await tab.getByText(/kunci lama berlaku sampai/).waitFor();

    await press(tab, more);
    await tab.getByRole('menuitem', { name: 'Ganti kunci' }).waitFor();
    await tab.keyboard.press('ArrowUp');
    await tab.keyboard.press('Enter');
    await tab.getByRole('alertdialog').waitFor();
    await look(tab, 'deleting');
    await press(tab, tab.getByRole('button', { name: 'Hapus', exact: true }));
    await tab.getByRole('heading', { name: 'Pasang webhook' }).waitFor();
    expect(faults).toEqual([]);
  },
);
