import { expect, inject } from 'vitest';
import { createToken } from '#contract/tokens.ts';
import { test } from '#tests/support/gallery.ts';
import { endFakes, fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { ask, signUp } from '#tests/journeys/support/portal.ts';

async function customer() {
  const product = inject('product');
  const phone = `628137${String(Date.now() % 1e7).padStart(7, '0')}`;
  const { session } = await signUp(product, { name: 'Toko Melur', phone });
  const asked = { name: 'Kasir', channel: 'cloud' } as const;
  const { token } = await ask(product, createToken, asked, session);
  return { session, token };
}

const refused = /status of 422/;

test('channels that failed to load are reloaded, and are not reported as none', async ({
  profiles,
}) => {
  const { session } = await customer();
  const { open, wrongs, context } = await profiles.open({ session, expects: [refused] });
  const tab = await open('/token');
  await fakeActs(tab, {
    channel_list: () => ({ refused: 'our_fault', message: 'Ada kesalahan di pihak kami.' }),
  });
  await tab.getByRole('button', { name: 'Tambah token' }).first().click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByText('Ada kesalahan di pihak kami.').waitFor();
  endFakes(tab);
  await dialog.getByRole('button', { name: 'Coba lagi' }).click();
  await dialog.getByRole('radio', { name: 'WhatsApp Cloud API' }).waitFor();
  await tab.keyboard.press('Escape');

  await fakeActs(tab, { channel_list: () => ({ channels: [] }) });
  await tab.reload();
  await tab.getByRole('button', { name: 'Tambah token' }).first().click();
  await tab.getByText('Belum ada kanal yang tersedia di sini.', { exact: false }).waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

test('a token requested before the channels are loaded uses the first of them', async ({
  profiles,
}) => {
  const { session } = await customer();
  const { open, wrongs, context } = await profiles.open({ session });
  const tab = await open('/token');
  const { promise: channelsMayCome, resolve: letChannelsCome } = Promise.withResolvers<void>();
  await tab.route('**/api', async (route) => {
    const act = new URLSearchParams(route.request().postData() ?? '').get('act');
    if (act === 'channel_list') await channelsMayCome;
    await route.continue();
  });
  await tab.getByRole('button', { name: 'Tambah token' }).first().click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Nama' }).fill('Cabang Dago');
  await dialog.getByRole('button', { name: 'Tambah' }).click();
  await dialog.getByRole('button', { name: 'Tambah' }).and(tab.locator('[aria-busy]')).waitFor();
  letChannelsCome();
  await tab.getByRole('dialog', { name: 'Kunci untuk Cabang Dago' }).waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

test('a disconnected number shows its reason, its restrictions, and where to enter a new access token', async ({
  profiles,
}) => {
  const { session, token } = await customer();
  const { open, wrongs, context } = await profiles.open({ session, width: 390 });
  const tab = await open('/token');
  const at = '2026-11-24T02:00:00.000Z';
  await fakeActs(tab, {
    token_get: () => ({ ...token, status: 'disconnected', phone: '6281227001180' }),
    token_connection_get: () => ({
      channel: 'cloud',
      since: null,
      parted: { at, reason: 'access' },
      restriction: { kind: 'quality', at, until: null },
      paused: null,
      last_receipt_at: null,
      uptime: 9_987,
    }),
    token_cloud_get: () => ({
      phone_number_id: '106540352242922',
      waba_id: '102290129340398',
      verified_name: 'Toko Melur',
      quality: 'RED',
      callback_url: 'https://kabari.example/callbacks/cloud/x',
      verify_token: 'x',
      verified_at: at,
      called_back_at: at,
    }),
  });
  await tab.getByRole('row', { name: 'Kasir' }).getByRole('button').click();
  const drawer = tab.getByRole('dialog');
  await drawer.getByText('Terputus sejak 24 Nov 2026, 09.00.').waitFor();
  await drawer.getByText('Meta menolak access token nomor ini', { exact: false }).waitFor();
  await drawer.getByText('Meta menurunkan mutu nomor ini', { exact: false }).waitFor();
  await drawer.getByText('99,87%').waitFor();
  await drawer.getByRole('button', { name: 'Masukkan access token baru' }).click();
  const secret = drawer.getByLabel('Access token', { exact: true });
  expect(await secret.inputValue()).toBe('');
  expect(await secret.getAttribute('type')).toBe('password');
  expect(await drawer.getByLabel('Phone number ID', { exact: true }).inputValue()).toBe(
    '106540352242922',
  );
  await drawer.getByRole('button', { name: 'Simpan dan sambungkan' }).click();
  await drawer.getByText('Access token tidak lengkap. Salin ulang seluruhnya.').waitFor();
  await drawer.getByRole('button', { name: 'Batal' }).click();
  await drawer.getByText('Pengaturan webhook di Meta').waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});
