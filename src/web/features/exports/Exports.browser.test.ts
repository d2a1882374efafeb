import { buffer } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import readXlsx from 'read-excel-file/node';
import { expect, inject } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { newSender, sendTexts, signUp, topUp } from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { press } from '#tests/journeys/support/steps.ts';

const address = inject('product');

/** Fails: not on the network. */
const MISSING = '62800000003';
const FORMULA = '=HYPERLINK("https://jahat.example";"Klik")';

async function downloaded(tab: Page, link: Locator) {
  const [download] = await Promise.all([tab.waitForEvent('download'), link.click()]);
  return {
    name: download.suggestedFilename(),
    bytes: await buffer(await download.createReadStream()),
  };
}

async function sheetOf(bytes: Buffer): Promise<readonly (readonly unknown[])[]> {
  const [sheet] = await readXlsx(bytes);
  return sheet?.data ?? [];
}

test('filtered and selected rows are exported with the keyboard; another tab sees the files appear and expire', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Roti Bu Tini', phone: '6281355506401' });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone: '62813555064019' });
  await sendTexts(address, sender, [
    { to: '6281299000001', text: 'Pesanan roti siap diambil.' },
    { to: '6281299000002', text: FORMULA },
    { to: MISSING, text: 'Kue ulang tahun Kak Sari sudah jadi.' },
  ]);
  const { open } = await person({ session: who.session });
  const { faults, look } = inspectionHere();
  const [tab, other] = [
    await open('/message-history?status[]=failed'),
    await open('/message-history'),
  ];
  await tab.getByRole('row', { name: /Kue ulang tahun/ }).waitFor();
  const dialog = tab.getByRole('dialog', { name: 'Ekspor pesan' });
  // Keys work once the frame is mounted, which may be after its rows.
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
  const lines = csv.bytes.toString().trim().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain('Kue ulang tahun Kak Sari sudah jadi.');

  // The other tab exports all rows as a workbook; no cell is a formula.
  await press(other, other.getByRole('button', { name: 'Ekspor', exact: true }));
  const all = other.getByRole('dialog', { name: 'Ekspor pesan' });
  await all.getByRole('listitem', { name: /^Pesan: Gagal, CSV/ }).waitFor();
  await press(other, all.getByRole('button', { name: 'Buat berkas' }));
  await dialog.getByRole('listitem', { name: /^Semua pesan, XLSX/ }).waitFor();
  const book = await downloaded(
    other,
    all.getByRole('listitem', { name: /^Semua pesan, XLSX/ }).getByRole('link', { name: 'Unduh' }),
  );
  const rows = await sheetOf(book.bytes);
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

  // At the limit of a day the form says so; the files are still there.
  await fakeActs(tab, {
    export_list: () => ({ exports: [], left_today: 0 }),
  });
  await tab.goto('/message-history');
  await tab.getByRole('button', { name: 'Ekspor', exact: true }).click();
  await dialog.getByText(/^Hari ini sudah 20 berkas dibuat/).waitFor();
  expect(await dialog.getByRole('button', { name: 'Buat berkas' }).isDisabled()).toBe(true);
  expect(await dialog.getByRole('radio').count()).toBe(0);
  await look(tab, 'exports at their limit');
  expect(faults).toEqual([]);
});
