import { expect } from 'vitest';
import { boxOf, test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('each message type has its own rendering, named by sender and time', async ({ show }) => {
  const page = await show('chat-message', { width: 390 });
  const thread = page.getByRole('list', { name: 'Percakapan dengan Budi' });
  const said = (name: string) => thread.getByRole('article', { name });
  // A day, the messages, and the three buttons of two templates.
  expect(await thread.getByRole('listitem').count()).toBe(1 + 16 + 3);
  expect(await thread.getByRole('article').count()).toBe(16);

  await said('Budi, 09.00')
    .getByRole('link', { name: 'https://toko.example/menu (tab baru)' })
    .waitFor();
  await said('Budi, 09.02').getByRole('img', { name: 'Yang seperti ini' }).first().waitFor();
  await said('Budi, 09.09').getByRole('img', { name: 'Gambar dari Budi' }).first().waitFor();
  await said('Anda, 09.10').getByRole('button', { name: 'Putar pesan suara 0:24' }).waitFor();
  await said('Budi, 09.11').getByRole('group', { name: 'Pesan suara dari Budi' }).waitFor();
  await said('Anda, 09.12').getByRole('button', { name: 'Putar video 0:12' }).waitFor();
  await said('Anda, 09.19')
    .getByRole('img', { name: /^Diskon 20%/ })
    .first()
    .waitFor();
  await said('Budi, 09.13').getByRole('link', { name: '+62 857-1111-2222' }).waitFor();

  const sheet = said('Budi, 09.15').getByRole('link', { name: /pesanan\.xlsx.*XLSX · 18 KB/ });
  expect(await sheet.getAttribute('download')).toBe('pesanan.xlsx');
  expect(await said('Budi, 09.16').getByRole('link').count()).toBe(0);
  const read = await said('Anda, 09.10').locator('time + *').textContent();
  expect(read).toBe('Dibaca');
});

test('a long file name is cut at 250 px and complete in its title', async ({ show }) => {
  const page = await show('chat-message', { width: 1440 });
  const name = page.getByTitle(/^Daftar harga kue lapis .* November 2026\.pdf$/);
  expect((await boxOf(name)).width).toBe(250);
  expect(await name.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
  const link = page.getByRole('link', { name: /Daftar harga/ });
  expect(await link.getAttribute('download')).toMatch(/2026\.pdf$/);
  expect(await link.textContent()).toContain('PDF · 1,3 MB');
});

test('a picture opens and a contact is messaged by keys alone', async ({ show }) => {
  const page = await show('chat-message', { width: 390 });
  const grow = page.getByRole('button', { name: 'Perbesar gambar: Gambar dari Budi' });
  await page.getByRole('article', { name: 'Budi, 09.09' }).scrollIntoViewIfNeeded();
  await grow.press('Enter');
  await page.getByRole('dialog', { name: 'Gambar dari Budi' }).waitFor();
  await page.getByRole('button', { name: 'Perkecil gambar' }).press('Enter');
  await waitFor(async () =>
    expect(await grow.evaluate((button) => button === document.activeElement)).toBe(true),
  );
  await page.getByRole('button', { name: 'Kirim pesan' }).press('Enter');
  expect(await page.getByLabel('Asked to write to').textContent()).toBe('6285711112222');
});

test('days, the unread divider and delivery states have texts', async ({ show }) => {
  const page = await show('chat-message', { width: 390 });
  const days = page.getByRole('list', { name: 'Percakapan dengan Sari' });
  expect(
    (await days.getByRole('listitem').allInnerTexts()).map((one) => one.split('\n')[0]),
  ).toEqual(['Kemarin', 'Besok jadi?', 'Hari ini', 'Belum dibaca', 'Halo?']);
  const marks = page.getByRole('list', { name: 'Percakapan dengan Tono' }).locator('time + *');
  expect(await marks.allTextContents()).toEqual([
    'Terjadwal',
    'Antre',
    'Mengirim',
    'Terkirim',
    'Sampai',
    'Dibaca',
    'Gagal',
    'Dibatalkan',
    'Kedaluwarsa',
  ]);
  await page.getByText('Nomor ini tidak memakai WhatsApp.').waitFor();
});

test('a described message is set apart, and an edited one is marked', async ({ show }) => {
  const page = await show('chat-message', { width: 390 });
  const thread = page.getByRole('list', { name: 'Percakapan dengan Wati' });
  const styleOf = (text: string) =>
    thread.getByText(text).evaluate((element) => getComputedStyle(element).fontStyle);
  expect(await styleOf('Polling: Ambil hari apa?')).toBe('italic');
  expect(await styleOf('Pesan dihapus pengirim')).toBe('italic');
  expect(await styleOf('Tiga loyang, bukan dua')).toBe('normal');
  const edited = thread.getByRole('article').filter({ hasText: 'Tiga loyang' });
  expect(await edited.innerText()).toMatch(/Diubah\s+09\.32/);
  expect(await thread.getByText('Diubah').count()).toBe(1);
  const asked = thread.getByRole('article').filter({ hasText: 'Masih ada?' });
  expect(await asked.innerText()).toMatch(/^Dari iklan: Batik parang[^]+Masih ada\?/);
});

test('a file on another host is a card with its type, its host and a link; the page loads none of it', async ({
  show,
}) => {
  const page = await show('chat-message', { width: 390 });
  const thread = page.getByRole('list', { name: 'Percakapan dengan Rina' });
  const said = (name: string) => thread.getByRole('article', { name });
  const wayFrom = (name: string) =>
    said(name).getByRole('link', { name: 'Buka tautan (tab baru)', exact: true });
  await waitFor(async () =>
    expect(await said('Anda, 09.20').innerText()).toMatch(
      /^Gambar\s+cdn\.toko\.example\s+Buka tautan[^]*Kue hari ini/,
    ),
  );
  await said('Anda, 09.21').getByText('Pesan suara', { exact: true }).waitFor();
  await said('Budi, 09.22').getByText('film.example:8080').waitFor();
  await said('Anda, 09.23')
    .getByTitle(/^Syarat pesanan .* 2026\.pdf$/)
    .waitFor();
  await said('Anda, 09.23')
    .getByText(/^PDF · berkas-pelanggan/)
    .waitFor();
  expect(await said('Budi, 09.24').getByRole('link').count()).toBe(0);
  await said('Budi, 09.24').getByText('tautan tidak dapat dibuka').waitFor();

  expect(await wayFrom('Anda, 09.20').getAttribute('href')).toBe(
    'https://cdn.toko.example/kue.jpg',
  );
  expect(await wayFrom('Anda, 09.20').getAttribute('target')).toBe('_blank');
  expect(await wayFrom('Anda, 09.20').getAttribute('rel')).toMatch(/\bnoopener noreferrer\b/);
  expect(await thread.locator('img, audio, video').count()).toBe(0);
  const wide = (bubble: Element) => bubble.scrollWidth > bubble.clientWidth;
  for (const bubble of await thread.getByRole('article').all()) {
    expect(await bubble.evaluate(wide)).toBe(false);
  }
});

test('a picture that fails to load has a retry button', async ({ show }) => {
  const page = await show('chat-message', { width: 390 });
  const message = page.getByRole('article', { name: 'Budi, 09.09' });
  await message.scrollIntoViewIfNeeded();
  const picture = message.getByRole('img', { name: 'Gambar dari Budi' }).first();
  const before = await boxOf(picture);
  await picture.evaluate((image) => image.dispatchEvent(new Event('error')));
  const broken = message.getByText('Gambar tidak dapat dimuat.');
  await broken.waitFor();
  expect(await message.locator('img').count()).toBe(0);
  expect(await message.getByText('Gambar dari Budi:').count()).toBe(1);
  const room = await boxOf(broken.locator('..'));
  expect([room.width, room.height]).toEqual([before.width, before.height]);
  await message.getByRole('button', { name: 'Coba lagi' }).click();
  await waitFor(async () =>
    expect(
      await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth),
    ).toBeGreaterThan(0),
  );
  expect(await broken.count()).toBe(0);
});

test('a reply shows the quoted message, a reaction names its author, and "Balas" works by keys', async ({
  show,
}) => {
  const page = await show('chat-message', { width: 390 });
  const thread = page.getByRole('list', { name: 'Percakapan dengan Dewi' });
  const answer = thread.getByRole('article', { name: 'Dewi, 10.02' });
  expect(await answer.textContent()).toMatch(/^Anda ?Jadi ambil yang biru\?/);
  const reactions = thread.getByRole('list', { name: 'Reaksi' }).getByRole('listitem');
  expect(await reactions.allTextContents()).toEqual(['👍 Dewi', '🙏 Anda']);
  const reply = answer.getByRole('button', { name: 'Balas' });
  const box = await boxOf(reply);
  expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(24);
  await reply.press('Enter');
  await page.getByText('Balas', { exact: true }).waitFor();
});
