import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { getSubscription } from '#contract/billing.ts';
import { createToken } from '#contract/tokens.ts';
import { test } from '#tests/support/gallery.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { ask, newSender, signUp } from '#tests/journeys/support/portal.ts';
import { press } from '#tests/journeys/support/steps.ts';

const product = inject('product');
let customers = 0;

async function customer() {
  customers += 1;
  const phone = `628138${String((Date.now() % 1e5) * 100 + customers).padStart(7, '0')}`;
  return signUp(product, { name: 'Toko Dahlia', phone });
}

async function unlinked() {
  const { session } = await customer();
  const fields = { name: 'Kasir', channel: 'simulator' } as const;
  const { token } = await ask(product, createToken, fields, session);
  return { session, token };
}

const fold = (tab: Page) => tab.getByRole('dialog').locator('details', { hasText: 'Kunci API' });
const isOpen = (tab: Page) => fold(tab).evaluate((part) => part.hasAttribute('open'));

test('a linked token shows its number first, and the parts for developers folded', async ({
  person,
}) => {
  const who = await customer();
  const { id } = await newSender(product, who, { name: 'Kasir', phone: who.phone });
  const { open } = await person({ session: who.session });
  const { faults, look } = inspectionHere();
  const tab = await open(`/token?open=${id}`);
  const drawer = tab.getByRole('dialog');
  const number = drawer.getByRole('region', { name: 'Nomor' });
  await number.getByText('Token ini siap mengirim dan menerima pesan.').waitFor();
  expect(await number.getByText('Pesan hari ini').count()).toBe(1);
  expect(await isOpen(tab)).toBe(false);
  expect(await drawer.getByRole('button', { name: 'Ganti kunci' }).isVisible()).toBe(false);
  await look(tab, 'the parts for developers, folded');

  await press(tab, fold(tab).locator('summary'));
  await drawer.getByRole('button', { name: 'Ganti kunci' }).waitFor();
  for (const part of ['Kunci API', 'Webhook', 'Izin & batas akses', 'Contoh kode']) {
    await fold(tab).getByRole('heading', { name: part }).waitFor();
  }
  await look(tab, 'the parts for developers');
  expect(faults).toEqual([]);
});

test('an address that names a part for developers opens the fold there', async ({ person }) => {
  const { session, token } = await unlinked();
  const { open } = await person({ session });
  const tab = await open(`/token/webhook?token=${token.id}`);
  await tab.getByRole('main').getByRole('link', { name: 'Kasir' }).click();
  const webhook = tab.getByRole('dialog').getByRole('heading', { name: 'Webhook' });
  await webhook.waitFor();
  expect(new URL(tab.url()).hash).toBe('#webhook');
  await waitFor(async () =>
    expect(await webhook.evaluate((one) => one.ownerDocument.activeElement?.contains(one))).toBe(
      true,
    ),
  );
  await tab.goto(`${product}/token?open=${token.id}`);
  await tab.getByRole('dialog').getByText('Untuk pengembang').waitFor();
  expect(await isOpen(tab)).toBe(false);
});

test('an unlinked token opens with its QR, and a late QR can be requested anew', async ({
  person,
}) => {
  const { session, token } = await unlinked();
  const { open } = await person({ session });
  const tab = await open();
  await tab.clock.install();
  let scans = 0;
  const expiry = new Date(Date.now() + 5_000);
  const requests = await fakeActs(tab, {
    token_link: () => ({
      path: `/scan/${'x'.repeat(8)}${requests.length}`,
      expires_at: new Date(Date.now() + 600_000),
    }),
    scan_consent: () => ({ nonce: `n-${requests.length}` }),
    scan_get: () => {
      scans += 1;
      return {
        state: 'waiting',
        account_name: 'Toko Dahlia',
        token_name: 'Kasir',
        failure: null,
        channel: 'simulator',
        qr: { text: 'contoh', pairing_code: null, expires_at: expiry },
        phone: null,
        expires_at: new Date(Date.now() + 600_000),
      };
    },
  });
  const links = () => requests.filter(({ act }) => act === 'token_link').length;
  await tab.goto(`/token?open=${token.id}`);
  const drawer = tab.getByRole('dialog');
  await drawer.getByRole('img', { name: /^Kode QR untuk dipindai/ }).waitFor();
  expect(links()).toBe(1);
  await drawer.getByText(/^QR diperbarui otomatis dalam [1-5] detik$/).waitFor();
  expect(await drawer.getByRole('button', { name: 'Tampilkan QR' }).count()).toBe(0);

  await tab.clock.fastForward(6_000);
  await drawer.getByText('QR diperbarui otomatis…').waitFor();
  const late = drawer.getByText(/^QR belum muncul\./);
  expect(await late.count()).toBe(0);
  await tab.clock.fastForward(10_000);
  await late.waitFor();
  expect(scans).toBeGreaterThan(1);
  await drawer.getByRole('button', { name: 'Minta QR baru' }).click();
  await waitFor(() => Promise.resolve(expect(links()).toBe(2)));
});

test('on a phone WhatsApp Web offers a pairing code for a number', async ({ person }) => {
  const { session, token } = await unlinked();
  const { open } = await person({ session, width: 390 });
  const tab = await open();
  const expires_at = new Date(Date.now() + 600_000);
  const requests = await fakeActs(tab, {
    token_link: () => ({ path: `/scan/${'x'.repeat(8)}${requests.length}`, expires_at }),
    scan_consent: () => ({ nonce: `n-${requests.length}` }),
    scan_get: () => {
      const isAsked = requests.some(({ phone }) => phone === '6281355507777');
      return {
        state: 'waiting',
        account_name: 'Toko Dahlia',
        token_name: 'Kasir',
        failure: null,
        channel: 'web',
        qr: { text: 'contoh', pairing_code: isAsked ? 'K7QM-3RTX' : null, expires_at },
        phone: null,
        expires_at,
      };
    },
  });
  await tab.goto(`/token?open=${token.id}`);
  const drawer = tab.getByRole('dialog');
  await drawer.getByText('buka halaman ini di layar lain', { exact: false }).waitFor();
  await drawer.getByLabel(/nomor WhatsApp di ponsel ini/).fill('0813-5550-7777');
  await drawer.getByRole('button', { name: 'Minta kode penautan' }).click();
  await drawer.getByText('K7QM-3RTX').waitFor();
});

test('a full plan disables the button for a token, with the reason and the way out', async ({
  person,
}) => {
  const { session } = await unlinked();
  const { open } = await person({ session });
  const { faults, look } = inspectionHere();
  const tab = await open();
  const subscription = await ask(product, getSubscription, {}, session);
  await fakeActs(tab, {
    subscription_get: () => ({ ...subscription, plan: { ...subscription.plan, tokens: 1 } }),
  });
  await tab.goto('/token');
  await tab.getByText('Paket Anda hanya untuk 1 token.').waitFor();
  const add = tab.getByRole('button', { name: 'Tambah token' });
  expect(await add.isDisabled()).toBe(true);
  expect(await add.getAttribute('aria-describedby')).toBe('token-penuh');
  await look(tab, 'a full plan');
  await tab.getByRole('link', { name: 'Pilih paket yang lebih besar' }).waitFor();
  // The command palette and other pages open the form by its address.
  await tab.goto('/token?view=new');
  const full = tab.getByRole('dialog', { name: 'Tambah token' });
  await full.getByText(/^Paket Anda hanya untuk 1 token\./).waitFor();
  await look(tab, 'a full plan, in place of the form');
  expect(faults).toEqual([]);
  await press(tab, full.getByRole('link', { name: 'Lihat paket di Tagihan' }));
  await tab.getByRole('heading', { name: 'Tagihan', exact: true }).waitFor();
});

/** The baseline of an element's text in px from the top of the window. */
function baselineOf(element: Element): number {
  const text = [...element.childNodes].find(({ nodeType }) => nodeType === Node.TEXT_NODE);
  const range = document.createRange();
  range.selectNodeContents(text ?? element);
  const context = document.createElement('canvas').getContext('2d');
  if (!context) throw new Error('no canvas');
  const { font, fontSize } = getComputedStyle(element);
  context.font = font;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = context.measureText('x');
  const { top, height } = range.getBoundingClientRect();
  if (height > Number.parseFloat(fontSize) * 2) throw new Error('more than one line');
  return top + (height * up) / (up + down);
}

test('the status of a row has the baseline of its other cells', async ({ person }) => {
  const { session } = await unlinked();
  const { open } = await person({ session });
  const tab = await open('/token');
  const row = tab.getByRole('row', { name: 'Kasir' });
  const baselines = await Promise.all(
    ['Simulator', 'Belum tersambung', 'Belum ada nomor'].map((text) =>
      row.getByText(text, { exact: true }).evaluate(baselineOf),
    ),
  );
  for (const baseline of baselines) expect(baseline).toBeCloseTo(baselines[0] ?? 0, 0);
});
