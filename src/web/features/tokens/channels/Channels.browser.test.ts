import { expect, inject } from 'vitest';
import { type CloudConnection, connectCloud, getCloud, getConnection } from '#contract/channels.ts';
import { homeSummary } from '#contract/messages.ts';
import { consentScan, getScan } from '#contract/scan.ts';
import { createToken, getToken, linkToken, listTokens, type Token } from '#contract/tokens.ts';
import { readQr } from '#tests/journeys/browser/qr.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { endedByPhone } from '#tests/support/channels/samples.ts';
import { test } from '#tests/support/gallery.ts';
import { endFakes, fakeAct, fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { ask, signUp } from '#tests/journeys/support/portal.ts';
import { press, write } from '#tests/journeys/support/steps.ts';

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

const cloud: CloudConnection = {
  phone_number_id: '106540352242922',
  waba_id: '102290129340398',
  verified_name: 'Toko Melur',
  quality: 'GREEN',
  callback_url: 'https://kabari.example/callbacks/cloud/x',
  verify_token: 'x',
  verified_at: null,
  called_back_at: null,
};

test('the form of a number and its last step at Meta are followed by the connected number', async ({
  person,
}) => {
  const { session, token } = await customer();
  const { open } = await person({ session });
  const tab = await open();
  let now: Token = token;
  let known: CloudConnection | null = null;
  const home = await ask(inject('product'), homeSummary, {}, session);
  const requests = await fakeActs(tab, {
    ...fakeAct(homeSummary, () => ({
      ...home,
      channel: token.channel,
      checklist: { topped_up: true, has_token: true, linked: known !== null, sent: false },
    })),
    ...fakeAct(listTokens, () => ({ list: [now] })),
    ...fakeAct(getToken, () => now),
    ...fakeAct(getConnection, () => null),
    ...fakeAct(getCloud, () => known),
    ...fakeAct(connectCloud, () => {
      now = { ...token, status: 'linked', phone: '6281227001180' };
      known = cloud;
      return { token: now, cloud };
    }),
  });
  const { faults, look } = inspectionHere();
  await tab.goto('/token?view=new');
  const dialog = tab.getByRole('dialog');
  await dialog.getByText('Jalur resmi dari Meta', { exact: false }).waitFor();
  await look(tab, 'the channels to choose from');
  await tab.goto(`/token?open=${token.id}`);
  await tab.getByRole('heading', { name: 'Sambungkan nomor' }).waitFor();
  await look(tab, 'the form of a number');
  const access = {
    phone_number_id: cloud.phone_number_id,
    waba_id: cloud.waba_id,
    access_token: 'EAAJB-access-token-of-the-shop',
    app_secret: '0123456789abcdef0123456789abcdef',
  };
  const field = (label: string) => tab.getByLabel(label, { exact: true });
  await write(tab, field('Phone number ID'), access.phone_number_id);
  await write(tab, field('WhatsApp Business Account ID'), access.waba_id);
  await write(tab, field('Access token'), access.access_token);
  await write(tab, field('App secret'), access.app_secret);
  await press(tab, tab.getByRole('button', { name: 'Sambungkan nomor' }));
  await tab.getByText('Meta belum memeriksa alamat Kabari.', { exact: false }).waitFor();
  expect(requests.find(({ act }) => act === connectCloud.name)).toMatchObject(access);
  await look(tab, 'what to enter at Meta');
  await tab.goto('/');
  await tab.getByText('Meta belum memeriksa alamat Kabari', { exact: false }).waitFor();
  await look(tab, 'the first steps of a number that Meta does not call back for');
  await tab.getByRole('link', { name: 'Selesaikan langkah terakhirnya' }).click();
  await tab.getByLabel('Callback URL').waitFor();
  known = { ...cloud, verified_at: new Date() };
  await tab.getByText('Pengaturan webhook di Meta').waitFor();
  await look(tab, 'a number that is connected');
  expect(faults).toEqual([]);
});

test('a token moves to another channel, which must be chosen', async ({ person }) => {
  const { session, token } = await customer();
  const { open } = await person({ session, width: 390 });
  const { faults, look } = inspectionHere();
  const tab = await open(`/token?open=${token.id}`);
  await tab.getByRole('button', { name: 'Pindah kanal' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Pindah kanal' });
  await dialog.getByRole('button', { name: 'Pindahkan' }).click();
  await dialog.getByText('Pilih kanalnya.').waitFor();
  await dialog.getByRole('radio', { name: 'Simulator' }).check();
  await look(tab, 'moving a token');
  await dialog.getByRole('button', { name: 'Pindahkan' }).click();
  await tab.getByText('Kode penautan', { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('a number that its phone disconnected shows the reason and the risks, and can be linked again', async ({
  person,
}) => {
  const product = inject('product');
  const who = await signUp(product, { name: 'Toko Kenari', phone: '6281355592004' });
  const fields = { name: 'Kasir', channel: 'simulator' } as const;
  const { token } = await ask(product, createToken, fields, who.session);
  const at = new Date();
  const disconnected = endedByPhone(at);
  const expires_at = new Date(Date.now() + 600_000);
  let now: Token = { ...token, channel: 'web', status: 'disconnected', phone: who.phone };
  let connection = disconnected;
  const { open } = await person({ session: who.session });
  const tab = await open();
  await fakeActs(tab, {
    ...fakeAct(listTokens, () => ({ list: [now] })),
    ...fakeAct(getToken, () => now),
    ...fakeAct(getConnection, () => connection),
    ...fakeAct(linkToken, () => ({ path: '/scan/xxxxxxxx', expires_at })),
    ...fakeAct(consentScan, () => ({ nonce: 'n' })),
    ...fakeAct(getScan, () => ({
      state: 'waiting' as const,
      failure: null,
      account_name: who.name,
      token_name: now.name,
      channel: now.channel,
      qr: { text: 'https://wa.me/settings/linked_devices#x', pairing_code: null, expires_at },
      phone: null,
      expires_at,
    })),
  });
  const { faults, look } = inspectionHere();
  await tab.goto(`/token?open=${token.id}`);
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
  expect(await readQr(qr)).toBe('https://wa.me/settings/linked_devices#x');
  connection = { ...disconnected, since: at, parted: null };
  now = { ...now, status: 'linked' };
  await drawer.getByText('Token ini siap mengirim', { exact: false }).waitFor();
  expect(await risk.count()).toBe(0);

  connection = { ...connection, restriction: { kind: 'new_chats', at, until: null } };
  await tab.reload();
  await drawer.getByText('sedang membatasi nomor ini', { exact: false }).waitFor();
  await drawer.getByText('dengan pembatasan di atas', { exact: false }).waitFor();
  await look(tab, 'a number of WhatsApp Web that is restricted');
  expect(faults).toEqual([]);
});
