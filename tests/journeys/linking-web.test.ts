import { expect } from 'vitest';
import { createToken, getToken, linkToken } from '#contract/tokens.ts';
import { simulatedScan } from '#contract/simulator.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { readQr } from './browser/qr.ts';
import { ask, signUp } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';

const journey = setUpJourney({
  SIMULATOR_SPEED: '0',
  CHANNEL_WEB: 'on',
  WEB_ENGINE: 'stand-in',
});

journey('linking by WhatsApp Web shows the risks, then the QR', async ({ product, person }) => {
  const { address } = product;
  const who = await signUp(address, { name: 'Toko Melati', phone: '6281355506111' });
  const fields = { name: 'Kasir', channel: 'web' } as const;
  const { token } = await ask(address, createToken, fields, who.session);
  const { path } = await ask(address, linkToken, { token_id: token.id }, who.session);
  const { open } = await person();
  const tab = await open(path);
  await tab.getByText('aplikasi tidak resmi').waitFor();
  await tab.getByLabel('Nomor WhatsApp Anda (tidak wajib)').fill('0813 5550 6111');
  await tab.getByRole('button', { name: 'Saya mengerti, tampilkan QR' }).click();

  const qr = tab.getByRole('img', { name: 'Kode QR untuk dipindai dengan WhatsApp' });
  await qr.waitFor();
  await tab.getByText('Tautkan dengan nomor telepon').waitFor();
  const text = await readQr(qr);
  expect(text).toContain('https://wa.me/settings/linked_devices#');
  await ask(address, simulatedScan, { phone: who.phone, text });
  await waitFor(async () => {
    const linked = await ask(address, getToken, { token_id: token.id }, who.session);
    expect(linked).toMatchObject({ status: 'linked', phone: who.phone });
  });
  await tab
    .getByText(/tersambung/i)
    .first()
    .waitFor();
});
