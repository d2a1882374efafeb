import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { uuidOf } from '#contract/base/ids.ts';
import { createTemplate, syncTemplateList } from '#contract/messages/templates.ts';
import { createToken } from '#contract/tokens.ts';
import { connectCloud } from '#contract/channels.ts';
import { type FakeMeta, startFakeMeta } from '#tests/support/meta/fake-meta.ts';
import { accessOf } from '#tests/support/meta/cloud-channel.ts';
import { codeComponents } from '#tests/support/meta/templates.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { ask, newSender, signIn, signUp, topUp } from './support/portal.ts';
import { fakeActs } from './support/fake-acts.ts';
import { setUpJourney } from './support/stage.ts';
import { press, write } from './support/steps.ts';
import { changeConversations } from '#tests/support/people/stored-messages.ts';
import { agedBy } from '#tests/support/database/changes.ts';

const settings: Record<string, string> = { SIMULATOR_SPEED: '0' };
let meta: FakeMeta;
beforeAll(async () => {
  meta = await startFakeMeta({ numbers: [{}, {}, {}, {}] });
  settings['CLOUD_URL'] = `${meta.url}/v23.0`;
});
// Before the product ends, which may still call it.
afterAll(() => meta.close());

const journey = setUpJourney(settings);

const CUSTOMER = '6281355507001';
const HIDDEN = '6281355507002';

async function connectByKeyboard(tab: Page, number = 0): Promise<void> {
  const access = accessOf(meta, number);
  await write(tab, tab.getByLabel('Phone number ID', { exact: true }), access.phone_number_id);
  await write(tab, tab.getByLabel('WhatsApp Business Account ID', { exact: true }), access.waba_id);
  await write(tab, tab.getByLabel('Access token', { exact: true }), access.access_token);
  await write(tab, tab.getByLabel('App secret', { exact: true }), access.app_secret);
  await press(tab, tab.getByRole('button', { name: 'Sambungkan nomor' }));
}

const offered = (tab: Page, label: string): Promise<string> => tab.getByLabel(label).innerText();

journey(
  'a token connects to the Cloud API and answers a customer with the keyboard only',
  async ({ product: { address }, person }) => {
    const who = await signUp(address, { name: 'Toko Anggrek', phone: '6281355506201' });
    await topUp(address, who, 50_000);
    const { open } = await person({ session: who.session });
    const { faults, look } = inspectionHere();
    const tab = await open('/token?view=new');
    const dialog = tab.getByRole('dialog');
    await dialog.getByText('Jalur resmi dari Meta', { exact: false }).waitFor();
    await look(tab, 'the channels to choose from');
    await write(tab, dialog.getByLabel('Nama'), 'Kasir');
    await press(tab, dialog.getByRole('radio', { name: 'Simulator' }), 'ArrowDown');
    expect(await dialog.getByRole('radio', { name: 'WhatsApp Cloud API' }).isChecked()).toBe(true);
    await press(tab, dialog.getByRole('button', { name: 'Tambah' }));
    await press(tab, dialog.getByRole('button', { name: 'Lanjut: sambungkan nomor' }));
    await tab.getByRole('heading', { name: 'Sambungkan nomor' }).waitFor();
    await look(tab, 'the form of a number');
    await connectByKeyboard(tab);
    await tab.getByText('Meta belum memeriksa alamat Kabari.', { exact: false }).waitFor();
    await look(tab, 'what to enter at Meta');
    await tab.goto(address);
    await tab.getByText('Meta belum memeriksa alamat Kabari', { exact: false }).waitFor();
    await look(tab, 'the first steps of a number that Meta does not call back for');
    await tab.getByRole('link', { name: 'Selesaikan langkah terakhirnya' }).click();

    const url = await offered(tab, 'Callback URL');
    const word = await offered(tab, 'Verify token');
    const { isConfirmed } = await meta.control.subscribe(address + new URL(url).pathname, word);
    expect(isConfirmed).toBe(true);
    await tab.getByText('Pengaturan webhook di Meta').waitFor();
    await look(tab, 'a number that is connected');

    meta.control.receiveFrom(CUSTOMER, { type: 'text', content: { body: 'Apakah masih buka?' } });
    await tab.goto(`${address}/message-history?view=percakapan`);
    await tab.getByText('Apakah masih buka?').first().click();
    await tab.getByText(/^Jendela 24 jam berakhir/).waitFor();
    await look(tab, 'a window that is open');
    await tab.getByRole('textbox', { name: /^Tulis pesan untuk/ }).fill('Masih, sampai pukul 21.');
    await tab.keyboard.press('Enter');
    await tab.getByRole('article').getByText('Dibaca').waitFor();
    expect(meta.control.sent()).toHaveLength(1);

    // A person whose number WhatsApp hides.
    const hidden = { name: 'Sari Wulandari', isNumberHidden: true };
    const content = { body: 'Kak, bisa kirim ke Cimahi?' };
    meta.control.receiveFrom(HIDDEN, { type: 'text', content, ...hidden });
    await tab.getByText(content.body).first().click();
    await tab.getByText(/^Tanpa nomor/).waitFor();
    await look(tab, 'a conversation with a hidden number');
    await tab.getByRole('textbox', { name: /^Tulis pesan untuk Sari/ }).fill('Bisa, Kak.');
    await tab.keyboard.press('Enter');
    await tab.getByRole('article').filter({ hasText: 'Bisa, Kak.' }).getByText('Dibaca').waitFor();
    expect(meta.control.sent()[1]?.body).toMatchObject({ recipient: expect.stringMatching(/^ID/) });
    await tab.goto(`${address}/message-history`);
    await tab
      .getByText(/^Tanpa nomor/)
      .first()
      .waitFor();
    await look(tab, 'messages of a hidden number');
    expect(faults).toEqual([]);
  },
);

journey(
  'a closed window is announced, and a token moves to another channel',
  async ({ product: { address }, person, db }) => {
    const who = await signUp(address, { name: 'Toko Dahlia', phone: '6281355506202' });
    await topUp(address, who, 50_000);
    const old = { name: 'catatan_lama', language: 'id', category: 'utility' } as const;
    await ask(address, createTemplate, { ...old, body: 'Catatan lama.' }, who.session);
    const fields = { name: 'Cabang', channel: 'cloud' } as const;
    const { token } = await ask(address, createToken, fields, who.session);
    const input = { token_id: token.id, ...accessOf(meta, 1) };
    const { cloud } = await ask(address, connectCloud, input, who.session);
    const path = new URL(cloud.callback_url).pathname;
    await meta.control.subscribe(address + path, cloud.verify_token);
    const ready = { name: 'pesanan_siap', language: 'id', category: 'UTILITY' } as const;
    meta.control.templates.add({ ...ready, body: 'Halo {{1}}, pesanan Anda siap.' });
    await ask(address, syncTemplateList, {}, who.session);
    meta.control.receiveFrom(CUSTOMER, {
      type: 'text',
      content: { body: 'Sudah dikirim?' },
      phoneNumberId: input.phone_number_id,
    });
    const tokenId = uuidOf('token', token.id) ?? '';
    await waitFor(async () => {
      const of = { tokenId, peer: CUSTOMER };
      const [closed] = await db.allAccountsSql<{ at: Date | null }[]>`
        ${changeConversations(db.allAccountsSql, of, { lastInAt: agedBy('25 hours') })}
        returning last_in_at as at`;
      return closed !== undefined && closed.at !== null;
    });
    const { open } = await person({ session: who.session, width: 390 });
    const { faults, look } = inspectionHere();
    const tab = await open(`/message-history?view=percakapan&open=${token.id}&peer=${CUSTOMER}`);
    await tab.getByText('hanya templat yang dapat dikirim', { exact: false }).waitFor();
    expect(await tab.getByRole('textbox').count()).toBe(0);
    await look(tab, 'a window that is closed');

    await tab.getByRole('button', { name: 'Kirim templat' }).click();
    const templates = tab.getByRole('list', { name: 'Templat yang disetujui' });
    await templates.getByRole('button', { name: /pesanan_siap/ }).waitFor();
    expect(await templates.getByText('catatan_lama').count()).toBe(0);
    await look(tab, 'the templates of Meta');
    await templates.getByRole('button', { name: /pesanan_siap/ }).click();
    await tab.getByRole('dialog').getByLabel('Isi {{1}}').fill('Bu Sri');
    await tab.getByRole('dialog').getByRole('button', { name: 'Kirim templat' }).click();
    const article = tab.getByRole('article').filter({ hasText: 'Halo Bu Sri, pesanan Anda siap.' });
    await article.getByText('Dibaca').waitFor();
    expect(meta.control.sent().at(-1)?.body).toMatchObject({
      type: 'template',
      template: { name: 'pesanan_siap', language: { code: 'id' } },
    });

    await tab.goto(`${address}/token?open=${token.id}`);
    await tab.getByRole('button', { name: 'Pindah kanal' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Pindah kanal' });
    await dialog.getByRole('button', { name: 'Pindahkan' }).click();
    await dialog.getByText('Pilih kanalnya.').waitFor();
    await dialog.getByRole('radio', { name: 'Simulator' }).check();
    await look(tab, 'moving a token');
    await dialog.getByRole('button', { name: 'Pindahkan' }).click();
    await tab.getByText('Kode penautan', { exact: true }).waitFor();
    expect(faults).toEqual([]);
  },
);

journey(
  'the Cloud API composer explains the 24 hours first, and reads new templates from Meta',
  async ({ product: { address }, person }) => {
    const who = await signUp(address, { name: 'Toko Cempaka', phone: '6281355506203' });
    const trial = await newSender(address, who, { name: 'Uji coba', phone: '62813555062039' });
    const fields = { name: 'Gudang', channel: 'cloud' } as const;
    const { token } = await ask(address, createToken, fields, who.session);
    const input = { token_id: token.id, ...accessOf(meta, 2) };
    await ask(address, connectCloud, input, who.session);
    const expects = [/status of 422/];
    const { open } = await person({ session: who.session, expects });
    const { faults, look } = inspectionHere();
    const tab = await open('/message-history');
    await tab.getByRole('button', { name: 'Kirim pesan' }).first().click();
    const dialog = tab.getByRole('dialog', { name: 'Kirim pesan' });
    const hint = dialog.getByText('teks bebas hanya sampai kepada orang', { exact: false });
    await dialog.getByLabel('Dari nomor').selectOption(trial.id);
    expect(await hint.count()).toBe(0);
    await dialog.getByLabel('Dari nomor').selectOption(token.id);
    await hint.waitFor();
    await look(tab, 'a message by the Cloud API');
    await dialog.getByRole('link', { name: 'Lihat templat' }).click();

    await tab.getByRole('row', { name: /hello_world/ }).waitFor();
    meta.control.templates.add({ name: 'pesanan_siap', body: 'Pesanan Anda siap diambil.' });
    const renew = tab.getByRole('button', { name: 'Perbarui dari Meta' });
    await renew.click();
    await tab.getByText('Templat diperbarui dari Meta.').waitFor();
    await tab.getByRole('row', { name: /pesanan_siap/ }).waitFor();

    const message = 'Meta tidak dapat dihubungi. Coba lagi sebentar lagi.';
    await fakeActs(tab, { template_sync: () => ({ refused: 'cloud_unreachable', message }) });
    await renew.click();
    await tab.getByRole('main').getByText(message).waitFor();
    await look(tab, 'templates that Meta did not tell of');
    expect(faults).toEqual([]);
  },
);

// The last journey: from here on codes need this Meta.
journey(
  'the operator moves the system token to the Cloud API, and sees what codes still lack',
  async ({ product: { address, operator }, person }) => {
    const session = await signIn(address, operator);
    const { open } = await person({ session, width: 390 });
    const { faults, look } = inspectionHere();
    const tab = await open('/operator/token');
    await tab.getByRole('button', { name: 'Pindah kanal' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Pindah kanal token sistem' });
    await dialog.getByRole('radio', { name: 'WhatsApp Cloud API' }).check();
    await dialog
      .getByText('Lewat Cloud API kode dikirim sebagai templat', { exact: false })
      .waitFor();
    await look(tab, 'moving the system token');
    await dialog.getByRole('button', { name: 'Pindahkan' }).click();
    await tab.getByLabel('Phone number ID', { exact: true }).waitFor();
    await look(tab, 'the system token without its number');
    await connectByKeyboard(tab, 3);
    await tab
      .getByText('Belum ada templat autentikasi yang disetujui Meta', { exact: false })
      .waitFor();
    await look(tab, 'a system token that cannot send codes');

    meta.control.templates.add({
      name: 'kode_masuk',
      category: 'AUTHENTICATION',
      components: codeComponents,
    });
    await tab.getByRole('button', { name: 'Masukkan access token baru' }).click();
    await write(
      tab,
      tab.getByLabel('Access token', { exact: true }),
      accessOf(meta, 3).access_token,
    );
    await write(tab, tab.getByLabel('App secret', { exact: true }), accessOf(meta, 3).app_secret);
    await press(tab, tab.getByRole('button', { name: 'Simpan dan sambungkan' }));
    await tab.getByText('kode_masuk').waitFor();
    // A notice, or the page's head, may cover a part of a button.
    const notices = tab.getByRole('region', { name: /^Pemberitahuan/ }).getByRole('button');
    await waitFor(async () => expect(await notices.count()).toBe(0));
    await tab.evaluate(() => scrollTo(0, 0));
    await look(tab, 'a system token that sends codes');
    expect(faults).toEqual([]);
  },
);
