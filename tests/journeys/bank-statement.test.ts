import sharp from 'sharp';
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { formatRupiah } from '#contract/base/money.ts';
import { createTopup, getTopup, uploadTransferProof } from '#contract/saldo.ts';
import { saldoSummary } from '#contract/saldo-summary.ts';
import { civilDate } from '#contract/base/time.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { ask, signIn, signUp, uploadSlip } from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';
import { arrivesAt } from './support/steps.ts';

const journey = setUpSharedJourney();

async function slipOf(address: string, session: string): Promise<string> {
  const bytes = await sharp({
    create: { width: 300, height: 500, channels: 3, background: '#dfe8ff' },
  })
    .jpeg()
    .toBuffer();
  return uploadSlip(address, session, bytes);
}

function bca(...credits: readonly (readonly [string, number])[]): string {
  const [year, month, day] = civilDate(new Date()).split('-');
  let balance = 1_000_000;
  return [
    '"Account No.","=","\'8800123456"',
    `"Period","=","01/${month}/${year} - ${day}/${month}/${year}"`,
    '"Date","Description","Branch","Amount","","Balance"',
    ...credits.map(([who, amount]) => {
      balance += amount;
      return `"'${day}/${month}","TRSF E-BANKING CR ${who}","'0000","${amount}.00","CR","${balance}.00"`;
    }),
    `"'${day}/${month}","BIAYA ADM","'0000","6500.00","DB","${balance - 6_500}.00"`,
    '"PEND","TRSF E-BANKING CR BESOK","\'0000","1.00","CR",""',
    '',
  ].join('\n');
}

const choose = (tab: Page, text: string) =>
  tab.locator('input[type="file"]').setInputFiles({
    name: 'mutasi.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(text),
  });

journey(
  'a statement pays the top-up with a slip, and leaves the rest to an operator',
  async (stage) => {
    const { address, operator } = stage.product;
    const who = await signUp(address, { name: 'Warung Melati', phone: '6281355506001' });
    const topup = await ask(address, createTopup, { amount: 150_000 }, who.session);
    const other = await ask(address, createTopup, { amount: 410_000 }, who.session);
    const upload = await slipOf(address, who.session);
    const proven = await ask(
      address,
      uploadTransferProof,
      { topup_id: topup.id, upload },
      who.session,
    );
    expect(proven.proof?.file_id).toMatch(/^fil_/);
    const before = await ask(address, saldoSummary, {}, who.session);
    const shop = await stage.person({ session: who.session });
    const saldo = await shop.open('/saldo');
    await saldo.getByText(formatRupiah(before.available)).first().waitFor();

    const session = await signIn(address, operator);
    const { open } = await stage.person({ session });
    const tab = await open('/operator');
    const { faults, look } = inspectionHere();
    await tab.getByRole('link', { name: 'Isi saldo' }).first().click();
    await arrivesAt(tab, '/operator/isi-saldo');
    const rows = tab.getByRole('row', { name: /Warung Melati/ });
    await rows.first().getByText('Ada', { exact: true }).waitFor();
    await rows.first().getByRole('button').click();
    const drawer = tab.getByRole('dialog', { name: 'Warung Melati' });
    await drawer.getByText(formatRupiah(topup.total)).first().waitFor();
    const picture = drawer.getByRole('img', { name: 'Bukti transfer' });
    await picture.first().waitFor();
    await look(tab, 'a top-up with its slip');
    await tab.keyboard.press('Escape');

    await tab.getByRole('link', { name: 'Mutasi bank' }).click();
    await arrivesAt(tab, '/operator/mutasi-bank');
    await tab.getByText('Tidak ada mutasi yang menunggu').waitFor();
    await look(tab, 'no bank lines');
    await tab.getByRole('link', { name: 'Impor mutasi' }).click();
    await arrivesAt(tab, '/operator/mutasi-bank/impor');
    await tab.getByText('Berkas mutasi').first().waitFor();
    const statement = bca(['ANI', topup.total], ['LUPA KODE', other.base]);
    await choose(tab, statement);
    await tab.getByRole('heading', { name: 'Yang akan terjadi' }).waitFor();
    const lines = tab.getByRole('table', { name: 'Isi berkas mutasi' });
    await lines.getByText('Membayar isi saldo').waitFor();
    await lines.getByText('Mirip isi saldo').waitFor();
    await lines.getByText(formatRupiah(-6_500)).waitFor();
    await look(tab, 'a statement before it is imported');
    const fields = { topup_id: topup.id };
    expect((await ask(address, getTopup, fields, who.session)).status).toBe('pending');
    await tab.getByRole('button', { name: 'Impor mutasi ini' }).click();
    await tab.getByText(/^1 isi saldo lunas/).waitFor();
    await look(tab, 'a statement that was imported');

    const after = formatRupiah(before.available + topup.credited);
    await saldo.getByText(after).first().waitFor();
    expect((await ask(address, getTopup, fields, who.session)).status).toBe('paid');

    await tab.getByRole('link', { name: 'Lihat yang belum cocok' }).click();
    const line = tab.getByRole('row', { name: /LUPA KODE/ });
    await line.getByRole('button').click();
    const settling = tab.getByRole('dialog', { name: 'Mutasi bank' });
    await settling.getByRole('button', { name: 'Cocokkan' }).click();
    await settling.getByText('Tulis alasannya.').waitFor();
    await look(tab, 'a bank line to match, with mistakes');
    await settling.getByLabel('Alasan').fill('Lupa menambahkan kode unik');
    await settling.getByRole('button', { name: 'Cocokkan' }).click();
    await tab.getByRole('alertdialog').getByRole('button', { name: 'Cocokkan' }).click();
    await tab.getByText('Mutasi dicocokkan.', { exact: false }).first().waitFor();
    await tab.getByText('Tidak ada mutasi yang menunggu').waitFor();
    await saldo
      .getByText(formatRupiah(before.available + topup.credited + other.base))
      .first()
      .waitFor();

    // Other journeys have lines too: by its amount it is on the first page.
    const paid = await open(`/operator/mutasi-bank?filter=semua&amount=${other.base}`);
    await paid
      .getByRole('row', { name: /LUPA KODE/ })
      .getByRole('button')
      .click();
    await paid.getByRole('dialog').getByRole('link', { name: 'Warung Melati' }).click();
    await arrivesAt(paid, '/operator/isi-saldo');
    await paid.getByRole('dialog', { name: 'Warung Melati' }).waitFor();
    await paid.close();

    await tab.getByRole('link', { name: 'Impor mutasi' }).click();
    await choose(tab, statement);
    await tab.getByText('Tidak ada yang baru di berkas ini.', { exact: false }).waitFor();
    await tab.setViewportSize({ width: 390, height: 844 });
    await look(tab, 'an import on a phone');
    const over = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(over).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
  },
);
