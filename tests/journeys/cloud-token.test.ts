import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type FakeMeta, startFakeMeta } from '#tests/support/meta/fake-meta.ts';
import { accessOf } from '#tests/support/meta/cloud-channel.ts';
import { signUp, topUp } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';
import { press, write } from './support/steps.ts';

const settings: Record<string, string> = { SIMULATOR_SPEED: '0' };
let meta: FakeMeta;
beforeAll(async () => {
  meta = await startFakeMeta({ numbers: [{}] });
  settings['CLOUD_URL'] = `${meta.url}/v23.0`;
});
// Before the product ends, which may still call it.
afterAll(() => meta.close());

const journey = setUpJourney(settings);

const CUSTOMER = '6281355507001';
const HIDDEN = '6281355507002';

async function connectByKeyboard(tab: Page): Promise<void> {
  const access = accessOf(meta);
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
    const tab = await open('/token?view=new');
    const dialog = tab.getByRole('dialog');
    await dialog.getByText('Jalur resmi dari Meta', { exact: false }).waitFor();
    await write(tab, dialog.getByLabel('Nama'), 'Kasir');
    await press(tab, dialog.getByRole('radio', { name: 'Simulator' }), 'ArrowDown');
    expect(await dialog.getByRole('radio', { name: 'WhatsApp Cloud API' }).isChecked()).toBe(true);
    await press(tab, dialog.getByRole('button', { name: 'Tambah' }));
    await press(tab, dialog.getByRole('button', { name: 'Lanjut: sambungkan nomor' }));
    await tab.getByRole('heading', { name: 'Sambungkan nomor' }).waitFor();
    await connectByKeyboard(tab);
    await tab.getByText('Meta belum memeriksa alamat Kabari.', { exact: false }).waitFor();

    const url = await offered(tab, 'Callback URL');
    const word = await offered(tab, 'Verify token');
    const { isConfirmed } = await meta.control.subscribe(address + new URL(url).pathname, word);
    expect(isConfirmed).toBe(true);
    await tab.getByText('Pengaturan webhook di Meta').waitFor();

    meta.control.receiveFrom(CUSTOMER, { type: 'text', content: { body: 'Apakah masih buka?' } });
    await tab.goto(`${address}/message-history?view=percakapan`);
    await tab.getByText('Apakah masih buka?').first().click();
    await tab.getByText(/^Jendela 24 jam berakhir/).waitFor();
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
    await tab.getByRole('textbox', { name: /^Tulis pesan untuk Sari/ }).fill('Bisa, Kak.');
    await tab.keyboard.press('Enter');
    await tab.getByRole('article').filter({ hasText: 'Bisa, Kak.' }).getByText('Dibaca').waitFor();
    expect(meta.control.sent()[1]?.body).toMatchObject({ recipient: expect.stringMatching(/^ID/) });
  },
);
