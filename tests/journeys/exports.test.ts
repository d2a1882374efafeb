import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import readXlsx from 'read-excel-file/node';
import { expect, onTestFinished } from 'vitest';
import { exportMessages } from '#contract/exports.ts';
import { type Cell, type Table } from '#server/infra/sheets/table.ts';
import { writeXlsx } from '#server/infra/sheets/xlsx-file.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { ask, newSender, signUp, topUp } from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';

const journey = setUpSharedJourney();

async function downloaded(tab: Page, link: Locator) {
  const [download] = await Promise.all([tab.waitForEvent('download'), link.click()]);
  return { name: download.suggestedFilename(), path: await download.path() };
}

async function sheetOf(path: string): Promise<readonly (readonly unknown[])[]> {
  const [sheet] = await readXlsx(path);
  return sheet?.data ?? [];
}

async function listAsWorkbook(rows: readonly (readonly Cell[])[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-list-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'pelanggan.xlsx');
  const table: Table = {
    columns: ['Nama', 'No. WA'].map((title) => ({ title, width: 20 })),
    hoursAhead: 7,
    batches: (async function* () {
      yield rows;
    })(),
  };
  await writeXlsx(path, table, { signal: new AbortController().signal });
  return path;
}

journey(
  'on a phone, a workbook is imported as a campaign’s list, and the results are exported as one',
  async ({ product: { address }, person }) => {
    const who = await signUp(address, { name: 'Toko Melati', phone: '6281355506402' });
    await topUp(address, who, 50_000);
    await newSender(address, who, { name: 'Kasir', phone: '62813555064029' });
    const { open } = await person({ session: who.session, width: 390 });
    const { faults, look } = inspectionHere();
    const tab = await open('/message-history/kiriman?view=new');
    await tab.getByRole('tab', { name: 'Unggah berkas' }).click();
    // Numbers as people type them into a spreadsheet: as texts, and as numbers.
    const list = await listAsWorkbook([
      ['Bu Sri', 6_281_234_567_101],
      ['Pak Joko', '0812-3456-7102'],
      ['Rina', 'tidak ada'],
    ]);
    await tab.locator('input[type="file"]').setInputFiles(list);
    await tab.getByText('Selesai diunggah').first().waitFor();
    await tab.getByRole('button', { name: 'Periksa penerima' }).click();
    await tab.getByLabel('Isi pesan').fill('Halo {nama}, toko buka pukul 08.00.');
    await tab.getByRole('button', { name: 'Kirim ke 2 nomor' }).click();
    await tab.getByRole('button', { name: 'Mulai kirim' }).click();
    await tab.getByRole('button', { name: 'Hapus dari daftar' }).waitFor();
    await waitFor(async () => expect(await tab.getByText('Dibaca').count()).toBeGreaterThan(1));
    await tab.getByRole('button', { name: 'Unduh hasil' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Unduh hasil kiriman' });
    await dialog.getByRole('button', { name: 'Buat berkas' }).click();
    const link = dialog.getByRole('link', { name: 'Unduh' });
    await link.waitFor();
    await look(tab, 'results of a campaign as a file');
    const results = await sheetOf((await downloaded(tab, link)).path);
    const rows = results.slice(1).map(([, written, peer, contact, name]) => ({
      written,
      peer,
      contact,
      name,
    }));
    expect(rows).toEqual([
      { written: '6281234567101', peer: '6281234567101', contact: 'Bu Sri', name: 'Bu Sri' },
      { written: '0812-3456-7102', peer: '6281234567102', contact: 'Pak Joko', name: 'Pak Joko' },
      { written: 'tidak ada', peer: null, contact: null, name: 'Rina' },
    ]);

    await tab.goto(`${address}/saldo`);
    await tab.getByRole('heading', { name: 'Saldo', level: 1 }).waitFor();
    await waitFor(async () => {
      await ask(address, exportMessages, { format: 'csv', direction: 'out' }, who.session);
      await tab.getByRole('button', { name: 'Lihat berkas' }).click({ timeout: 5_000 });
    });
    const files = tab.getByRole('dialog', { name: 'Berkas ekspor' });
    const one = files.getByRole('listitem', { name: /^Pesan: Keluar, CSV/ }).first();
    await look(tab, 'the files of the day');
    const csv = await downloaded(tab, one.getByRole('link', { name: 'Unduh' }));
    expect(await readFile(csv.path, 'utf8')).toContain('Halo Bu Sri, toko buka pukul 08.00.');
    expect(faults).toEqual([]);
  },
);
