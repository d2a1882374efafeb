import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { createToken } from '#contract/tokens.ts';
import type { Delivery, Webhook, WebhookTest } from '#contract/webhooks.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { ask, signUp } from '#tests/journeys/support/portal.ts';
import { press, write } from '#tests/journeys/support/steps.ts';
import { type OpenPerson, test } from '#tests/support/gallery.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const address = inject('product');

const URL_GIVEN = 'https://toko.example/kabari';
const PEER = '62800000001';
const ago = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
const succeeded: WebhookTest = { ok: true, status: 200, error: null, ms: 12, answer: 'ya' };

const webhookOf = (token_id: string, more: Partial<Webhook> = {}): Webhook => ({
  token_id,
  url: URL_GIVEN,
  format: 'kabari',
  kinds: null,
  state: 'on',
  off_reason: null,
  secret_hint: 'k3y9',
  verify_token: 'v',
  previous_secret_until: null,
  failing_since: null,
  paused_until: null,
  pending: 0,
  created_at: ago(60),
  changed_at: ago(60),
  ...more,
});

const delivery = (seq: number, more: Partial<Delivery>): Delivery => ({
  id: publicId('delivery', `019ab000-0000-7000-8000-00000000000${seq}`),
  seq,
  type: 'message.accepted',
  created_at: ago(10 - seq),
  state: 'delivered',
  tries: 1,
  next_at: null,
  last_status: 200,
  last_error: null,
  ended_at: ago(10 - seq),
  peer: PEER,
  name: null,
  message_id: publicId('message', `019ab000-0000-7000-8000-00000000000${seq}`),
  ...more,
});

/** A token's webhook page with a webhook and deliveries that the test answers. */
async function at(person: OpenPerson, phone: string, webhook: Partial<Webhook> | null) {
  const { session } = await signUp(address, { name: 'Toko Anggrek', phone });
  const { token } = await ask(
    address,
    createToken,
    { name: 'Kasir', channel: 'simulator' },
    session,
  );
  const world: { webhook: Webhook | null; deliveries: Delivery[] } = {
    webhook: webhook && webhookOf(token.id, webhook),
    deliveries: [],
  };
  const change = (more: Partial<Webhook>) =>
    (world.webhook = { ...(world.webhook ?? webhookOf(token.id)), ...more });
  const { open } = await person({ session });
  const tab = await open();
  const asked = await fakeActs(tab, {
    webhook_get: () => ({ webhook: world.webhook }),
    webhook_save: ({ url = '' }) => {
      const next = change({ url });
      return { webhook: next, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', test: succeeded };
    },
    webhook_test: () => succeeded,
    webhook_switch: () => change({ state: 'on', off_reason: null }),
    webhook_secret_rotate: () => ({
      webhook: change({ previous_secret_until: ago(-1_440) }),
      secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    }),
    webhook_delete: () => {
      world.webhook = null;
      return {};
    },
    webhook_delivery_list: ({ type, state, peer }) =>
      world.deliveries.filter(
        (one) =>
          (!type || one.type === type) &&
          (!state || one.state === state) &&
          (!peer || peer.replaceAll(/\D/g, '') === PEER),
      ),
    webhook_delivery_get: ({ delivery_id }) => ({
      ...world.deliveries.find(({ id }) => id === delivery_id),
      body: JSON.stringify({ type: 'message.accepted', data: { peer: PEER } }),
      attempts: [
        {
          n: 1,
          at: ago(9),
          ms: 12,
          status: 200,
          error: null,
          headers: { 'webhook-signature': 'v1,c2lnbmF0dXJl' },
          answer: 'ya',
        },
      ],
    }),
  });
  await tab.goto(`/token/webhook?token=${token.id}`);
  return { tab, world, change, asked };
}

const rowOf = (tab: Page, event: string | RegExp) => tab.getByRole('row', { name: event }).first();

test('a webhook is saved, tested, changed, gets another secret, and is deleted with the keyboard only', async ({
  person,
}) => {
  const { tab, asked } = await at(person, '6281299300021', null);
  const { faults, look } = inspectionHere();
  await tab.getByRole('heading', { name: 'Pasang webhook' }).waitFor();
  await look(tab, 'no webhook yet');
  await press(tab, tab.getByRole('button', { name: 'Simpan dan uji alamat' }));
  await tab.getByText('Isi alamat webhook.').waitFor();
  await look(tab, 'an address left out');
  await write(tab, tab.getByLabel('Alamat webhook'), URL_GIVEN);
  await tab.keyboard.press('Enter');
  await tab.getByText(/^Uji coba berhasil: HTTP 200/).waitFor();
  expect(await tab.getByLabel('Kunci webhook', { exact: true }).last().innerText()).toMatch(
    /^whsec_MfKQ/,
  );
  await look(tab, 'the secret, shown once');
  await press(tab, tab.getByRole('button', { name: 'Sudah saya simpan' }));
  await tab.getByText('Belum ada peristiwa', { exact: true }).waitFor();
  await look(tab, 'a webhook without deliveries');

  await press(tab, tab.getByRole('button', { name: 'Kirim uji coba' }));
  await tab.getByText(/^Uji coba berhasil/).waitFor();
  await press(tab, tab.getByRole('button', { name: 'Ubah', exact: true }));
  const editing = tab.getByRole('dialog', { name: 'Ubah webhook' });
  await look(tab, 'changing a webhook');
  await press(tab, editing.getByRole('button', { name: 'Batal' }));
  await editing.waitFor({ state: 'detached' });

  const more = tab.getByRole('button', { name: 'Tindakan lain' });
  await press(tab, more);
  await tab.getByRole('menuitem', { name: 'Ganti kunci' }).waitFor();
  await tab.keyboard.press('Enter');
  await press(tab, tab.getByRole('button', { name: 'Ganti kunci' }));
  await tab.getByText(/^Kunci lama berlaku sampai/).waitFor();
  await look(tab, 'another secret');
  await press(tab, tab.getByRole('button', { name: 'Sudah saya simpan' }));
  await tab.getByText(/kunci lama berlaku sampai/).waitFor();

  await press(tab, more);
  await tab.getByRole('menuitem', { name: 'Ganti kunci' }).waitFor();
  await tab.keyboard.press('ArrowUp');
  await tab.keyboard.press('Enter');
  await tab.getByRole('alertdialog').waitFor();
  await look(tab, 'deleting');
  await press(tab, tab.getByRole('button', { name: 'Hapus', exact: true }));
  await tab.getByRole('heading', { name: 'Pasang webhook' }).waitFor();
  expect(faults).toEqual([]);
  const acts = asked.map(({ act = '' }) => act).filter((act) => !/_get|_list/.test(act));
  expect(acts).toEqual(['webhook_save', 'webhook_test', 'webhook_secret_rotate', 'webhook_delete']);
});

test('deliveries are filtered in the address and opened; a failing webhook and one that stopped say why', async ({
  person,
}) => {
  const { tab, world, change } = await at(person, '6281299300022', { failing_since: ago(20) });
  const { faults, look } = inspectionHere();
  world.deliveries = [
    delivery(3, { type: 'message.read' }),
    delivery(2, { state: 'waiting', last_status: 503, next_at: ago(-1), ended_at: null }),
    delivery(1, {}),
  ];
  await tab.reload();
  await rowOf(tab, /message\.accepted.*Menunggu.*HTTP 503/).waitFor();
  await tab.getByText(/^Pengiriman gagal sejak|^Gagal beberapa kali/).waitFor();
  await look(tab, 'an endpoint that fails');
  await rowOf(tab, /message\.accepted.*Terkirim/)
    .getByRole('button')
    .click();
  const drawer = tab.getByRole('dialog', { name: 'Rincian pengiriman' });
  await drawer.getByText(/^Percobaan 1: HTTP 200/).waitFor();
  await drawer.getByText('Header yang dikirim').click();
  await drawer.getByText(/webhook-signature: v1,/).waitFor();
  await drawer.getByText(/"message\.accepted"/).waitFor();
  await drawer.getByText('+62 800-0000-01').waitFor();
  await look(tab, 'a delivery');
  await tab.goBack();
  await drawer.waitFor({ state: 'detached' });

  const status = tab.getByLabel('Status', { exact: true });
  await tab.getByLabel('Peristiwa', { exact: true }).selectOption('message.accepted');
  await status.selectOption('delivered');
  const rows = tab.getByRole('row', { name: /message/ });
  await waitFor(async () => expect(await rows.count()).toBe(1));
  await tab.reload();
  await rowOf(tab, /message\.accepted/).waitFor();
  expect(await status.inputValue()).toBe('delivered');
  expect(await rows.count()).toBe(1);
  await status.selectOption('parked');
  await tab.getByText('Data tidak ditemukan').waitFor();
  await look(tab, 'nothing found');
  await tab.getByRole('button', { name: 'Hapus filter' }).last().click();
  const search = tab.getByRole('searchbox', { name: 'Cari nomor' });
  await search.fill('0899');
  await tab.getByText('Tulis nomornya dengan lengkap.').waitFor();
  await look(tab, 'half a number');
  await search.fill('0899-1111-2222');
  await tab.getByText('Data tidak ditemukan').waitFor();
  await search.fill(`+${PEER}`);
  await rowOf(tab, /message\.read/).waitFor();

  change({ state: 'off', off_reason: 'gone', failing_since: null });
  await tab.reload();
  await tab.getByText('Webhook berhenti karena alamatnya menjawab 410 (Gone).').waitFor();
  await look(tab, 'a webhook that was given up');
  await tab.getByRole('button', { name: 'Nyalakan' }).click();
  await tab.getByText('Aktif', { exact: true }).waitFor();
  await tab.getByRole('button', { name: 'Kirim ulang per tanggal' }).click();
  await tab
    .getByRole('dialog', { name: 'Kirim ulang pengiriman' })
    .getByLabel('Yang mana')
    .selectOption('all');
  await look(tab, 'sending a period anew');
  expect(faults).toEqual([]);
});
