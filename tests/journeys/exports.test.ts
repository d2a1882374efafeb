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
import { inspection } from './browser/axe.ts';
import { ask, newSender, sendTexts, signUp, topUp } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';
import { press } from './support/steps.ts';

const journey = setUpJourney({ SIMULATOR_SPEED: '0' });

/** Fails: not on the network. */
const MISSING = '62800000003';
/** What a spreadsheet must not run. */
const FORMULA = '=HYPERLINK("https://jahat.example";"Klik")';

/** What a click downloads: its name, and where it lies. */
async function downloaded(tab: Page, link: Locator) {
  const [download] = await Promise.all([tab.waitForEvent('download'), link.click()]);
  return { name: download.suggestedFilename(), path: await download.path() };
}

/** The rows of the first sheet of a workbook. */
async function sheetOf(path: string): Promise<readonly (readonly unknown[])[]> {
  const [sheet] = await readXlsx(path);
  return sheet?.data ?? [];
}

journey(
  'with the keyboard what a filter lets through becomes a file, and what was chosen; another tab sees them come and go',
  async ({ product: { address }, person }) => {
    const who = await signUp(address, { name: 'Roti Bu Tini', phone: '6281355506401' });
    await topUp(address, who, 50_000);
    const sender = await newSender(address, who, { name: 'Kasir', phone: '62813555064019' });
    await sendTexts(address, sender, [
      { to: '6281299000001', text: 'Pesanan roti siap diambil.' },
      { to: '6281299000002', text: FORMULA },
      { to: MISSING, text: 'Kue ulang tahun Kak Sari sudah jadi.' },
    ]);
    const { open } = await person({ still: true, session: who.session });
    const { faults, look } = inspection();
    const [tab, other] = [
      await open('/message-history?status[]=failed'),
      await open('/message-history'),
    ];
    await tab.getByRole('row', { name: /Kue ulang tahun/ }).waitFor();
    const dialog = tab.getByRole('dialog', { name: 'Ekspor pesan' });
    // Keys are heard once the frame is there, which may be after its rows.
    await waitFor(async () => {
      await tab.keyboard.press('e');
      expect(await dialog.count()).toBe(1);
    });
    await dialog.getByText('Gagal', { exact: true }).waitFor();
    await look(tab, 'asking for a file');
    await press(tab, dialog.getByRole('radio', { name: 'Excel (XLSX)' }), 'ArrowDown');
    await press(tab, dialog.getByRole('button', { name: 'Buat berkas' }));
    const file = dialog.getByRole('listitem', { name: /^Pesan: Gagal, CSV/ });
    await file.getByText('1 baris', { exact: false }).waitFor();
    await look(tab, 'a file that is there');
    const csv = await downloaded(tab, file.getByRole('link', { name: 'Unduh' }));
    expect(csv.name).toMatch(/^pesan-kabari-\d{4}-\d\d-\d\d\.csv$/);
    const lines = (await readFile(csv.path, 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('Kue ulang tahun Kak Sari sudah jadi.');

    // The other tab asks for all of them, as a workbook; nothing of it is a formula.
    await press(other, other.getByRole('button', { name: 'Ekspor', exact: true }));
    const all = other.getByRole('dialog', { name: 'Ekspor pesan' });
    await all.getByRole('listitem', { name: /^Pesan: Gagal, CSV/ }).waitFor();
    await press(other, all.getByRole('button', { name: 'Buat berkas' }));
    await dialog.getByRole('listitem', { name: /^Semua pesan, XLSX/ }).waitFor();
    const book = await downloaded(
      other,
      all
        .getByRole('listitem', { name: /^Semua pesan, XLSX/ })
        .getByRole('link', { name: 'Unduh' }),
    );
    const rows = await sheetOf(book.path);
    expect(rows).toHaveLength(4);
    expect(rows.flat()).toContain(FORMULA);
    expect(rows.flat()).toContain('6281299000001');
    await press(tab, file.getByRole('button', { name: /^Hapus: / }));
    await all.getByRole('listitem', { name: /^Pesan: Gagal, CSV/ }).waitFor({ state: 'detached' });

    await other.keyboard.press('Escape');
    await all.waitFor({ state: 'detached' });
    for (const row of [/roti siap diambil/, /Kue ulang tahun/]) {
      await other.getByRole('row', { name: row }).getByRole('checkbox').check();
    }
    await press(
      other,
      other.getByRole('group', { name: /^Baris terpilih/ }).getByRole('button', { name: 'Ekspor' }),
    );
    const chosen = other.getByRole('dialog', { name: 'Ekspor 2 pesan pilihan' });
    await press(other, chosen.getByRole('button', { name: 'Buat berkas' }));
    await chosen
      .getByRole('listitem', { name: /^2 pesan pilihan, XLSX/ })
      .getByText('2 baris', { exact: false })
      .waitFor();
    expect(faults).toEqual([]);
  },
);

/** A list of recipients as a spreadsheet has it. */
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
  'on a phone a workbook is the list of a campaign, and its results come back as one',
  async ({ product: { address }, person }) => {
    const who = await signUp(address, { name: 'Toko Melati', phone: '6281355506402' });
    await topUp(address, who, 50_000);
    await newSender(address, who, { name: 'Kasir', phone: '62813555064029' });
    const { open } = await person({ still: true, session: who.session, width: 390 });
    const { faults, look } = inspection();
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
    expect(results.map(([, written, peer, name]) => [written, peer, name]).slice(1)).toEqual([
      ['6281234567101', '6281234567101', 'Bu Sri'],
      ['0812-3456-7102', '6281234567102', 'Pak Joko'],
      ['tidak ada', null, 'Rina'],
    ]);

    // Elsewhere in the portal they are told that another file stands ready, and come to it.
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
