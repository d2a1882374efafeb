import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import {
  done,
  drag,
  recordAnnouncements,
  itemOf,
  itemsOf,
  listen,
  namesOf,
  onUploads,
  one,
  part,
  several,
  spoken,
  text,
  zoneOf,
} from '#tests/journeys/support/upload-widget.ts';

let folder: string;
let report: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kabari-upload-'));
  report = join(folder, 'laporan penjualan ✓.csv');
  await writeFile(report, 'tanggal;jumlah;keterangan\n'.repeat(500_000).slice(0, 12_000_000));
  await utimes(report, 1_790_000_000, 1_790_000_000);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('queue', () => {
  test('selected files are sent at once, named, announced, and reverted; the keyboard focus is not lost', async ({
    show,
  }) => {
    const page = await show('file-upload', { session: true });
    const place = several(page);
    const sent = listen(page);
    const input = place.getByLabel('Lampiran');
    const announced = await recordAnnouncements(place);
    await input.focus();
    await input.setInputFiles([text('a.txt'), text('b.txt', 'b'.repeat(1_999))]);
    await waitFor(async () =>
      expect(await announced()).toContain('Added a.txt, b.txt, 2 files in list'),
    );
    await done(itemOf(place, 'a.txt'));
    await done(itemOf(place, 'b.txt'));
    await itemOf(place, 'b.txt').getByText('1 KB', { exact: true }).waitFor();
    expect(await namesOf(place)).toBe('a.txt b.txt');
    await waitFor(async () =>
      expect(await place.getByLabel('Stand of attachments').textContent()).toBe('ready'),
    );
    const ids = (await place.getByLabel('Uploads of attachments').textContent()) ?? '';
    expect(ids).toMatch(/^upl_\w+ upl_\w+$/);

    // Newest first.
    await input.setInputFiles([text('c.txt')]);
    await done(itemOf(place, 'c.txt'));
    expect(await namesOf(place)).toBe('c.txt a.txt b.txt');

    await place.getByRole('button', { name: 'Remove a.txt' }).focus();
    await page.keyboard.press('Enter');
    await waitFor(async () => expect(await namesOf(place)).toBe('c.txt b.txt'));
    await waitFor(async () =>
      expect(await announced()).toContain('Removed a.txt, 2 files in list'),
    );
    expect(await itemOf(place, 'b.txt').evaluate((item) => item === document.activeElement)).toBe(
      true,
    );
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await waitFor(async () => expect(await namesOf(place)).toBe('c.txt'));
    expect(sent.filter((one) => one === 'POST').length).toBe(3);
    expect(sent.filter((one) => one === 'DELETE').length).toBe(2);
    const left = (await place.getByLabel('Uploads of attachments').textContent()) ?? '';
    expect(ids.includes(left)).toBe(false);
  });

  test('two files are sent at a time; one is cancelled, sent later, and undone', async ({
    show,
  }) => {
    const page = await show('file-upload', {
      session: true,
      expects: [/Failed to load resource.*503/],
    });
    const place = part(page, "Uploaded when asked for, beside the page's other fields");
    const held: (() => void)[] = [];
    let refusing = false;
    await page.route(onUploads, async (route) => {
      if (route.request().method() === 'DELETE' && refusing) return route.fulfill({ status: 503 });
      if (route.request().method() === 'POST') await new Promise<void>((free) => held.push(free));
      return route.continue().catch(() => undefined);
    });
    const picture = await sharp({
      create: { width: 600, height: 300, channels: 3, background: '#026064' },
    })
      .png()
      .toBuffer();
    const png = (name: string) => ({ name, mimeType: 'image/png', buffer: picture });
    await place.getByLabel('Foto profil').setInputFiles([png('1.png'), png('2.png'), png('3.png')]);
    for (const nth of [1, 2, 3])
      await place.getByRole('button', { name: `Upload ${nth}.png` }).click();
    await itemOf(place, '3.png').getByText('Waiting to upload').waitFor();
    await place.getByRole('progressbar', { name: 'Uploading 1.png' }).waitFor();
    await waitFor(() => expect(held.length).toBe(2));

    await place.getByRole('button', { name: 'Cancel 1.png' }).click();
    await itemOf(place, '1.png').getByText('Upload cancelled').waitFor();
    await waitFor(() => expect(held.length).toBe(3));
    for (const free of held.splice(0)) free();
    await done(itemOf(place, '2.png'));
    await done(itemOf(place, '3.png'));
    await place.getByRole('button', { name: 'Upload 1.png' }).click();
    await waitFor(() => expect(held.length).toBe(1));
    held.splice(0)[0]?.();
    await done(itemOf(place, '1.png'));

    // The server cannot revert it; here `forceRevert` is set.
    refusing = true;
    await place.getByRole('button', { name: 'Undo 2.png' }).click();
    await itemOf(place, '2.png').getByText('Error during revert').waitFor();
    refusing = false;
    await place.getByRole('button', { name: 'Undo 2.png' }).click();
    await place.getByRole('button', { name: 'Upload 2.png' }).waitFor();
    await waitFor(async () =>
      expect(
        (await place.getByLabel('Uploads of the picture').textContent())?.split(' ').length,
      ).toBe(2),
    );
  });

  test('uploads used by the owner leave the list and stay; those shown again are fetched', async ({
    show,
  }) => {
    const page = await show('file-upload', { session: true, width: 390 });
    const place = part(page, 'A value that its owner changes');
    const sent = listen(page);
    await place.getByLabel('Lampiran balasan').setInputFiles([text('syarat & ketentuan.txt')]);
    await itemsOf(place).getByText('Selesai diunggah').waitFor();
    await place.getByRole('button', { name: 'Use them' }).click();
    await waitFor(async () => expect(await itemsOf(place).count()).toBe(0));
    await place.getByRole('button', { name: 'Show them again' }).click();
    await itemOf(place, 'syarat & ketentuan.txt').getByText('Selesai diunggah').waitFor();
    expect(sent).toEqual(['POST', 'GET']);
  });
});

describe('rejected files', () => {
  test('reports a wrong type in the browser, a false type by the server, and too many files together', async ({
    show,
  }) => {
    const page = await show('file-upload', {
      session: true,
      expects: [/Failed to load resource.*(415|422)/],
    });
    const proof = one(page);
    const input = proof.getByLabel('Bukti transfer');
    await input.focus();
    await input.setInputFiles([text('a.txt')]);
    await itemOf(proof, 'a.txt').getByText('File is of invalid type').waitFor();
    await itemsOf(proof)
      .getByText('Expects image/jpeg, image/png, image/webp or application/pdf')
      .waitFor();
    await spoken(proof, 'File is of invalid type a.txt Expects image/jpeg');
    expect(await itemOf(proof, 'a.txt').getByRole('button').count()).toBe(1);
    expect(await proof.getByLabel('Stand of the proof').textContent()).toBe('error');

    // Another file replaces it; several on a single-file field are too many.
    const pdf = { name: 'struk.png', mimeType: 'image/png', buffer: Buffer.from('%PDF-1.7\n') };
    await input.setInputFiles([pdf]);
    await itemOf(proof, 'struk.png')
      .getByText(/Isi berkas ini tidak sesuai/)
      .waitFor();
    await proof.getByRole('button', { name: 'Retry struk.png' }).waitFor();
    expect(await namesOf(proof)).toBe('struk.png');
    const two = ['1.pdf', '2.pdf'].map((name) => join(folder, name));
    for (const path of two) await writeFile(path, '%PDF-1.7\n');
    await (await drag(page, zoneOf(proof), two)).drop();
    await proof.getByText('Max files', { exact: true }).waitFor();
    expect(await namesOf(proof)).toBe('struk.png');

    const letter = part(page, 'In Indonesian, of one type');
    await letter.getByLabel('Surat kuasa').setInputFiles([text('surat.txt')]);
    await itemsOf(letter).getByText('Jenis berkas ini tidak diterima').waitFor();
    await itemsOf(letter).getByText('Pilih PDF', { exact: true }).waitFor();
    const valid = () =>
      letter
        .getByLabel('Surat kuasa')
        .evaluate((field) => (field as HTMLInputElement).validationMessage);
    expect(await valid()).toBe('Ada berkas yang tidak dapat diterima');
    await letter.getByRole('button', { name: 'Hapus surat.txt' }).click();
    await waitFor(async () => expect(await valid()).toBe(''));

    await several(page)
      .getByLabel('Lampiran')
      .setInputFiles([1, 2, 3, 4, 5, 6].map((nth) => text(`${nth}.txt`)));
    await several(page).getByText('Max files', { exact: true }).waitFor();
    expect(await itemsOf(several(page)).count()).toBe(0);
  });

  test('names are shown as text, with any content', async ({ show }) => {
    const page = await show('file-upload', { width: 390, dark: true });
    const name = '<img src=x onerror=alert(1)>\u202Egnp.txt';
    const place = one(page);
    await place.getByLabel('Bukti transfer').setInputFiles([text(name)]);
    await waitFor(async () => expect(await itemsOf(place).locator('bdi').textContent()).toBe(name));
    expect(await place.locator('img').count()).toBe(0);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBe(390);
  });
});

describe('12 MB', () => {
  test('is sent in three pieces; a failed piece is retried three times, and Retry continues from there', async ({
    show,
  }) => {
    const page = await show('file-upload', {
      own: true,
      session: true,
      expects: [/Failed to load resource.*500/],
    });
    const sent = listen(page);
    let failures = 1;
    await page.route(onUploads, (route) => {
      const second = route.request().headers()['upload-offset'] === '5000000';
      if (route.request().method() !== 'PATCH' || !second || failures === 0)
        return route.continue();
      failures -= 1;
      return route.fulfill({ status: 500, body: '' });
    });
    const place = several(page);
    await place.getByLabel('Lampiran').setInputFiles(report);
    await done(itemsOf(place));
    await itemsOf(place).getByText('12 MB', { exact: true }).waitFor();
    expect(sent).toEqual(['POST', 'PATCH 0', 'PATCH 5000000', 'PATCH 5000000', 'PATCH 10000000']);

    // It never succeeds: three more tries, each later, then an error; Retry continues from there.
    await place.getByRole('button', { name: /^Remove/ }).click();
    await waitFor(async () => expect(await itemsOf(place).count()).toBe(0));
    await page.clock.install();
    sent.length = 0;
    failures = 99;
    await place.getByLabel('Lampiran').setInputFiles(report);
    const tries = () => sent.filter((one) => one === 'PATCH 5000000').length;
    await waitFor(() => expect(tries()).toBe(1));
    for (const nth of [2, 3, 4]) {
      const passed = async () => {
        // Not while the expected one is in flight: the next would follow at once.
        if (tries() < nth) await page.clock.fastForward(3_000);
        return tries();
      };
      await waitFor(async () => expect(await passed()).toBe(nth));
    }
    await itemsOf(place).getByText('Error during upload').waitFor();
    sent.length = 0;
    failures = 0;
    await place.getByRole('button', { name: /^Retry/ }).click();
    await done(itemsOf(place));
    expect(sent).toEqual(['HEAD', 'PATCH 5000000', 'PATCH 10000000']);
  });

  test('continues after a reload when the same file is selected again', async ({ show }) => {
    const page = await show('file-upload', { session: true, width: 390 });
    const place = several(page);
    let holding = true;
    const release = Promise.withResolvers<void>();
    // The page closes while the last piece is in flight.
    await page.route(onUploads, (route) => {
      const isLast = route.request().headers()['upload-offset'] === '10000000';
      return isLast && holding ? release.resolve() : route.continue();
    });
    await place.getByLabel('Lampiran').setInputFiles(report);
    await release.promise;
    await page.reload();
    holding = false;
    await place.getByText(/^laporan penjualan ✓\.csv stopped at 83%/).waitFor();
    const sent = listen(page);
    await place.getByLabel('Lampiran').setInputFiles(report);
    await done(itemsOf(place));
    expect(sent).toEqual(['HEAD', 'PATCH 10000000']);
    expect(await place.getByText(/stopped at/).count()).toBe(0);
    await page.reload();
    await place.getByLabel('Lampiran').waitFor({ state: 'attached' });
    expect(await place.getByText(/stopped at/).count()).toBe(0);
  });
});
