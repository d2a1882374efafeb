import { expect } from 'vitest';
import { uuidOf } from '#contract/base/ids.ts';
import { createToken, getToken, linkToken } from '#contract/tokens.ts';
import { simulatedScan } from '#contract/simulator.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { readQr } from './browser/qr.ts';
import { ask, type Customer, signIn, signUp } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';
import { changeTokens } from '#tests/support/people/people.ts';

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

/** A WhatsApp Web token as the channel records it after its phone ended the session. */
async function disconnectedToken(
  address: string,
  { session, phone }: Customer,
  { name, db: { allAccountsSql: sql } }: { name: string; db: TestDatabase },
): Promise<string> {
  const { token } = await ask(address, createToken, { name, channel: 'web' }, session);
  const tokenId = uuidOf('token', token.id) ?? '';
  await changeTokens(sql, { tokenId }, { status: 'disconnected', phone });
  await sql`
    insert into connections (account_id, token_id, channel, disconnected_at, disconnect_reason)
    select account_id, token_id, 'web', now(), 'phone' from tokens where token_id = ${tokenId}`;
  return token.id;
}

journey(
  'a number that its phone disconnected shows the reason and the risks, and can be linked again',
  async ({ product: { address }, person, db }) => {
    const who = await signUp(address, { name: 'Toko Kenari', phone: '6281355506112' });
    const id = await disconnectedToken(address, who, { name: 'Kasir', db });
    const { open } = await person({ session: who.session });
    const { faults, look } = inspectionHere();
    const tab = await open(`/token?open=${id}`);
    const drawer = tab.getByRole('dialog', { name: 'Kasir' });
    await drawer.getByText(/^Terputus sejak/).waitFor();
    await drawer.getByText('Ponsel memutus perangkat ini', { exact: false }).waitFor();
    const risk = drawer.getByText('aplikasi tidak resmi', { exact: false });
    await risk.waitFor();
    await look(tab, 'a number of WhatsApp Web that was parted');

    await drawer.getByRole('button', { name: 'Tampilkan QR' }).click();
    const qr = drawer.getByRole('img', { name: 'Kode QR untuk dipindai dengan WhatsApp' });
    await qr.waitFor();
    expect(await risk.count()).toBe(1);
    await look(tab, 'the QR beside what it risks');
    await ask(address, simulatedScan, { phone: who.phone, text: await readQr(qr) });
    await drawer.getByText('Token ini siap mengirim', { exact: false }).waitFor();
    expect(await risk.count()).toBe(0);

    await db.allAccountsSql`
      update connections set restriction = 'new_chats', restricted_at = now()
      where token_id = ${uuidOf('token', id) ?? ''}`;
    await tab.reload();
    await drawer.getByText('sedang membatasi nomor ini', { exact: false }).waitFor();
    await drawer.getByText('dengan pembatasan di atas', { exact: false }).waitFor();
    await look(tab, 'a number of WhatsApp Web that is restricted');
    expect(faults).toEqual([]);
  },
);

journey(
  'the operator finds a disconnected number by channel and state, with its owner',
  async ({ product: { address, operator }, person, db }) => {
    const who = await signUp(address, { name: 'Toko Merpati', phone: '6281355506113' });
    await disconnectedToken(address, who, { name: 'Cabang Timur', db });
    const { open } = await person({ session: await signIn(address, operator) });
    const { faults, look } = inspectionHere();
    const tab = await open('/operator/kanal');
    const row = tab.getByRole('row', { name: /Toko Merpati/ });
    await row.getByText('Terputus').waitFor();
    await look(tab, 'numbers of all customers');

    await tab.getByLabel('Kanal', { exact: true }).selectOption('WhatsApp Cloud API');
    await tab.getByText('Data tidak ditemukan').waitFor();
    await tab.getByRole('button', { name: 'Hapus filter' }).first().click();
    await row.waitFor();
    await tab.getByLabel('Kanal', { exact: true }).selectOption('WhatsApp Web');
    await tab.getByLabel('Status', { exact: true }).selectOption('Tersambung');
    await row.waitFor({ state: 'detached' });
    await tab.getByLabel('Status', { exact: true }).selectOption('Terputus');
    await row.waitFor();
    expect(new URL(tab.url()).search).toBe('?channel=web&state=parted');

    await row.getByRole('button').click();
    const drawer = tab.getByRole('dialog', { name: 'Cabang Timur' });
    await drawer.getByText(/^Terputus sejak/).waitFor();
    await drawer.getByText('Ponsel memutus perangkat ini', { exact: false }).waitFor();
    await look(tab, 'a number that was parted, as the operator sees it');
    await drawer.getByRole('link', { name: 'Toko Merpati' }).click();
    await tab.waitForURL((url) => url.pathname === '/operator/pelanggan');
    await tab.getByRole('dialog', { name: 'Cabang Timur' }).waitFor();
    expect(faults).toEqual([]);
  },
);
