import { expect } from 'vitest';
import { createTopup, getTopup } from '#contract/saldo.ts';
import { saldoSummary } from '#contract/saldo-summary.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { ask, signIn, signUp } from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';
import { arrivesAt } from './support/steps.ts';

const journey = setUpSharedJourney();

journey(
  'the operator, with their own profile, confirms a top-up, and the customer sees it',
  async (stage) => {
    const { address, operator } = stage.product;
    const who = await signUp(address, { name: 'Kopi Lereng', phone: '6281355517001' });
    const topup = await ask(address, createTopup, { amount: 150_000 }, who.session);
    const before = await ask(address, saldoSummary, {}, who.session);
    const shop = await stage.person({ session: who.session });
    const waiting = await shop.open(`/saldo?open=${topup.id}`);
    await waiting.getByText('Menunggu pembayaran').first().waitFor();

    const session = await signIn(address, operator);
    const { open } = await stage.person({ session });
    const { faults, look } = inspectionHere();
    const tab = await open('/operator');

    // Their profile, like everything else, omits the parts for customers.
    await tab.getByRole('link', { name: /^Profil / }).click();
    await arrivesAt(tab, '/profile');
    await tab.getByRole('heading', { name: 'Kata sandi' }).waitFor();
    for (const name of ['Data saya', 'Hapus akun', 'Pemberitahuan']) {
      expect(await tab.getByRole('heading', { name, exact: true }).count()).toBe(0);
    }
    await tab.goto(`${address}/saldo`);
    await arrivesAt(tab, '/operator');

    await tab.getByRole('link', { name: 'Isi saldo', exact: true }).click();
    // A top-up without a slip waits for its customer: the list shows it by its status.
    await tab.getByLabel('Status', { exact: true }).selectOption({ label: 'Menunggu pembayaran' });
    const row = tab.getByRole('row', { name: /Kopi Lereng/ });
    await row.waitFor();
    await look(tab, 'top-ups');
    await row.getByRole('button').click();
    const drawer = tab.getByRole('dialog', { name: 'Kopi Lereng' });
    await drawer.getByRole('button', { name: 'Konfirmasi' }).click();
    await drawer.getByText('Tulis alasannya.').waitFor();
    await look(tab, 'a top-up to decide, with mistakes');
    expect(faults).toEqual([]);
    await drawer.getByLabel('Referensi mutasi bank').fill('BCA 21/11 0917 KOPI LERENG');
    await drawer.getByLabel('Alasan').fill('Transfer terlihat di rekening');
    await drawer.getByRole('button', { name: 'Konfirmasi' }).click();
    await tab.getByRole('alertdialog').getByRole('button', { name: 'Konfirmasi' }).click();
    await tab.getByText('Isi saldo dikonfirmasi.', { exact: true }).waitFor();
    await drawer.getByText('Lunas').first().waitFor();

    await waiting.getByText('Lunas', { exact: true }).first().waitFor();
    const fields = { topup_id: topup.id };
    expect((await ask(address, getTopup, fields, who.session)).status).toBe('paid');
    await waitFor(async () =>
      expect((await ask(address, saldoSummary, {}, who.session)).available).toBe(
        before.available + topup.credited,
      ),
    );
  },
);
