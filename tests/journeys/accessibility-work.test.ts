import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { inspection, type Look } from './browser/axe.ts';
import type { Person } from './browser/browser.ts';
import { signIn } from './support/portal.ts';
import { shopAt } from './seeds/shop.ts';
import { setUpJourney } from './support/stage.ts';

const journey = setUpJourney({ SIMULATOR_SPEED: '0' });

journey('everybody can wait, and see what failed', async ({ product, person }) => {
  const { customer } = await shopAt(product.address);
  const failed = /status of 503/;
  const ratna = await person({ still: true, session: customer.session, expects: [failed] });
  const { faults, look } = inspection();
  const tab = await ratna.open('/');
  const released = Promise.withResolvers<void>();
  const acts =
    /act=(message_list|home_summary|saldo_\w+|topup_list|token_list|subscription_get|plan_list|invoice_list|billing_profile_get)/;
  await tab.route('**/api', async (route) => {
    const body = route.request().postData() ?? '';
    if (!acts.test(body)) {
      return route.continue();
    }
    await released.promise;
    return route.fulfill({ status: 503, json: { code: 0, msg: 'Sedang penuh.' } });
  });
  const screens = ['/', '/message-history', '/saldo', '/billing', '/token'];
  for (const path of screens) {
    await tab.goto(product.address + path);
    await tab.locator('[aria-busy=true]').first().waitFor();
    await look(tab, `waiting at ${path}`);
  }
  released.resolve();
  for (const path of screens) {
    await tab.goto(product.address + path);
    await tab.getByRole('button', { name: 'Coba lagi' }).first().waitFor();
    await look(tab, `failing at ${path}`);
  }
  expect(faults).toEqual([]);
});

journey('everybody can use tokens and saldo', async ({ product, person }) => {
  const { customer, sender } = await shopAt(product.address);
  // Somebody who has just signed in: a new token asks for the password again.
  const { phone, password } = customer;
  const session = await signIn(product.address, { phone, password });
  const ratna = await person({ still: true, session });
  const { faults, look } = inspection();
  const tab = await ratna.open('/token');
  await tab.getByRole('row', { name: /Kasir Malioboro/ }).waitFor();
  await look(tab, 'tokens');
  await tokenDialogs(tab, look);
  await tab.goto(`${product.address}/token?open=${sender.id}`);
  await tab.getByText(/siap mengirim dan menerima/).waitFor();
  await look(tab, 'a linked token');
  await tab.getByRole('button', { name: 'Hapus token' }).click();
  await tab.getByRole('alertdialog').waitFor();
  await look(tab, 'deleting a token');

  await tab.goto(`${product.address}/saldo`);
  await tab.getByRole('row').nth(1).waitFor();
  await look(tab, 'saldo');
  await tab.getByRole('link', { name: /Menunggu pembayaran/ }).click();
  await tab.getByText('Transfer tepat sejumlah').waitFor();
  await look(tab, 'a top-up that waits');
  await tab.getByRole('button', { name: 'Batalkan' }).click();
  await tab.getByRole('alertdialog').waitFor();
  await look(tab, 'cancelling a top-up');
  await tab.goto(`${product.address}/saldo?new=1`);
  await tab.getByRole('button', { name: 'Lanjut ke pembayaran' }).click();
  await tab.getByText('Tulis nominalnya.').waitFor();
  await look(tab, 'topping up with mistakes');
  expect(faults).toEqual([]);
});

async function tokenDialogs(tab: Page, look: Look): Promise<void> {
  await tab.getByRole('button', { name: 'Tambah token' }).first().click();
  await tab.getByRole('dialog').getByLabel('Nama').fill('Notifikasi Pesanan');
  await look(tab, 'adding a token');
  await tab.getByRole('button', { name: 'Tambah', exact: true }).click();
  await tab.getByLabel('Kunci API').waitFor();
  await look(tab, 'a key');
  await tab.getByRole('button', { name: 'Lanjut: sambungkan ponsel' }).click();
  await tab.getByRole('button', { name: 'Tampilkan QR' }).click();
  await tab.getByRole('img', { name: /QR/ }).waitFor();
  await look(tab, 'a QR beside the token');
  await tab.getByRole('button', { name: 'Buat tautan pindai' }).click();
  await tab.getByText('Buka di ponsel lain').click();
  await tab.getByRole('img', { name: /QR/ }).waitFor();
  await look(tab, 'a scan link');
}

journey('everybody can scan, and play with the phones', async ({ product, person }) => {
  const { waiting, peer } = await shopAt(product.address);
  const phoneOwner = await person({ still: true, expects: [/status of 410/, /status of 404/] });
  const { faults, look } = inspection();
  const tab = await phoneOwner.open(waiting.scan);
  await tab.getByRole('button', { name: /Saya mengerti/ }).waitFor();
  await look(tab, 'consent');
  await tab.getByRole('button', { name: /Saya mengerti/ }).click();
  await tab.getByRole('img', { name: /Kode QR/ }).waitFor();
  await look(tab, 'a QR');
  await phones(phoneOwner, look, peer);
  await tab.getByRole('heading', { name: 'Tersambung' }).waitFor();
  await look(tab, 'connected');
  await tab.goto(product.address + waiting.scan.slice(0, -4));
  await tab.getByRole('heading', { name: 'Tautan ini tidak berlaku lagi' }).waitFor();
  await look(tab, 'a link that is gone');
  expect(faults).toEqual([]);
});

async function phones({ open }: Person, look: Look, peer: string): Promise<void> {
  const thread = await open(`/simulator?phone=${peer}`);
  await thread.getByText(/seragam keluarga/).waitFor();
  await look(thread, 'a phone with its conversation');
  await thread.getByRole('button', { name: 'Kembali ke daftar percakapan' }).click();
  await thread.getByRole('button', { name: 'Tulis pesan baru' }).click();
  await look(thread, 'a phone writing first');
  await thread.close();

  const camera = await open('/simulator?phone=6281225550099');
  await camera.getByRole('button', { name: 'Pindai kode QR' }).click();
  await camera.getByRole('button', { name: 'Arahkan ke tab lain' }).waitFor();
  await look(camera, 'a camera');
  await camera.getByRole('button', { name: 'Arahkan ke tab lain' }).click();
  await camera.getByText('Tersambung ke token Cabang Kotagede.').waitFor();
  await look(camera, 'a camera that has read');
  await camera.close();
}
