import { expect } from 'vitest';
import { inspectionHere } from '#tests/support/one-look.ts';
import { codeFor, forNewBrowser, signIn } from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';
import { arrivesAt, fillLogin } from './support/steps.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const journey = setUpSharedJourney();

journey(
  'an admin invites an operator, who signs in with a code; the audit log records it',
  async (stage) => {
    const { address, operator } = stage.product;
    const session = await signIn(address, operator);
    const { open } = await stage.person({ session });
    const { faults, look } = inspectionHere();
    const tab = await open('/operator');
    await tab.getByRole('link', { name: 'Operator', exact: true }).click();
    await tab.getByRole('row', { name: /Kabari/ }).waitFor();
    await look(tab, 'operators');
    await tab.getByRole('button', { name: 'Undang operator' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Undang operator' });
    await dialog.getByLabel('Nama').fill('Rina');
    await dialog.getByLabel('Nomor ponsel').fill('0813-5551-8001');
    await dialog.getByLabel('Uang').check();
    await look(tab, 'an invitation');
    await dialog.getByRole('button', { name: 'Undang' }).click();
    const slip = tab.getByRole('dialog', { name: 'Undangan untuk Rina' });
    await slip.getByText(/hanya ditampilkan sekali/).waitFor();
    await look(tab, 'the password to hand over');
    const password = (await slip.getByLabel('Kata sandi sekali pakai').innerText()).trim();
    await slip.getByRole('button', { name: 'Selesai' }).click();
    await tab.getByRole('row', { name: /Rina.*Diundang/ }).waitFor();

    const other = await stage.person({ expects: [/status of 401/] });
    const rina = await other.open('/auth/login');
    await fillLogin(rina, { phone: '6281355518001', password });
    const code = await codeFor(address, '6281355518001', forNewBrowser);
    await rina.getByLabel('Kode verifikasi').fill(code);
    await arrivesAt(rina, '/operator');
    await rina.getByRole('link', { name: 'Isi saldo', exact: true }).waitFor();
    expect(await rina.getByRole('link', { name: 'Catatan audit' }).count()).toBe(0);

    await tab.reload();
    await tab.getByRole('row', { name: /Rina/ }).getByRole('button').click();
    const drawer = tab.getByRole('dialog', { name: 'Rina' });
    await drawer.getByRole('button', { name: 'Keluarkan' }).waitFor();
    await look(tab, 'an operator');
    await drawer.getByRole('button', { name: 'Keluarkan' }).click();
    await tab.getByRole('alertdialog').getByRole('button', { name: 'Keluarkan' }).click();
    await tab.getByText('Rina sudah dikeluarkan.', { exact: true }).waitFor();
    await rina.goto(`${address}/operator`);
    await arrivesAt(rina, '/auth/login');

    await tab.getByRole('link', { name: 'Catatan audit' }).click();
    await tab.getByRole('row', { name: /Mengeluarkan operator.*Rina/ }).waitFor();
    await tab.getByRole('row', { name: /Memasukkan kode verifikasi.*Rina/ }).waitFor();
    await tab.getByRole('button', { name: 'Periksa sekarang' }).click();
    await tab.getByText(/^Rantai utuh sampai/).waitFor();
    await look(tab, 'the audit log');
    await tab
      .getByRole('row', { name: /Mengundang operator/ })
      .getByRole('button')
      .click();
    await tab.getByRole('dialog', { name: 'Mengundang operator' }).getByText('SHA-256').waitFor();
    await look(tab, 'a line of the audit log');
    await tab.getByRole('button', { name: 'Semua catatan orang ini' }).click();
    await waitFor(() => expect(new URL(tab.url()).searchParams.get('user')).toMatch(/^usr_/));
    const download = tab.waitForEvent('download');
    await tab.getByRole('button', { name: 'Unduh CSV' }).click();
    expect((await download).suggestedFilename()).toBe('catatan-audit.csv');
    expect(faults).toEqual([]);
  },
);
