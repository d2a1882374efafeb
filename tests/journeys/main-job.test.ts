import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import type { Person } from './browser/browser.ts';
import { PASSWORD } from './support/portal.ts';
import { readQr } from './browser/qr.ts';
import { followRow } from './browser/spies.ts';
import { setUpJourney } from './support/stage.ts';
import { arrivesAt, fillLogin, fillRegistration, rupiahIn, tabFrom } from './support/steps.ts';

const journey = setUpJourney({ CAPTCHA_STEPS: '800' }, 'whole', { ownServer: true });

const owner = { name: 'Toko Melati', phone: '0812-3456-7890' };
const customer = '62800000001';

journey(
  'a new customer gets from registration to an answered message, live',
  async ({ person }) => {
    const stranger = await person({ notices: true, still: false });
    const tab = await register(stranger);
    const born = await tab.evaluate(() => performance.timeOrigin);
    await topUp(stranger, tab);
    const key = await addToken(tab);
    await linkPhone(stranger, tab);
    await sendByApi(stranger, tab, key);
    await receiveReply(stranger, tab);
    await answer(stranger, tab);
    expect(await tab.evaluate(() => performance.timeOrigin)).toBe(born);
    await leaveAndReturn(tab);
  },
);

async function register(stranger: Person): Promise<Page> {
  const tab = await stranger.open('/auth/register');
  await fillRegistration(tab, owner);
  const phone = await tabFrom(stranger.context, () =>
    tab.getByRole('link', { name: /Buka simulator/ }).click(),
  );
  const text = await phone
    .getByText(/Kode verifikasi Kabari: \d{6}/)
    .last()
    .innerText();
  await phone.close();
  await tab.getByLabel('Kode verifikasi').fill(/\d{6}/.exec(text)?.[0] ?? '');
  await arrivesAt(tab, '/');
  await tab.getByRole('heading', { name: 'Langkah pertama' }).waitFor();
  await tab.getByText('0 dari 3 selesai').waitFor();
  return tab;
}

const available = (tab: Page) =>
  tab.getByRole('region', { name: 'Saldo Anda' }).locator('dd').first().innerText();

/** Tops up; the simulated bank pays, and the open page shows it without a reload. */
async function topUp(stranger: Person, tab: Page): Promise<void> {
  await tab.getByRole('listitem').getByRole('link', { name: 'Isi saldo' }).click();
  await arrivesAt(tab, '/saldo');
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Rp 100.000', exact: true }).click();
  await dialog.getByRole('button', { name: 'Pilih cara bayar' }).click();
  await dialog.getByRole('radio', { name: /^Transfer bank/ }).check();
  await dialog.getByRole('button', { name: 'Lanjut ke pembayaran' }).click();
  const total = rupiahIn(await dialog.getByLabel('Transfer tepat sejumlah').innerText());
  expect(total).toBeGreaterThan(100_000);
  expect(total).toBeLessThan(101_000);
  const before = rupiahIn(await available(tab));

  const bank = await tabFrom(stranger.context, () =>
    dialog.getByRole('link', { name: /Bayar lewat bank simulasi/ }).click(),
  );
  await payAtBank(bank);
  await bank.close();

  await dialog.getByText('Lunas', { exact: true }).first().waitFor();
  await dialog.getByRole('button', { name: 'Selesai' }).click();
  await waitFor(async () => expect(rupiahIn(await available(tab))).toBe(before + total));
  const mutation = tab.getByRole('table', { name: 'Mutasi saldo' }).locator('tbody tr').nth(1);
  await waitFor(async () => expect(await mutation.innerText()).toMatch(/Isi saldo/));
}

async function payAtBank(bank: Page): Promise<void> {
  // Its field loses the focus, so that it is validated; emptied after the transfer it is not wrong.
  await bank.getByLabel('Jumlah').focus();
  await bank.getByLabel('Nama pengirim').fill('Melati Wijaya');
  await bank.getByRole('button', { name: 'Kirim transfer' }).click();
  await bank.getByText('Cocok, lunas').waitFor();
  expect(await bank.getByLabel('Jumlah').inputValue()).toBe('');
  expect(await bank.locator('[aria-invalid="true"]').count()).toBe(0);
}

/** Creates a token. @returns its key, which the page shows only once. */
async function addToken(tab: Page): Promise<string> {
  await tab.getByRole('link', { name: 'Nomor', exact: true }).first().click();
  await arrivesAt(tab, '/token');
  await tab.getByRole('button', { name: 'Tambah token' }).first().click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByLabel('Nama').fill('Kasir');
  await dialog.getByRole('button', { name: 'Tambah', exact: true }).click();
  const key = await dialog.getByLabel('Kunci API').innerText();
  expect(key).toMatch(/^kbr_test_[0-9A-Za-z]{49}$/);
  return key;
}

/** Links the phone: the link in one tab, the simulated phone's camera in another. */
async function linkPhone(stranger: Person, tab: Page): Promise<void> {
  await curlOf(tab);
  await tab.getByRole('button', { name: 'Lanjut: sambungkan ponsel' }).click();
  await tab.getByRole('button', { name: 'Buat tautan pindai' }).click();
  const scan = await tabFrom(stranger.context, () =>
    tab.getByRole('link', { name: /Buka halaman pindai/ }).click(),
  );
  await scan.getByText('Toko Melati').first().waitFor();
  const shown = scan.waitForResponse(
    async (response) => (await qrIn(response.json())) !== undefined,
  );
  await scan.getByRole('button', { name: 'Saya mengerti, tampilkan QR' }).click();
  const qr = scan.getByRole('img', { name: /Kode QR/ });
  await qr.waitFor();
  expect(await readQr(qr)).toBe(await qrIn((await shown).json()));

  const phone = await tabFrom(stranger.context, () =>
    scan.getByRole('link', { name: /Buka simulator/ }).click(),
  );
  await scanWithCamera(phone);
  await scan.getByRole('heading', { name: 'Tersambung' }).waitFor();
  await tab.getByText('Tersambung', { exact: true }).first().waitFor();
  await tab.getByText('+62 812-3456-7890').first().waitFor();
  await Promise.all([phone.close(), scan.close()]);
}

const qrIn = async (answer: Promise<unknown>): Promise<string | undefined> => {
  const body = (await answer.catch(() => undefined)) as
    | { data?: { qr?: { text: string } | null } }
    | undefined;
  return body?.data?.qr?.text;
};

let curl = '';
async function curlOf(tab: Page): Promise<void> {
  curl = await tab.getByRole('dialog').getByRole('region', { name: 'curl' }).innerText();
}

async function scanWithCamera(phone: Page): Promise<void> {
  await phone.getByRole('button', { name: /Ada kode QR di tab lain/ }).click();
  await phone.getByText('Tersambung ke token Kasir.').waitFor();
}

async function runCurl(command: string): Promise<{ status: number; body: unknown }> {
  const [, address = ''] = /curl (\S+)/.exec(command) ?? [];
  const headers = [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(
    ([, name = '', value = '']) => [name, value] as [string, string],
  );
  const [, body = ''] = /-d '([^']+)'/.exec(command) ?? [];
  const response = await fetch(address, { method: 'POST', headers, body });
  return { status: response.status, body: await response.json() };
}

/** Sends through the API while the history is open: the row updates without a reload. */
async function sendByApi(stranger: Person, tab: Page, key: string): Promise<void> {
  await tab.keyboard.press('Escape');
  await tab.getByRole('link', { name: 'Pesan', exact: true }).first().click();
  await arrivesAt(tab, '/message-history');
  await tab.getByText('Data tidak ditemukan').waitFor();
  await tab.evaluate(followRow, 'Halo dari Kabari');

  expect(curl).toContain(key);
  const sent = await runCurl(curl);
  expect(sent).toMatchObject({ status: 202, body: { status: 'accepted', simulated: true } });

  const statuses = () => tab.evaluate(() => window.journeyStatuses ?? []);
  await waitFor(async () => expect((await statuses()).at(-1)).toBe('Dibaca'));
  // A busy page may skip a status, but never goes back, and shows more than the last.
  const way = ['Antre', 'Mengirim', 'Terkirim', 'Sampai', 'Dibaca'];
  const shown = await statuses();
  expect(shown).toEqual(way.filter((one) => shown.includes(one)));
  expect(shown.length).toBeGreaterThan(1);

  await tab
    .getByRole('row', { name: /Halo dari Kabari/ })
    .getByRole('button')
    .click();
  const drawer = tab.getByRole('dialog', { name: 'Rincian pesan' });
  for (const step of ['Diterima sistem', 'Terkirim', 'Sampai di ponsel', 'Dibaca']) {
    await drawer.getByText(step, { exact: true }).first().waitFor();
  }
  await drawer.getByText('Dipotong dari saldo').waitFor();
  await drawer.getByText('Rp 150', { exact: true }).first().waitFor();
  await tab.keyboard.press('Escape');
  expect(stranger.observed).toEqual([]);
}

async function receiveReply(stranger: Person, tab: Page): Promise<void> {
  const second = await stranger.open('/');
  await second.getByRole('heading', { name: 'Beranda' }).click();
  const phone = await stranger.open(`/simulator?phone=${customer}`);
  await typeInPhone(phone, 'Baik, terima kasih banyak');
  await waitFor(async () => expect(await tab.title()).toMatch(/^\(1\) Pesan/));
  await waitFor(async () => expect(await second.title()).toMatch(/^\(1\) Beranda/));
  await tab.getByRole('button', { name: '1 pesan baru' }).click();
  await tab.getByRole('row', { name: /Baik, terima kasih banyak/ }).waitFor();
  await waitFor(() => expect(stranger.observed.length).toBeGreaterThanOrEqual(2));
  const observed = (kind: string) => stranger.observed.filter((one) => one.kind === kind);
  expect(observed('sound')).toHaveLength(1);
  expect(observed('notice').map(({ what }) => JSON.parse(what))).toEqual([
    { title: '+62 800-0000-01', body: 'Pesan baru', icon: expect.stringContaining('/favicon') },
  ]);
  await Promise.all([second.close(), phone.close()]);
}

async function typeInPhone(phone: Page, text: string): Promise<void> {
  await phone.getByRole('textbox', { name: /^Balas/ }).fill(text);
  await phone.keyboard.press('Enter');
}

async function answer(stranger: Person, tab: Page): Promise<void> {
  await tab.getByRole('link', { name: 'Percakapan' }).click();
  await tab.getByRole('link', { name: /Baik, terima kasih banyak/ }).click();
  const thread = tab.getByRole('region', { name: /^Percakapan dengan/ });
  await thread.getByText('Baik, terima kasih banyak').waitFor();
  await waitFor(async () => expect(await tab.title()).toMatch(/^Pesan/));
  await thread.getByLabel(/^Tulis pesan untuk/).fill('Sama-sama, Kak. Pesanan dikirim besok.');
  await tab.keyboard.press('Enter');
  const bubble = thread.getByRole('article').filter({ hasText: 'Pesanan dikirim besok' });
  await waitFor(async () => expect(await bubble.innerText()).toMatch(/Sampai|Dibaca/));
  const phone = await stranger.open(`/simulator?phone=${customer}`);
  await phone.getByText('Pesanan dikirim besok').last().waitFor();
  await phone.close();
}

async function leaveAndReturn(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: 'Keluar' }).click();
  await arrivesAt(tab, '/auth/login');
  expect(await tab.evaluate(() => Object.keys(localStorage))).not.toContain('auth-token');
  await fillLogin(tab, { phone: owner.phone, password: PASSWORD });
  await arrivesAt(tab, '/');
  await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
}
