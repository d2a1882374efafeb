import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { startTarget } from '#tests/support/webhooks/webhook-target.ts';
import { newSender, sendTexts, signUp, topUp } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';

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
  'a webhook signs its events and shows their deliveries; a failing endpoint is reported, and missed events are sent again',
  async ({ product: { address }, person }) => {
    const { who, sender, send } = await openedShop(address, '628135550510');
    const { open } = await person({ session: who.session });
    const tab = await open(`/token?open=${sender.id}#webhook`);
    await tab.getByText('Belum dipasang').waitFor();
    await tab.getByRole('link', { name: 'Pasang webhook' }).click();
    const secret = await saveAddress(tab);
    expect(secret).toMatch(/^whsec_/);
    await tab.getByRole('button', { name: 'Sudah saya simpan' }).click();
    await tab.getByText('Belum ada peristiwa', { exact: true }).waitFor();

    await send('Pesanan Anda dikirim.');
    await rowOf(tab, /message\.read.*Terkirim/).waitFor();
    const [post] = target.posts;
    expect(new Webhook(secret).verify(post?.body ?? '', post?.headers as never)).toMatchObject({
      type: 'message.accepted',
    });

    target.answer(503);
    await send('Pesanan Anda dikemas.');
    await rowOf(tab, /message\.accepted.*Menunggu.*HTTP 503/).waitFor();
    await tab.getByText(/^Pengiriman gagal sejak|^Gagal beberapa kali/).waitFor();
    await rowOf(tab, /message\.accepted.*Menunggu/)
      .getByRole('button')
      .click();
    const drawer = tab.getByRole('dialog', { name: 'Rincian pengiriman' });
    await drawer.getByText(/^Percobaan 1: HTTP 503/).waitFor();
    target.answer(200);
    await drawer.getByRole('button', { name: 'Kirim sekarang' }).click();
    await drawer.getByText(/: HTTP 200$/).waitFor();
    await tab.keyboard.press('Escape');
    await waitFor(async () =>
      expect(await tab.getByRole('row', { name: /message\.read.*Terkirim/ }).count()).toBe(2),
    );

    // 410 means that the receiver is gone.
    target.answer(410);
    await send('Pesanan Anda sampai.');
    await tab.getByText('Webhook berhenti karena alamatnya menjawab 410 (Gone).').waitFor();
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
    await dialog.getByRole('button', { name: 'Kirim ulang', exact: true }).click();
    await tab.getByText(/peristiwa dikirim ulang\./).waitFor();
    await waitFor(() => target.posts.length > before);
    await rowOf(tab, /message\.accepted/)
      .getByRole('link')
      .click();
    await tab.getByRole('dialog', { name: 'Rincian pesan' }).getByText('Diterima sistem').waitFor();
  },
);
