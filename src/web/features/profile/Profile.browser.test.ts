import type { Locator, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { expect, inject } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import {
  answerFrom,
  ask,
  deliverText,
  newSender,
  signIn,
  signUp,
  topUp,
  type Customer,
} from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';

const address = inject('product');

let registered: Promise<Customer> | undefined;
async function customer(): Promise<Customer> {
  registered ??= signUp(address, { name: 'Batik Kenanga', phone: '6281355503101' });
  const { phone, password } = await registered;
  return { ...(await registered), session: await signIn(address, { phone, password }) };
}

const part = (tab: Page, name: string): Locator => tab.getByRole('region', { name, exact: true });

/** The person's stored data on the server, not the screen. */
const known = ({ session }: Customer) => ask(address, checkToken, {}, session);

test('a new name shows at once, and an invalid address is reported', async ({ person }) => {
  const who = await customer();
  const { open } = await person({ session: who.session, expects: [/status of 422/] });
  const tab = await open('/profile');
  const other = await open('/token');
  const mine = part(tab, 'Data diri');
  await mine.getByLabel('Alamat email').fill('ratna@kenanga');
  await mine.getByRole('button', { name: 'Simpan profil' }).click();
  await mine.getByText('Tulis alamat email yang lengkap').waitFor();
  expect(await mine.getByLabel('Alamat email').inputValue()).toBe('ratna@kenanga');

  await mine.getByLabel('Alamat email').fill('Ratna@Kenanga.co.id');
  await mine.getByLabel('Nama Anda atau nama usaha').fill('Batik Kenanga Jaya');
  await mine.getByRole('button', { name: 'Simpan profil' }).click();
  await tab.getByRole('link', { name: 'Profil Batik Kenanga Jaya' }).waitFor();
  await other.getByRole('link', { name: 'Profil Batik Kenanga Jaya' }).waitFor();
  expect(await known(who)).toMatchObject({
    name: 'Batik Kenanga Jaya',
    email: 'ratna@kenanga.co.id',
  });
});

function redAndBlue(): Buffer {
  const png = new PNG({ width: 800, height: 400 });
  for (let at = 0; at < 800 * 400; at++) {
    png.data.set(at % 800 < 400 ? [200, 30, 30, 255] : [30, 30, 200, 255], at * 4);
  }
  return PNG.sync.write(png);
}

const look = (image: Locator) =>
  image.evaluate(async (element) => {
    const picture = element as HTMLImageElement;
    await picture.decode();
    const { naturalWidth: width, naturalHeight: height, src } = picture;
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const pen = canvas.getContext('2d');
    pen?.drawImage(picture, 0, 0);
    const [red = 0, , blue = 0] = pen?.getImageData(width * 0.75, height / 2, 1, 1).data ?? [];
    const type = (await fetch(src)).headers.get('content-type');
    return { width, height, type, colour: red > blue ? 'red' : 'blue' };
  });

test('a picture is cropped, re-encoded, and shown beside the name', async ({ person }) => {
  const who = await customer();
  const { open } = await person({ session: who.session });
  const tab = await open('/profile');
  await tab.getByRole('button', { name: 'Unggah foto' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Foto profil' });
  const chooser = dialog.locator('input[type=file]');
  await chooser.setInputFiles({
    name: 'catatan.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('halo'),
  });
  await dialog.getByText('Jenis berkas ini tidak diterima', { exact: true }).waitFor();
  const file = { name: 'toko.png', mimeType: 'image/png', buffer: redAndBlue() };
  await chooser.setInputFiles(file);
  await dialog.getByRole('slider', { name: 'Geser mendatar' }).press('Home');
  await dialog.getByRole('button', { name: 'Pakai foto ini' }).click();
  await dialog.waitFor({ state: 'detached' });

  const shown = tab.getByRole('link', { name: /^Profil / }).locator('img');
  await shown.waitFor();
  expect(await look(shown)).toEqual({
    width: 512,
    height: 512,
    type: 'image/webp',
    colour: 'red',
  });
  await tab.reload();
  await shown.waitFor();

  await tab.getByRole('button', { name: 'Hapus foto' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Hapus' }).click();
  await shown.waitFor({ state: 'detached' });
  expect((await known(who)).avatar).toBeNull();
});

test('the chosen colours are there at the first paint', async ({ person }) => {
  const who = await customer();
  const ratna = await person({ session: who.session });
  const tab = await ratna.open('/profile');
  await part(tab, 'Tampilan').getByRole('radio', { name: 'Gelap' }).check();
  const theme = () => tab.evaluate(() => document.documentElement.dataset['theme']);
  await waitFor(async () => expect(await theme()).toBe('dark'));
  await waitFor(async () => expect((await known(who)).theme).toBe('dark'));
  await tab.addInitScript(() => {
    const watch = new MutationObserver(() => {
      if (!document.body) return;
      watch.disconnect();
      sessionStorage.setItem('first-theme', document.documentElement.dataset['theme'] ?? 'none');
    });
    watch.observe(document, { childList: true, subtree: true });
  });
  await tab.reload();
  await part(tab, 'Tampilan').waitFor();
  expect(await tab.evaluate(() => sessionStorage.getItem('first-theme'))).toBe('dark');

  // Another browser of the same person, without a stored theme.
  const elsewhere = await (await person({ session: who.session })).open('/');
  await elsewhere.getByRole('heading', { name: 'Beranda' }).waitFor();
  await waitFor(async () =>
    expect(await elsewhere.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark'),
  );
  await elsewhere.getByRole('button', { name: 'Tema: gelap' }).click();
  await waitFor(async () => expect((await known(who)).theme).toBe('system'));
});

test('times use the zone of the person', async ({ person }) => {
  const who = await customer();
  await topUp(address, who, 50_000);
  const { open } = await person({ session: who.session });
  const tab = await open('/saldo');
  const first = tab.getByRole('table').locator('time').first();
  const before = await first.innerText();
  await tab.goto('/profile#tampilan');
  await tab.getByLabel('Zona waktu').selectOption('Asia/Jayapura');
  await waitFor(async () => expect((await known(who)).timezone).toBe('Asia/Jayapura'));
  await tab.goto('/saldo');
  await first.waitFor();
  const hours = (shown: string) => Number(/(\d\d)\.\d\d$/.exec(shown)?.[1]);
  expect(hours(await first.innerText())).toBe((hours(before) + 2) % 24);
});

test('a switch applies at once, and reverts where it could not be saved', async ({ person }) => {
  const who = await customer();
  const { open } = await person({ session: who.session, expects: [/status of 503/] });
  const tab = await open('/profile');
  const sound = tab.getByRole('checkbox', { name: 'Bunyikan pesan baru' });
  await sound.waitFor();
  const released = Promise.withResolvers<void>();
  await tab.route('**/api', async (route) => {
    if (!/act=user_update/.test(route.request().postData() ?? '')) return route.continue();
    await released.promise;
    return route.fulfill({ status: 503, json: { code: 0, msg: 'Sedang penuh.' } });
  });
  await sound.click();
  await waitFor(async () => expect(await sound.isChecked()).toBe(false));
  released.resolve();
  await part(tab, 'Pemberitahuan').getByText('Pilihan ini belum tersimpan').waitFor();
  await waitFor(async () => expect(await sound.isChecked()).toBe(true));
  await tab.unroute('**/api');

  await sound.click();
  const push = tab.getByRole('checkbox', { name: 'Pemberitahuan pesan baru' });
  await push.click();
  await tab.getByLabel('Pilihan bunyi').selectOption('Lonceng');
  await waitFor(async () => {
    const { sound_on, push_on, sound: name } = await known(who);
    expect({ sound_on, push_on, name }).toEqual({
      sound_on: false,
      push_on: false,
      name: 'lonceng',
    });
  });
  await tab.reload();
  await sound.waitFor();
  await waitFor(async () =>
    expect(await Promise.all([sound.isChecked(), push.isChecked()])).toEqual([false, false]),
  );
});

test('the chosen sound plays, but only when sounds are on', async ({ person }) => {
  const who = await signUp(address, { name: 'Apotek Waras', phone: '6281355503102' });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone: who.phone });
  const peer = '6281299990011';
  await deliverText(address, sender, { to: peer, text: 'Obat Ibu sudah siap.' });
  const ratna = await person({ session: who.session });
  const tab = await ratna.open('/profile');
  await tab.getByLabel('Pilihan bunyi').selectOption('Ketuk');
  await tab.getByRole('button', { name: 'Coba bunyi' }).click();
  const sounds = () =>
    ratna.observed.filter(({ kind }) => kind === 'sound').map(({ what }) => what);
  await waitFor(() => expect(sounds()).toEqual([`${address}/sounds/ketuk.wav`]));

  await waitFor(async () => expect((await known(who)).sound).toBe('ketuk'));
  await answerFrom(address, peer, { sender, text: 'Baik, saya ke sana' });
  await waitFor(() => expect(sounds()).toEqual(Array(2).fill(`${address}/sounds/ketuk.wav`)));
  await tab.getByRole('checkbox', { name: 'Bunyikan pesan baru' }).click();
  await waitFor(async () => expect((await known(who)).sound_on).toBe(false));
  await answerFrom(address, peer, { sender, text: 'Sudah buka, kan?' });
  // The message has arrived: the menu counts it. No further sound may play.
  await tab.getByRole('link', { name: /Pesan.*2/ }).waitFor();
  await tab.goto('/message-history?view=percakapan');
  await tab.getByText('Sudah buka, kan?').waitFor();
  expect(sounds()).toHaveLength(2);
});
