import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { formatDate } from '#contract/base/time.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { newSender, type Sender, signUp, topUp } from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { press, write } from '#tests/journeys/support/steps.ts';

const address = inject('product');

/** Sends as the customer's own system does. @returns the status, and the refusal's code. */
async function send(address: string, { key }: Sender): Promise<[number, string | undefined]> {
  const response = await fetch(`${address}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '62800000001', text: { body: 'Halo' } }),
  });
  const { code } = (await response.json()) as { code?: string };
  return [response.status, code];
}

/** Changes apply at once here, and on other nodes within a second. */
const sends = (address: string, sender: Sender, ...expected: [number, string?]): Promise<void> =>
  waitFor(async () => expect(await send(address, sender)).toEqual([expected[0], expected[1]]));

async function openShopOf(phone: string) {
  const who = await signUp(address, { name: 'Toko Kemuning', phone });
  await topUp(address, who, 50_000);
  return { who, sender: await newSender(address, who, { name: 'Kasir', phone }) };
}

const save = async (tab: Page): Promise<void> => {
  await press(tab, tab.getByRole('button', { name: 'Simpan izin' }));
  await tab.getByText('Izin dan batas akses disimpan.').last().waitFor();
};

const DAY_MS = 86_400_000;

test('a key’s permissions, sources and expiry are set with the keyboard, and apply at once', async ({
  person,
}) => {
  const { who, sender } = await openShopOf('6281355504101');
  const { open } = await person({ still: true, session: who.session });
  const { faults, look } = inspectionHere();
  const tab = await open(`/token?open=${sender.id}#akses`);
  const addresses = tab.getByLabel('Alamat yang diizinkan');
  await tab.getByRole('heading', { name: 'Izin & batas akses' }).waitFor();
  await look(tab, 'permissions');

  await write(tab, addresses, 'bukan alamat');
  await press(tab, tab.getByRole('button', { name: 'Simpan izin' }));
  await tab.locator('[aria-invalid="true"]').first().waitFor();
  await look(tab, 'permissions with a mistake');

  await addresses.clear();
  await write(tab, addresses, '203.0.113.0/24');
  await save(tab);
  await sends(address, sender, 403, 'address_not_allowed');

  await addresses.clear();
  await press(tab, tab.getByRole('checkbox', { name: 'Mengirim pesan' }), 'Space');
  await save(tab);
  await sends(address, sender, 403, 'scope_missing');

  await press(tab, tab.getByRole('checkbox', { name: 'Mengirim pesan' }), 'Space');
  const last = new Date(Date.now() + 3 * DAY_MS);
  await press(tab, tab.getByRole('button', { name: /^Berlaku sampai/ }));
  await tab.getByRole('grid').waitFor();
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter']) {
    await tab.keyboard.press(key);
  }
  await tab.getByRole('grid').waitFor({ state: 'detached' });
  await save(tab);
  await tab.getByText(`Token ini berlaku sampai ${formatDate(last)}.`).waitFor();
  await look(tab, 'a token that expires soon');
  await sends(address, sender, 202, undefined);
  expect(faults).toEqual([]);
});

test('refused calls are listed on /token with reason and remedy, and are filtered by reason', async ({
  person,
}) => {
  const { who, sender } = await openShopOf('6281355504102');
  const { open } = await person({
    still: true,
    session: who.session,
    expects: [/status of 422/],
  });
  const { faults, look } = inspectionHere();
  const tab = await open('/token');
  await press(tab, tab.getByRole('link', { name: 'Permintaan ditolak' }));
  await tab.getByText('Tidak ada permintaan yang ditolak').waitFor();
  await look(tab, 'no refused call');

  for (const [path, body] of [
    ['/v1/messages', '{"to":'],
    ['/v1/messages', '{"to":"0812"}'],
    ['/v1/messages', '{"to":"0812"}'],
  ] as const) {
    await fetch(address + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${sender.key}`, 'content-type': 'application/json' },
      body,
    });
  }
  const wrong = tab.getByRole('row', { name: /Isian salah: .*2×/ });
  await waitFor(async () => {
    await press(tab, tab.getByRole('button', { name: 'Muat ulang' }));
    expect(await wrong.count()).toBe(1);
  });
  await tab.getByText(/Balasan API menyebutkan apa yang diterima setiap isian/).waitFor();
  await look(tab, 'refused calls');

  await tab
    .getByRole('combobox', { name: 'Alasan' })
    .selectOption({ label: 'Permintaan tidak dapat dibaca' });
  await wrong.waitFor({ state: 'detached' });
  expect(new URL(tab.url()).searchParams.get('reason')).toBe('request_malformed');
  await tab.getByText(/Kirim objek JSON yang lengkap/).waitFor();

  await fakeActs(tab, {
    rejected_call_list: () => ({ refused: 'our_fault', message: 'Terjadi gangguan.' }),
  });
  await tab.reload();
  await tab.getByRole('button', { name: 'Coba lagi' }).waitFor();
  await look(tab, 'refused calls that cannot be read');
  expect(faults).toEqual([]);
});
