import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { boxOf, test } from '#tests/support/gallery.ts';
import { settled } from '#tests/journeys/browser/browser.ts';
import {
  done,
  drag,
  dropLink,
  itemOf,
  itemsOf,
  namesOf,
  one,
  part,
  several,
  spoken,
  text,
  zoneOf,
} from '#tests/journeys/support/upload-widget.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kabari-upload-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('input', () => {
  test('files are dropped at the pointer, folders with their content, links if there are no files', async ({
    show,
  }) => {
    const page = await show('file-upload', {
      session: true,
      expects: [/Failed to load resource.*4\d\d/],
    });
    const place = several(page);
    const nested = join(folder, 'berkas');
    await mkdir(join(nested, 'dalam'), { recursive: true });
    await writeFile(join(nested, 'satu.txt'), 'satu\n');
    await writeFile(join(nested, 'dalam', 'dua.txt'), 'dua\n');
    await writeFile(join(nested, 'dalam', '.DS_Store'), 'x');
    await writeFile(join(nested, 'Thumbs.db'), 'x');
    const over = await drag(page, zoneOf(place), [nested]);
    expect(over.effect).toBe('copy');
    await place.locator('[data-over]').waitFor();
    await over.drop();
    await done(itemOf(place, 'satu.txt'));
    await done(itemOf(place, 'dua.txt'));
    expect(await itemsOf(place).count()).toBe(2);

    // Over the lower half of the first item: between the two.
    const single = join(folder, 'tiga.txt');
    await writeFile(single, 'tiga\n');
    const between = await drag(page, itemsOf(place).first(), [single], 0.8);
    await itemsOf(place).and(page.locator('[data-gap]')).waitFor();
    await between.drop();
    await done(itemOf(place, 'tiga.txt'));
    expect((await namesOf(place)).split(' ')[1]).toBe('tiga.txt');

    // A drop outside every zone is ignored and the page stays.
    for (const elsewhere of [
      page.getByRole('heading', { level: 1 }),
      zoneOf(part(page, 'Disabled')),
    ]) {
      const beside = await drag(page, elsewhere, [single]);
      expect(beside.effect).toBe('none');
      expect(await page.locator('[data-over]').count()).toBe(0);
      await beside.cancel();
    }

    const link = 'https://contoh.id/katalog.pdf';
    const proof = one(page);
    await dropLink(zoneOf(proof), link);
    // This server fetches no links; there is nothing to retry.
    await itemOf(proof, link).getByText('Size not available').waitFor();
    expect(await itemOf(proof, link).getByRole('button').allTextContents()).toHaveLength(1);
    await dropLink(zoneOf(proof), link, ['y.pdf']);
    await itemOf(proof, 'y.pdf').waitFor();
    expect(await itemsOf(proof).count()).toBe(1);
  });

  test('pasted files are added, unless the person types elsewhere', async ({ show }) => {
    const page = await show('file-upload', { session: true });
    const paste = (name: string) =>
      page.evaluate((called) => {
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File(['halo'], called, { type: 'text/plain' }));
        document.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      }, name);
    await several(page).getByLabel('Lampiran').waitFor({ state: 'attached' });
    await paste('satu.txt');
    await done(itemOf(several(page), 'satu.txt'));
    await part(page, 'A value that its owner changes').getByLabel('Lampiran balasan').focus();
    await paste('dua.txt');
    await itemOf(part(page, 'A value that its owner changes'), 'dua.txt').waitFor();
    await page.evaluate(() => {
      const field = document.body.appendChild(document.createElement('textarea'));
      field.setAttribute('aria-label', 'Elsewhere');
      field.focus();
    });
    await paste('tiga.txt');
    await page.evaluate(() => new Promise((drawn) => void requestAnimationFrame(drawn)));
    expect(await page.getByText('tiga.txt').count()).toBe(0);
  });

  test('a paste at the moment the widget appears is added', async ({ show }) => {
    const page = await show('file-upload', { session: true });
    await page.addInitScript(() => {
      const appearing = new MutationObserver(() => {
        if (!document.querySelector('input[type=file]')) return;
        appearing.disconnect();
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File(['halo'], 'satu.txt', { type: 'text/plain' }));
        document.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      });
      appearing.observe(document, { subtree: true, childList: true });
    });
    await page.reload();
    await done(itemOf(several(page), 'satu.txt'));
  });
});

describe('order', () => {
  test('changes with keys and by dragging more than 4 px; Escape restores it; the uploads follow', async ({
    show,
  }) => {
    const page = await show('file-upload', { session: true });
    const place = several(page);
    await place
      .getByLabel('Lampiran')
      .setInputFiles(['a', 'b', 'c'].map((name) => text(`${name}.txt`)));
    await waitFor(async () =>
      expect(await place.getByLabel('Stand of attachments').textContent()).toBe('ready'),
    );
    const ids = async () =>
      (await place.getByLabel('Uploads of attachments').textContent())?.split(' ');
    const before = await ids();
    const handle = place.getByRole('button', { name: 'Move a.txt', exact: true });
    await handle.focus();
    await page.keyboard.press('Space');
    await spoken(place, 'a.txt lifted, place 1 of 3');
    expect(await handle.getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await spoken(place, 'a.txt, place 3 of 3');
    expect(await namesOf(place)).toBe('b.txt c.txt a.txt');
    expect(await handle.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await spoken(place, 'a.txt is back in its place');
    expect(await namesOf(place)).toBe('a.txt b.txt c.txt');
    await page.keyboard.press('Space');
    await page.keyboard.press('End');
    await page.keyboard.press('Space');
    await spoken(place, 'a.txt dropped, place 3 of 3');
    expect(await namesOf(place)).toBe('b.txt c.txt a.txt');
    expect(await place.getByLabel('Moves of attachments').textContent()).toBe('0 → 2');
    expect(await ids()).toEqual([before?.[1], before?.[2], before?.[0]]);

    const grip = place.getByRole('button', { name: 'Move a.txt', exact: true });
    const box = await boxOf(grip);
    const [x, y] = [box.x + 9, box.y + 9];
    const press = async (...way: readonly number[]) => {
      await settled(page);
      await page.mouse.move(x, y);
      await page.mouse.down();
      for (const by of way) await page.mouse.move(x, y + by);
    };
    await press(-4);
    await waitFor(async () =>
      expect(await itemOf(place, 'a.txt').getAttribute('data-lifted')).toBeNull(),
    );
    await page.mouse.up();
    await press(-5, -200);
    await waitFor(async () =>
      expect(await itemOf(place, 'a.txt').getAttribute('data-lifted')).toBe('true'),
    );
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await waitFor(async () => expect(await namesOf(place)).toBe('b.txt c.txt a.txt'));
    await press(-5, -200);
    await page.mouse.up();
    await waitFor(async () => expect(await namesOf(place)).toBe('a.txt b.txt c.txt'));
    expect(await place.getByLabel('Moves of attachments').textContent()).toBe('2 → 0');
  });
});

describe('pictures', () => {
  test('are shown upright, 44 to 256 px high, with two pixels per CSS pixel', async ({ show }) => {
    const page = await show('file-upload', { width: 390 });
    const place = part(page, "Uploaded when asked for, beside the page's other fields");
    const plain = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#efba41' } });
    const file = (name: string, buffer: Buffer) => ({
      name,
      mimeType: name.endsWith('png') ? 'image/png' : 'image/jpeg',
      buffer,
    });
    await place.getByLabel('Foto profil').setInputFiles([
      file('lebar.png', await plain(1_600, 800).png().toBuffer()),
      // Taken with an upright phone: rotated in the file.
      file('tegak.jpg', await plain(900, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer()),
      file('rusak.png', Buffer.from('bukan gambar')),
    ]);
    const canvas = (name: string) => itemOf(place, name).locator('canvas');
    await canvas('lebar.png').waitFor();
    await canvas('tegak.jpg').waitFor();
    const looks = (name: string) =>
      canvas(name).evaluate((one: HTMLCanvasElement) => {
        const frame = one.parentElement;
        return {
          width: frame?.clientWidth ?? 0,
          height: frame?.clientHeight ?? 0,
          pixels: [one.width, one.height],
        };
      });
    const wide = await looks('lebar.png');
    expect(wide.height).toBe(Math.min(256, Math.round(wide.width / 2)));
    expect(wide.pixels).toEqual([wide.width * 2, wide.width]);
    const upright = await looks('tegak.jpg');
    expect(upright).toMatchObject({ height: 256, pixels: [171, 512] });
    expect(await canvas('rusak.png').count()).toBe(0);
    // Scaled down in a worker.
    expect(page.workers().length).toBe(1);

    // Drawn again for a wider container, after a pause.
    await page.setViewportSize({ width: 844, height: 390 });
    await waitFor(async () => expect((await looks('lebar.png')).height).toBe(256));
    const poster = part(page, 'An item: with a poster').locator('img');
    expect(await poster.getAttribute('crossorigin')).toBe('anonymous');
  });
});
