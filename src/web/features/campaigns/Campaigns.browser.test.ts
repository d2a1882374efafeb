import { expect, inject } from 'vitest';
import { inspectionHere } from '#tests/support/one-look.ts';
import { type Campaign, getCampaign } from '#contract/campaigns.ts';
import { getMessage, sendMessage } from '#contract/messages.ts';
import { simulatedPayment } from '#contract/simulator.ts';
import { deleteToken } from '#contract/tokens.ts';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { ask, newSender, signUp, textsIn, topUp } from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { press, write } from '#tests/journeys/support/steps.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const address = inject('product');

/** Two are left out: an invalid number, and a duplicate. */
const LIST = [
  'nomor, nama, tagihan',
  '0812-3456-7001, Bu Sri, Rp 150.000',
  '0812-3456-7002, Pak Joko, Rp 90.000',
  '0812-3456-7003, , Rp 75.000',
  '0812-3456-7001, Bu Sri, Rp 150.000',
  'tanpa nomor, Rina, Rp 20.000',
].join('\n');

test('a list is pasted, addressed by name and sent with the keyboard alone; another tab sees it end', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Melati', phone: '6281355506201' });
  await topUp(address, who, 50_000);
  await newSender(address, who, { name: 'Kasir', phone: '62813555062019' });
  const { open } = await person({ session: who.session });
  const { faults, look } = inspectionHere();
  const tab = await open('/message-history/kiriman');
  await tab.getByText('Satu pesan untuk banyak pelanggan').waitFor();
  await look(tab, 'no campaigns yet');
  await press(tab, tab.getByRole('link', { name: 'Kirim ke banyak nomor' }));
  await tab.getByRole('heading', { name: 'Kirim ke banyak nomor', level: 1 }).waitFor();
  await press(tab, tab.getByRole('button', { name: 'Periksa penerima' }));
  await tab.getByText('Tempel nomor penerima di sini.').waitFor();
  await look(tab, 'a list left empty');
  await write(tab, tab.getByLabel('Nama kiriman'), 'Tagihan November');
  await tab.getByLabel('Nomor penerima').fill(LIST);
  await press(tab, tab.getByRole('button', { name: 'Periksa penerima' }));

  await tab.getByRole('heading', { name: 'Tagihan November', level: 1 }).waitFor();
  await tab.getByRole('cell', { name: 'Nomor ganda' }).waitFor();
  await write(tab, tab.getByLabel('Isi pesan'), 'Halo ');
  await press(tab, tab.getByRole('button', { name: 'nama', exact: true }));
  await tab.keyboard.type(', tagihan Anda {tagihan}.');
  const preview = tab.getByRole('list', { name: 'Pratinjau di ponsel penerima' });
  await preview.getByText('Halo Bu Sri, tagihan Anda Rp 150.000.').waitFor();
  await look(tab, 'a draft with its preview');
  await press(tab, tab.getByRole('button', { name: 'Kirim ke 3 nomor' }));
  // Recipients without a name are excluded by then: two are left.
  const question = tab.getByRole('alertdialog', { name: 'Kirim ke 2 nomor?' });
  await question.waitFor();
  await look(tab, 'asked before it is sent');
  const other = await open('/message-history/kiriman');
  await other.getByText('Draf').waitFor();
  await press(tab, question.getByRole('button', { name: 'Mulai kirim' }));
  await tab.getByText('Selesai').first().waitFor();
  await other.getByText('Selesai').waitFor();
  await waitFor(async () =>
    expect(await textsIn(address, '6281234567002')).toEqual([
      'Halo Pak Joko, tagihan Anda Rp 90.000.',
    ]),
  );
  expect(await textsIn(address, '6281234567003')).toEqual([]);
  await tab.getByRole('cell', { name: 'Data kurang' }).waitFor();
  // Its figures are cumulative, the segments of its bar are not.
  await tab.getByText('100% dari yang terkirim').first().waitFor();
  await tab.getByText('0% dari 2 penerima').waitFor();
  await tab.getByText('Sampai, belum dibaca').waitFor();
  await tab.getByText('Halo {nama}, tagihan Anda {tagihan}.').waitFor();
  await look(tab, 'a campaign that is done');
  expect(faults).toEqual([]);
});

test('a running campaign is paused, resumed and cancelled on a phone', async ({ person }) => {
  const who = await signUp(address, { name: 'Klinik Sehat', phone: '6281355506202' });
  await topUp(address, who, 100_000);
  await newSender(address, who, { name: 'Klinik', phone: '62813555062029' });
  const { open } = await person({
    session: who.session,
    width: 390,
    expects: [/status of 422/],
  });
  const { faults, look } = inspectionHere();
  const tab = await open('/message-history/kiriman?view=new');
  const numbers = Array.from({ length: 150 }, (_, index) => `0812${String(50_000_000 + index)}`);
  const [head = '', ...others] = numbers;
  await tab.getByLabel('Nomor penerima').fill([head, '8.13556E+11', ...others].join('\n'));
  await tab.getByRole('button', { name: 'Periksa penerima' }).click();
  // The reason for an excluded row leaves the number its space and is shown whole.
  const cut = tab.getByRole('row').filter({ hasText: '8.13556E+11' });
  const number = await cut.getByText('8.13556E+11', { exact: true }).boundingBox();
  expect(number?.height).toBeLessThan(30);
  const why = await cut.getByText(/^Dipersingkat oleh Excel/).boundingBox();
  expect((why?.x ?? 0) + (why?.width ?? 0)).toBeLessThanOrEqual(390);
  await tab.getByLabel('Isi pesan').fill('Jadwal imunisasi di {alamat}.');
  await tab.getByRole('button', { name: 'Kirim ke 150 nomor' }).click();
  await tab.getByText('Tidak ada kolom "alamat"', { exact: false }).waitFor();
  await tab.getByLabel('Isi pesan').fill('Jadwal imunisasi besok pukul 08.00.');
  await tab.reload();
  await waitFor(async () =>
    expect(await tab.getByLabel('Isi pesan').inputValue()).toBe(
      'Jadwal imunisasi besok pukul 08.00.',
    ),
  );
  await tab.getByLabel('Batas kecepatan (opsional)').fill('600');
  await tab.getByRole('button', { name: 'Kirim ke 150 nomor' }).click();
  await tab.getByRole('button', { name: 'Mulai kirim' }).click();
  await tab.getByRole('button', { name: 'Jeda' }).click();
  await tab.getByText('Anda menjeda kiriman ini.', { exact: false }).waitFor();
  await look(tab, 'a campaign that is paused');
  await tab.getByRole('button', { name: 'Lanjutkan' }).click();
  await tab.getByRole('button', { name: 'Jeda' }).waitFor();
  await look(tab, 'a campaign under way');
  await tab.getByRole('button', { name: 'Batalkan kiriman' }).click();
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Batalkan kiriman' }).click();
  await tab.getByText('Dibatalkan').first().waitFor();
  await tab.getByRole('button', { name: 'Hapus dari daftar' }).waitFor();
  expect(faults).toEqual([]);
});

test('a broadcast without saldo says what is missing, leads to the top-up and back', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Sekar', phone: '6281355506207' });
  await newSender(address, who, { name: 'Kasir', phone: '62813555062079' });
  const { open } = await person({ session: who.session, width: 390 });
  const { faults, look } = inspectionHere();
  const tab = await open('/message-history/kiriman?view=new');
  // More than the plan's quota and a welcome bonus pay for.
  const numbers = Array.from({ length: 180 }, (_, index) => `0812${String(51_000_000 + index)}`);
  await tab.getByLabel('Nomor penerima').fill(numbers.join('\n'));
  await tab.getByRole('button', { name: 'Periksa penerima' }).click();
  await tab.getByLabel('Isi pesan').fill('Toko tutup besok.');
  await tab.getByText(/^Saldo kurang Rp.* untuk semua penerima/).waitFor();
  await tab.getByLabel('Mulai').selectOption('later');
  await tab.getByRole('button', { name: 'Jadwalkan ke 180 nomor' }).waitFor();
  await tab.getByLabel('Mulai').selectOption('now');
  await tab.getByRole('button', { name: 'Kirim ke 180 nomor' }).click();
  await tab.getByRole('button', { name: 'Mulai kirim' }).click();
  await tab.getByText(/\d+ penerima menunggu/).waitFor();
  await waitFor(async () =>
    expect(await tab.getByRole('button', { name: 'Lanjutkan' }).isDisabled()).toBe(true),
  );
  await look(tab, 'a campaign without saldo');
  await tab.goto('/?');
  const paused = tab.getByRole('region', { name: 'Perlu perhatian' }).getByRole('link');
  await paused.getByText(/\d+ penerima menunggu/).waitFor();
  await look(tab, 'Beranda with a paused broadcast');
  await paused.click();
  await tab.getByRole('button', { name: 'Lanjutkan' }).waitFor();
  await tab.getByRole('link', { name: 'Isi saldo' }).click();
  expect(await tab.getByRole('textbox', { name: /^Nominal/ }).inputValue()).toMatch(/^[\d.]+$/);
  await tab.getByRole('button', { name: 'Pilih cara bayar' }).click();
  await tab.getByRole('radio', { name: /^QRIS/ }).check();
  await tab.getByRole('button', { name: 'Lanjut ke pembayaran' }).click();
  await tab.getByText('Menunggu pembayaran').first().waitFor();
  const topup_id = new URL(tab.url()).searchParams.get('open') ?? '';
  await ask(address, simulatedPayment, { topup_id, outcome: 'pay' });
  await tab.getByRole('link', { name: 'Kembali ke kiriman' }).click();
  await tab.getByText(/^Saldo sudah cukup untuk \d+ penerima/).waitFor();
  await tab.getByRole('button', { name: 'Lanjutkan' }).click();
  await tab.getByText('Selesai').first().waitFor();
  expect(faults).toEqual([]);
});

test('at the limit of unfinished broadcasts the form is not offered, and one without its number not started', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Wangi', phone: '6281355006001' });
  await newSender(address, who, { name: 'Kasir', phone: '6281355006009' });
  const { open } = await person({ session: who.session, width: 390 });
  const { faults, look } = inspectionHere();
  const tab = await open('/message-history/kiriman?view=new');
  await tab.getByLabel('Nomor penerima').fill('0812-3456-7001');
  await tab.getByRole('button', { name: 'Periksa penerima' }).click();
  await tab.getByRole('button', { name: 'Kirim ke 1 nomor' }).waitFor();
  const id = new URL(tab.url()).searchParams.get('open') ?? '';
  const draft = await ask(address, getCampaign, { campaign_id: id }, who.session);

  await fakeActs(tab, {
    campaign_get: () => ({ ...draft, token: { ...draft.token, status: 'unlinked' } }),
    campaign_list: () => ({ list: Array.from({ length: 10 }, (_, n) => draftOf(draft, n)) }),
  });
  await tab.reload();
  await tab.getByText('Nomor Kasir belum tersambung.').waitFor();
  expect(await tab.getByRole('button', { name: 'Kirim ke 1 nomor' }).isDisabled()).toBe(true);
  expect(await tab.getByRole('link', { name: 'Sambungkan' }).getAttribute('href')).toMatch(
    /^\/token\?(?=.*view=link)/,
  );
  await look(tab, 'a draft whose number is not connected');

  await tab.getByRole('link', { name: 'Kembali ke daftar kiriman' }).click();
  const reason = /^Sudah ada 50 kiriman massal yang belum selesai\. Hapus draf/;
  await tab.getByText(reason).waitFor();
  const add = tab.getByRole('button', { name: 'Kiriman baru' });
  expect(await add.isDisabled()).toBe(true);
  expect(await add.getAttribute('aria-describedby')).toBe('kiriman-penuh');
  await look(tab, 'campaigns at their limit');
  await tab.goto('/message-history/kiriman?view=new');
  await tab.getByText(reason).waitFor();
  expect(await tab.getByLabel('Nomor penerima').count()).toBe(0);
  expect(faults).toEqual([]);
});

test('nothing links to a deleted number, and a draft moves to another one', async ({ person }) => {
  const who = await signUp(address, { name: 'Toko Senja', phone: '6281370000101' });
  const old = await newSender(address, who, { name: 'Cabang Lama', phone: '6281370000102' });
  const { open } = await person({
    session: who.session,
    width: 390,
    expects: [/status of 4(04|22)/],
  });
  const { faults, look } = inspectionHere();
  const tab = await open('/message-history/kiriman?view=new');
  await tab.getByLabel('Nomor penerima').fill('0812-3456-7001');
  await tab.getByRole('button', { name: 'Periksa penerima' }).click();
  const send = tab.getByRole('button', { name: 'Kirim ke 1 nomor' });
  await send.waitFor();
  const failed = { token_id: old.id, to: '62800000003', text: 'Halo' };
  const { id } = await ask(address, sendMessage, failed, who.session);
  await ask(address, deleteToken, { token_id: old.id }, who.session);
  await newSender(address, who, { name: 'Cabang Baru', phone: '6281370000103' });
  await tab.reload();
  await tab.getByText('Nomor Cabang Lama sudah dihapus.').waitFor();
  expect(await tab.locator(`a[href*="${old.id}"]`).count()).toBe(0);
  await look(tab, 'a draft whose number was deleted');
  await tab.getByLabel('Kirim dari nomor lain').selectOption('Cabang Baru');
  await tab.getByText('dari Cabang Baru').waitFor();
  await waitFor(async () => expect(await send.isEnabled()).toBe(true));

  const message = await ask(address, getMessage, { message_id: id }, who.session);
  await fakeActs(tab, {
    message_get: () => ({ ...message, status: 'failed', failure: 'not_linked' }),
  });
  await tab.goto(`/message-history?open=${id}`);
  await tab.getByText('Nomor Cabang Lama sudah dihapus.').waitFor();
  await tab.goto(`/token/webhook?token=${old.id}`);
  await tab.getByText('Token ini tidak ditemukan').waitFor();
  // Neither does a mistyped address say that a field is wrong.
  await tab.goto('/message-history/kiriman?open=x');
  await tab.getByText('Kiriman ini tidak ditemukan').waitFor();
  await tab.goto('/token?open=x');
  await tab.getByText('Token ini tidak ditemukan').waitFor();
  expect(await tab.locator(`a[href*="${old.id}"]`).count()).toBe(0);
  expect(faults).toEqual([]);
});

const draftOf = (draft: Campaign, n: number): Campaign => ({
  ...draft,
  id: `${draft.id.slice(0, -1)}${n}`,
});
