import { expect } from 'vitest';
import { formatDate } from '#contract/base/time.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { signIn, signUp } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';

const journey = setUpJourney({ SIMULATOR_SPEED: '0' });

const inDays = (days: number): string => formatDate(new Date(Date.now() + days * 86_400_000));

journey('an operator broadcasts a notice, and a customer dismisses it for good', async (stage) => {
  const { address, operator } = stage.product;
  const who = await signUp(address, { name: 'Kopi Senja', phone: '6281355504101' });
  const shop = await stage.person({ session: who.session });
  const home = await shop.open('/saldo');
  await home.getByRole('heading', { name: 'Saldo', level: 1 }).waitFor();

  const session = await signIn(address, operator);
  const desk = await stage.person({ session, expects: [/status of 422/] });
  const { faults, look } = inspectionHere();
  const tab = await desk.open('/operator');
  await tab.getByRole('link', { name: 'Pengumuman' }).click();
  await tab.getByText('Belum ada pengumuman').waitFor();
  await look(tab, 'no notices');
  await tab.getByRole('button', { name: 'Buat pengumuman' }).click();
  const drawer = tab.getByRole('dialog', { name: 'Pengumuman baru' });
  await drawer.getByLabel('Judul').fill('Libur Natal');
  await drawer.getByLabel('Isi').fill('Kami tutup. Lihat https://kabari.example/libur');
  const showUntil = async (day: string) => {
    await drawer.getByRole('button', { name: /^Sampai/ }).click();
    const typed = tab.getByLabel('Ketik tanggal');
    await typed.fill(day);
    await typed.press('Enter');
  };
  await showUntil(inDays(100));
  const show = async () => {
    await drawer.getByRole('button', { name: 'Tayangkan' }).click();
    await tab.getByRole('alertdialog').getByRole('button', { name: 'Tayangkan' }).click();
  };
  await show();
  await drawer.getByText('Pengumuman tayang paling lama 90 hari.').waitFor();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Batal' }).click();
  await look(tab, 'a notice with a mistake');
  await showUntil(inDays(1));
  await show();
  await tab.getByRole('row', { name: /Libur Natal.*Tayang/ }).waitFor();

  const banner = home.getByRole('status').filter({ hasText: 'Libur Natal' });
  await banner.getByRole('link', { name: /kabari\.example/ }).waitFor();
  const seen = inspectionHere();
  await seen.look(home, 'the banner');
  await banner.getByRole('button', { name: 'Tutup' }).click();
  await banner.waitFor({ state: 'detached' });
  // Wait for the row: a reload right after the click could abort the request.
  await tab.getByRole('row', { name: /Libur Natal.*1$/ }).waitFor();
  await home.reload();
  await home.getByRole('heading', { name: 'Saldo', level: 1 }).waitFor();
  expect(await banner.count()).toBe(0);

  await tab.getByRole('link', { name: 'Token sistem' }).click();
  await tab.getByText('Kode diminta').waitFor();
  await look(tab, 'the system token');
  await tab.getByRole('link', { name: 'Pengaturan', exact: true }).click();
  await tab.getByRole('button', { name: 'Ubah Jam buka layanan pelanggan' }).click();
  await tab.getByRole('group', { name: 'Jam buka, WIB' }).waitFor();
  await look(tab, 'opening hours');
  await tab.keyboard.press('Escape');
  await look(tab, 'settings');
  expect([...faults, ...seen.faults]).toEqual([]);
});
