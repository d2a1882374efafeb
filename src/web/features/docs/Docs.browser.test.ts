import { expect, inject } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { newSender, signUp, topUp } from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { press, write } from '#tests/journeys/support/steps.ts';

const address = inject('product');

test('a developer finds the API documentation next to their tokens', async ({ person }) => {
  const who = await signUp(address, { name: 'Toko Mawar', phone: '6281355503001' });
  const { open } = await person({ session: who.session });
  const tab = await open('/token');
  await tab.getByRole('link', { name: 'Dokumentasi API' }).click();
  await tab.getByRole('heading', { name: 'Dokumentasi API' }).waitFor();
  const first = tab.getByRole('region', { name: 'Permintaan 1', exact: true });
  expect(await first.textContent()).toContain(`curl ${address}/v1/messages`);
  await tab.getByRole('link', { name: 'Kesalahan', exact: true }).first().click();
  await tab.waitForURL(`${address}/docs#errors`);
  await tab.getByRole('cell', { name: 'token_missing' }).waitFor();
});

test('visitors can read every chapter without signing in', async ({ person }) => {
  const { open } = await person({ width: 390 });
  const tab = await open('/docs#limits');
  const chapter = tab.getByRole('heading', { name: 'Batas' });
  await chapter.waitFor();
  await waitFor(async () => expect((await chapter.boundingBox())?.y).toBeLessThan(200));
  const wide = await tab.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(wide).toBeLessThanOrEqual(0);

  // A reload restores the scroll position roughly: fonts may load later.
  const top = () => tab.evaluate(() => window.scrollY);
  await tab.goto('/docs');
  await chapter.waitFor();
  await tab.evaluate(() => window.scrollTo(0, 900));
  await tab.reload();
  await waitFor(async () => expect(Math.abs((await top()) - 900)).toBeLessThan(50));

  await tab.goto('about:blank');
  await tab.goto('/docs#100%');
  await tab.getByRole('heading', { name: 'Batas' }).waitFor();
});

test('with the keyboard alone an error is looked up, and an example is read in PHP and tried with one’s own key', async ({
  person,
}) => {
  const phone = '6281355503002';
  const who = await signUp(address, { name: 'Toko Mawar', phone });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone });
  const { open } = await person();
  const { faults, look } = inspectionHere();
  const tab = await open('/docs');
  await write(tab, tab.getByLabel('Cari di dokumentasi'), 'saldo_short');
  const found = tab.getByRole('region', { name: 'Hasil pencarian' });
  await found.getByRole('link', { name: /saldo_short/ }).waitFor();
  await look(tab, 'what a search found');
  await press(tab, found.getByRole('link', { name: /saldo_short/ }).first());
  await tab.waitForURL(`${address}/docs#errors`);

  await tab.goto('/docs');
  const first = tab.getByRole('tablist', { name: 'Bahasa permintaan 1', exact: true });
  await press(tab, first.getByRole('tab', { name: 'curl' }), 'ArrowRight');
  await press(tab, first.getByRole('tab', { name: 'Node.js' }), 'ArrowRight');
  const code = tab.getByRole('region', { name: 'Permintaan 1', exact: true });
  await code.getByText('<?php').waitFor();
  await tab.reload();
  await code.getByText('<?php').waitFor();

  await press(tab, tab.getByRole('button', { name: 'Coba: permintaan 1', exact: true }));
  const dialog = tab.getByRole('dialog', { name: 'Coba POST /v1/messages' });
  await write(tab, dialog.getByLabel('Kunci API'), 'kbr_test_salah');
  await press(tab, dialog.getByRole('button', { name: 'Jalankan' }));
  await dialog.getByText('Tempel kunci API yang utuh.').waitFor();
  await look(tab, 'trying with a wrong key');
  await dialog.getByLabel('Kunci API').clear();
  await write(tab, dialog.getByLabel('Kunci API'), sender.key);
  await press(tab, dialog.getByRole('button', { name: 'Jalankan' }));
  await dialog.getByText('Balasan 202').waitFor();
  await dialog.getByText(/"id": "msg_/).waitFor();
  await look(tab, 'what a try answered');
  await tab.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  const uploads = tab.getByRole('button', { name: /^Coba: / });
  const isUpload = (all: Element[]) =>
    all.findIndex(({ parentElement: near }) =>
      near?.parentElement?.textContent?.includes("-F 'file="),
    );
  await tab.getByRole('tab', { name: 'curl' }).first().click();
  await uploads.nth(await uploads.evaluateAll(isUpload)).click();
  const upload = tab.getByRole('dialog', { name: 'Coba POST /v1/media' });
  await press(tab, upload.getByRole('button', { name: 'Jalankan' }));
  await upload.getByText('Pilih berkasnya.').waitFor();
  await upload.getByLabel('Berkas').setInputFiles('docs/pictures/masuk.png');
  await upload.getByText('masuk.png').waitFor();
  await look(tab, 'a file to be sent');
  await press(tab, upload.getByRole('button', { name: 'Jalankan' }));
  await upload.getByText('Balasan 201').waitFor();
  await upload.getByText(/"mime_type": "image\/png"/).waitFor();
  await upload.getByLabel('Berkas').setInputFiles({
    name: 'daftar.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
  });
  await press(tab, upload.getByRole('button', { name: 'Jalankan' }));
  await upload.getByText(/"mime_type": "application\/pdf"/).waitFor();
  await tab.keyboard.press('Escape');
  await upload.waitFor({ state: 'detached' });

  await tab.goto('/docs');
  await press(tab, tab.getByRole('link', { name: 'Perubahan' }));
  await tab.getByText('Halaman ini hanya ada dalam bahasa Inggris.').waitFor();
  await tab.getByRole('heading', { name: 'The first version' }).waitFor();
  await look(tab, 'what has changed');
  await press(tab, tab.getByRole('link', { name: 'Webhook', exact: true }));
  await tab.getByRole('heading', { name: 'Memeriksa tanda tangan' }).waitFor();
  await tab.getByText('ThreadingHTTPServer').first().waitFor();
  await look(tab, 'how webhooks are checked');
  expect(faults).toEqual([]);
});

test('the language is switched, stays chosen, and keeps the anchors', async ({ person }) => {
  const { open } = await person();
  const tab = await open('/docs#limits');
  const article = tab.getByRole('article');
  await article.getByRole('heading', { name: 'Batas' }).waitFor();
  expect(await article.getAttribute('lang')).toBe('id');
  const { look, faults } = inspectionHere();
  await press(tab, tab.getByRole('link', { name: 'English' }));
  await tab.waitForURL(/\?lang=en/);
  await article.getByRole('heading', { name: 'Limits' }).waitFor();
  expect(await article.getAttribute('lang')).toBe('en');
  await tab.getByRole('heading', { name: 'API documentation' }).waitFor();
  expect(await tab.evaluate(() => document.documentElement.lang)).toBe('en');
  await look(tab, 'the English page');
  await tab.getByRole('button', { name: 'Copy', exact: true }).first().waitFor();
  expect(await tab.getByRole('button', { name: 'Salin', exact: true }).count()).toBe(0);
  await tab.getByRole('button', { name: 'Try it: request 1', exact: true }).waitFor();
  await write(tab, tab.getByLabel('Search the documentation'), 'saldo_short balance');
  const found = tab.getByRole('region', { name: 'Search results' });
  await found.getByRole('link', { name: /the balance is too low/ }).waitFor();

  await tab.goto('/docs');
  await press(tab, tab.getByRole('button', { name: 'Try it: request 1', exact: true }));
  const dialog = tab.getByRole('dialog', { name: 'Try it POST /v1/messages' });
  await press(tab, dialog.getByRole('button', { name: 'Run', exact: true }));
  await dialog.getByText('Paste the whole API key.').waitFor();
  await look(tab, 'trying in English');
  await tab.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await tab.goto('/docs?page=webhooks#signature');
  const chapter = article.getByRole('heading', { name: 'Signature', exact: true });
  await chapter.waitFor();
  await waitFor(async () => expect((await chapter.boundingBox())?.y).toBeLessThan(200));
  await tab.getByRole('link', { name: 'Bahasa Indonesia' }).click();
  await article.getByRole('heading', { name: 'Tanda tangan', exact: true }).waitFor();
  expect(await tab.evaluate(() => document.documentElement.lang)).toBe('id');
  await tab.goto('/docs');
  await tab.getByRole('heading', { name: 'Dokumentasi API' }).waitFor();
  expect(faults).toEqual([]);
});
