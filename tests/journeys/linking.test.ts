import { expect } from 'vitest';
import { createToken, getToken } from '#contract/tokens.ts';
import { simulatedScan } from '#contract/simulator.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { ask, signUp } from './support/portal.ts';
import { readQr } from './browser/qr.ts';
import { setUpSharedJourney } from './support/stage.ts';

const journey = setUpSharedJourney();

journey('the QR beside a token is the one that the phone scans', async ({ product, person }) => {
  const { address } = product;
  const who = await signUp(address, { name: 'Toko Melati', phone: '6281355506021' });
  const fields = { name: 'Kasir', channel: 'simulator' } as const;
  const { token } = await ask(address, createToken, fields, who.session);
  const { open, context } = await person({ session: who.session });
  const tab = await open(`/token?open=${token.id}&view=link`);
  const drawer = tab.getByRole('dialog', { name: 'Kasir' });
  const linking = drawer.locator('section[data-look="card"]', {
    has: tab.getByRole('heading', { name: 'Sambungkan ponsel' }),
  });

  // The owner's phone is at hand: the QR is there at once.
  const qr = drawer.getByRole('img', { name: /^Kode QR untuk dipindai/ });
  await qr.waitFor();
  const first = await readQr(qr);

  await drawer.getByRole('button', { name: 'Buat tautan pindai' }).click();
  const link = drawer.getByRole('link', { name: /Buka halaman pindai/ });
  await link.waitFor();
  const addressQr = drawer.getByRole('img', { name: 'QR tautan ini: buka di ponsel lain' });
  expect(await addressQr.isVisible()).toBe(false);
  await drawer.getByText('Buka di ponsel lain', { exact: true }).click();
  await addressQr.waitFor();
  expect(await readQr(addressQr)).toBe(`${address}${await link.getAttribute('href')}`);
  expect(await linking.innerText()).not.toMatch(/whatsapp/i);

  // Another QR ends the link, and scanning it links the token.
  await drawer.getByRole('button', { name: 'Tampilkan QR', exact: true }).click();
  await qr.waitFor();
  expect(await readQr(qr)).not.toBe(first);
  expect(await linking.innerText()).not.toMatch(/whatsapp/i);
  expect(await qr.getAttribute('aria-label')).not.toMatch(/whatsapp/i);
  await ask(address, simulatedScan, { phone: who.phone, text: await readQr(qr) });
  await drawer.getByText('Token ini siap mengirim dan menerima pesan.').waitFor();
  await waitFor(async () =>
    expect((await ask(address, getToken, { token_id: token.id }, who.session)).status).toBe(
      'linked',
    ),
  );

  const other = await ask(address, createToken, { ...fields, name: 'Gudang' }, who.session);
  await tab.goto(`${address}/token?open=${other.token.id}&view=link`);
  await tab.getByRole('button', { name: 'Buat tautan pindai' }).click();
  const href = await tab.getByRole('link', { name: /Buka halaman pindai/ }).getAttribute('href');
  const scan = await context.newPage();
  await scan.goto(address + href);
  await scan.getByRole('button', { name: /Saya mengerti/ }).waitFor();
  expect(await scan.innerText('body')).not.toMatch(/whatsapp/i);
  await scan.getByRole('button', { name: /Saya mengerti/ }).click();
  await scan.getByRole('img', { name: /^Kode QR untuk dipindai/ }).waitFor();
  expect(await scan.innerText('body')).not.toMatch(/whatsapp/i);
});
