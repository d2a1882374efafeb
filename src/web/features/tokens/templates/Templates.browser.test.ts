import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { createTemplate, listTemplates, syncTemplateList } from '#contract/messages/templates.ts';
import { createToken, getToken, listTokens, type Token } from '#contract/tokens.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { endFakes, fakeAct, fakeActs, fakeRequests } from '#tests/journeys/support/fake-acts.ts';
import { ask, newSender, signUp, textsIn, topUp } from '#tests/journeys/support/portal.ts';
import { approvedTemplate } from '#tests/support/channels/samples.ts';
import { test } from '#tests/support/gallery.ts';
import { press, write } from '#tests/journeys/support/steps.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const address = inject('product');

/** A number that always receives and reads, in the simulator. */
const PEER = '62800000001';

test('with the keyboard alone a template is written beside its preview, sent with the sample, and deleted', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Melati', phone: '6281355506101' });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone: '62813555061019' });
  const { open } = await person({ session: who.session });
  const { faults, look } = inspectionHere();
  const tab = await open('/token');
  await press(tab, tab.getByRole('link', { name: 'Templat', exact: true }));
  await tab.getByText('Tulis sekali, kirim dengan namanya').waitFor();
  await look(tab, 'no templates yet');
  await press(tab, tab.getByRole('link', { name: 'Tambah templat' }).last());
  await tab.getByRole('heading', { name: 'Templat baru', level: 1 }).waitFor();

  const save = tab.getByRole('button', { name: 'Simpan templat' });
  await press(tab, save);
  await tab.getByText('Tulis isi pesannya.').waitFor();
  await look(tab, 'a template left empty');
  await write(tab, tab.getByLabel('Nama templat'), 'pesanan_siap');
  await write(tab, tab.getByLabel('Judul (opsional)'), 'Pesanan siap');
  await write(tab, tab.getByLabel('Isi pesan'), 'Halo ');
  await press(tab, tab.getByRole('button', { name: 'Sisipkan {{1}}' }));
  await tab.keyboard.type(', pesanan {{2}} siap diambil.');
  await write(tab, tab.getByLabel('Catatan kaki (opsional)'), 'Toko Melati');
  await write(tab, tab.getByLabel('Tombol balasan (opsional)'), 'Saya ambil sore');
  const preview = tab.getByRole('list', { name: 'Pratinjau di ponsel penerima' });
  await preview.getByText('Halo {{1}}, pesanan {{2}} siap diambil.').waitFor();
  await write(tab, tab.getByLabel('{{1}}', { exact: true }), 'Bu Sri');
  await preview.getByText('Halo Bu Sri, pesanan {{2}} siap diambil.').waitFor();
  await preview.getByText('Saya ambil sore').waitFor();
  await look(tab, 'a template with its preview');
  await press(tab, save);

  const drawer = tab.getByRole('dialog', { name: 'pesanan_siap' });
  await drawer.getByText('Disetujui').waitFor();
  await write(tab, drawer.getByLabel('{{1}}', { exact: true }), 'Bu Sri');
  await look(tab, 'a template that was saved');
  const sample = await drawer.getByRole('region', { name: 'curl' }).innerText();
  const body = /-d '(.*)'$/.exec(sample)?.[1] ?? '';
  const sent = await fetch(`${address}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sender.key}`, 'content-type': 'application/json' },
    body,
  });
  expect(sent.status).toBe(202);
  await waitFor(async () =>
    (await textsIn(address, PEER)).includes('Halo Bu Sri, pesanan isi 2 siap diambil.'),
  );

  await press(tab, drawer.getByRole('button', { name: 'Hapus templat' }));
  await tab.getByRole('alertdialog').waitFor();
  await look(tab, 'deleting a template');
  await press(tab, tab.getByRole('button', { name: 'Hapus', exact: true }));
  await tab.getByText('Tulis sekali, kirim dengan namanya').waitFor();
  expect(faults).toEqual([]);
});

/** Shows templates as rejected, as Meta may do: the simulated channel approves all. */
const rejectTemplates = (tab: Page, reason: string) =>
  fakeRequests(tab, async ({ act }, real) => {
    if (act !== 'template_list') return undefined;
    const { result, ...rest } = (await real()) as { result: { data: object[] } };
    const data = result.data.map((one) => ({ ...one, status: 'rejected', reason }));
    return { json: { ...rest, result: { ...result, data } } };
  });

test('a rejected template says why; a taken name and an unreachable server say what to do', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Kamboja', phone: '6281355506102' });
  const promo = {
    name: 'promo_akhir_tahun',
    language: 'id',
    category: 'utility',
    body: 'Halo {{nama}}, diskon 30% sampai Sabtu.',
  } as const;
  const made = await ask(address, createTemplate, promo, who.session);
  const expects = [/status of (?:409|422)/];
  const { open } = await person({ session: who.session, width: 390, expects });
  const { faults, look } = inspectionHere();
  const tab = await open('/token');
  await fakeActs(tab, {
    template_list: () => ({ refused: 'our_fault', message: 'Ada kesalahan di pihak kami.' }),
  });
  await tab.getByRole('link', { name: 'Templat', exact: true }).click();
  await tab.getByRole('button', { name: 'Coba lagi' }).waitFor();
  await look(tab, 'templates that cannot be loaded');
  endFakes(tab);
  await rejectTemplates(tab, 'Isinya promosi, kategorinya Utilitas.');
  await tab.getByRole('button', { name: 'Coba lagi' }).click();
  await tab
    .getByRole('row', { name: /promo_akhir_tahun/ })
    .getByRole('button')
    .click();
  const drawer = tab.getByRole('dialog', { name: promo.name });
  await drawer.getByText('Isinya promosi, kategorinya Utilitas.', { exact: false }).waitFor();
  await look(tab, 'a template that was rejected');

  await tab.goto('/token/templat?view=new');
  await tab.getByLabel('Nama templat').fill(promo.name);
  await tab.getByLabel('Isi pesan').fill(promo.body);
  await tab.getByRole('button', { name: 'Simpan templat' }).click();
  await waitFor(() => tab.getByLabel('Nama templat').evaluate((one) => one.ariaInvalid === 'true'));
  await look(tab, 'a name that is taken');

  await fakeActs(tab, {
    template_list: () => ({
      list: Array.from({ length: 10 }, (_, n) => ({ ...made, name: `promo_${n}` })),
    }),
  });
  await tab.goto('/token/templat');
  await tab.getByText(/^Sudah ada 250 templat, batas untuk satu akun\. Hapus/).waitFor();
  expect(await tab.getByRole('button', { name: 'Tambah templat' }).isDisabled()).toBe(true);
  await look(tab, 'templates at their limit');
  await tab.goto('/token/templat?view=new');
  await tab.getByText(/^Sudah ada 250 templat/).waitFor();
  expect(await tab.getByLabel('Nama templat').count()).toBe(0);
  expect(faults).toEqual([]);
});

test('the Cloud API composer explains the 24 hours first, and reads new templates from Meta', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Cempaka', phone: '6281355592003' });
  const make = async (name: string, channel: 'cloud' | 'simulator', phone: string) => {
    const { token } = await ask(address, createToken, { name, channel }, who.session);
    return { ...token, status: 'linked', phone } satisfies Token;
  };
  const trial = await make('Uji coba', 'simulator', '62813555920039');
  const official = await make('Gudang', 'cloud', '6281227001180');
  const { open } = await person({ session: who.session, expects: [/status of 422/] });
  const { faults, look } = inspectionHere();
  const tab = await open();
  const templates = [approvedTemplate('hello_world')];
  await fakeActs(tab, {
    ...fakeAct(listTokens, () => ({ list: [trial, official] })),
    ...fakeAct(getToken, ({ token_id: id }) => (id === trial.id ? trial : official)),
    ...fakeAct(listTemplates, () => ({ list: templates })),
    ...fakeAct(syncTemplateList, () => {
      templates.push(approvedTemplate('pesanan_siap'));
      return {};
    }),
  });
  await tab.goto('/message-history');
  await tab.getByRole('button', { name: 'Kirim pesan' }).first().click();
  const dialog = tab.getByRole('dialog', { name: 'Kirim pesan' });
  const hint = dialog.getByText('teks bebas hanya sampai kepada orang', { exact: false });
  await dialog.getByLabel('Dari nomor').selectOption(trial.id);
  expect(await hint.count()).toBe(0);
  await dialog.getByLabel('Dari nomor').selectOption(official.id);
  await hint.waitFor();
  await look(tab, 'a message by the Cloud API');
  await dialog.getByRole('link', { name: 'Lihat templat' }).click();

  await tab.getByRole('row', { name: /hello_world/ }).waitFor();
  const renew = tab.getByRole('button', { name: 'Perbarui dari Meta' });
  await renew.click();
  await tab.getByText('Templat diperbarui dari Meta.').waitFor();
  await tab.getByRole('row', { name: /pesanan_siap/ }).waitFor();

  const message = 'Meta tidak dapat dihubungi. Coba lagi sebentar lagi.';
  await fakeActs(
    tab,
    fakeAct(syncTemplateList, () => ({ refused: 'cloud_unreachable', message })),
  );
  await renew.click();
  await tab.getByRole('main').getByText(message).waitFor();
  await look(tab, 'templates that Meta did not tell of');
  expect(faults).toEqual([]);
});
