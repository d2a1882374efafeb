import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { simulatedPhone } from '#contract/simulator.ts';
import { picture } from '#tests/support/app/uploads-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { openMediaThread, openPhotoHost } from './seeds/media.ts';
import { ask } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';

const photo = await openPhotoHost();
afterAll(() => photo.close());
const journey = setUpJourney({ SIMULATOR_SPEED: '0', MEDIA_LISTED: photo.origin });
const samples = join(process.cwd(), 'src/server/domains/channels/simulator/samples');

const upwards = (tab: Page, thread: Locator) => async (place: Locator) => {
  const box = await thread.boundingBox();
  if (!box) throw new Error('no thread');
  await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await waitFor(async () => {
    if ((await place.count()) > 0) return true;
    await tab.mouse.wheel(0, -250);
    return false;
  });
  await place.first().scrollIntoViewIfNeeded();
};

/** Width of a loaded picture in pixels; 0 before that. */
const widthOf = (picture: Locator): Promise<number> =>
  picture.evaluate((image: HTMLImageElement) => image.naturalWidth);

function externalRequests(tab: Page, address: string): readonly string[] {
  const requests: string[] = [];
  tab.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address) && /^https?:/.test(url)) requests.push(url);
  });
  return requests;
}

journey(
  'a thread shows every type in both directions from our own host only; the composer refuses one file, and the others reach the phone',
  async ({ product: { address }, person }) => {
    const { session, path, peer } = await openMediaThread(address, photo, {
      phone: '6281355503061',
      peer: '6281299990061',
    });
    const { open } = await person({ session });
    const tab = await open();
    const requests = externalRequests(tab, address);
    await tab.goto(address + path);
    const thread = tab.getByRole('region', { name: /^Percakapan dengan/ });
    await thread.getByText('Siap, dua loyang.').waitFor();
    // Newest first: content far from the view is not in the page.
    const up = upwards(tab, thread);
    await up(thread.getByRole('group', { name: 'Bu Sari' }));
    await up(thread.getByRole('link', { name: /Buka peta Monas/ }));
    await up(thread.getByRole('img', { name: /^Stiker dari/ }));
    await up(thread.getByRole('link', { name: /pesanan\.pdf/ }));
    await up(thread.getByRole('group', { name: /^Video dari/ }));
    const voice = thread.getByRole('group', { name: /^Pesan suara dari/ });
    await up(voice);
    expect(await voice.locator('rect').count()).toBeGreaterThan(40);
    const slip = thread.getByRole('img', { name: 'Ini buktinya' });
    await up(slip);
    await waitFor(async () => expect(await widthOf(slip)).toBe(240));
    await up(thread.getByRole('list', { name: 'Reaksi' }));
    await up(thread.getByRole('group', { name: 'Pak Kurir' }));
    await up(thread.getByRole('link', { name: /Buka peta Toko Kue Lapis/ }));
    // An external photograph is served as ours, small until it is opened.
    const photograph = thread.getByRole('img', { name: 'Kue lapis' });
    await up(photograph);
    expect(await photograph.getAttribute('src')).toMatch(/^\/files\/fil_/);
    await waitFor(async () => expect(await widthOf(photograph)).toBe(640));
    await up(thread.getByRole('list', { name: /^Tombol/ }));
    expect(requests).toEqual([]);

    await thread.getByRole('button', { name: 'Lampiran' }).click();
    const chooser = tab.waitForEvent('filechooser');
    await thread.getByText('Dokumen', { exact: true }).click();
    await (
      await chooser
    ).setFiles([
      {
        name: 'harga.pdf',
        mimeType: 'application/pdf',
        buffer: await readFile(join(samples, 'pesanan.pdf')),
      },
      {
        name: 'suara.ogg',
        mimeType: 'audio/ogg',
        buffer: await readFile(join(samples, 'suara.ogg')),
      },
      {
        name: 'kue.png',
        mimeType: 'image/png',
        buffer: await picture('png', { width: 300, height: 200 }),
      },
      { name: 'jahat.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') },
    ]);
    await thread.getByText(/jahat\.exe tidak dapat dikirim/).waitFor();
    await thread.getByText(/3 pesan/).waitFor();
    const caption = (name: string) => thread.getByRole('textbox', { name });
    await caption('Tulis keterangan untuk harga.pdf').fill('Daftar harga terbaru');
    await thread.getByRole('radio', { name: /^harga\.pdf/ }).focus();
    await tab.keyboard.press('ArrowRight');
    await tab.keyboard.press('Enter');
    await tab.keyboard.type('Antar jam berapa?');
    expect(await caption('Tulis pesan setelah suara.ogg').inputValue()).toBe('Antar jam berapa?');
    await thread.getByText(/4 pesan/).waitFor();
    await tab.reload();
    await thread.getByRole('radio', { name: 'kue.png' }).check();
    await caption('Tulis keterangan untuk kue.png').fill('Kue Bu Ani');
    await tab.keyboard.press('Enter');
    await thread.locator('a[href^="/files/"]', { hasText: 'harga.pdf' }).waitFor();
    await thread.getByText('Antar jam berapa?').waitFor();
    // Leaving the page before that leaves it waiting.
    await thread.locator('img[alt="Kue Bu Ani"][src^="/files/"]').last().waitFor();
    expect(await thread.getByText('Menunggu').count()).toBe(0);
    const sent = thread.getByRole('group', { name: 'Pesan suara dari Anda' });
    await sent.locator('audio[src^="/files/"]').waitFor({ state: 'attached' });
    expect(await thread.getByText('Belum terkirim').count()).toBe(0);
    await tab.goto(`${address}/simulator?phone=${peer}`);
    await tab.getByText('harga.pdf').waitFor();
    // Each file with its own caption, in order; a sound has none, so its text follows it.
    await waitFor(async () => {
      const { lines } = await ask(address, simulatedPhone, { phone: peer });
      const captions = lines
        .toSorted((a, b) => a.at.getTime() - b.at.getTime())
        .map(({ content: { type, caption } }) => [type, caption]);
      expect(captions.slice(-4)).toEqual([
        ['pdf', 'Daftar harga terbaru'],
        ['ogg', ''],
        ['text', 'Antar jam berapa?'],
        ['png', 'Kue Bu Ani'],
      ]);
    });
  },
);
