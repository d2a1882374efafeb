import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { inspectionHere } from '#tests/support/one-look.ts';
import type { Look } from './browser/axe.ts';
import { setUpJourney } from './support/stage.ts';
import { arrivesAt, fillLogin } from './support/steps.ts';

const journey = setUpJourney({ SIMULATOR_SPEED: '0', OPERATOR_SECOND_FACTOR: 'required' });

/**
 * A security key that approves everything. It vanishes when another debugger session ends (axe).
 */
async function withKey(tab: Page): Promise<void> {
  const devtools = await tab.context().newCDPSession(tab);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/**
 * The code of an authenticator app, `steps` half minutes from now. One step off is accepted: the codes of now and the
 * next step stay valid if the half minute ends meanwhile.
 */
const codeOf = (secret: string, steps: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  });

async function signOut(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: 'Keluar' }).first().click();
  await arrivesAt(tab, '/auth/login');
}

journey('an operator sets up two factors, and signs in with each', async (stage) => {
  const { address, operator } = stage.product;
  // Requests that a page still sends while its session ends are refused.
  const { open } = await stage.person({ expects: [/status of 400/] });
  const { faults, look } = inspectionHere();
  const tab = await open('/auth/login');
  await fillLogin(tab, operator);

  // No other page is available until one is set up.
  await tab.getByText('Instalasi ini mewajibkannya bagi setiap operator').waitFor();
  expect(await tab.getByRole('navigation').count()).toBe(0);
  await look(tab, 'before one is set up');
  const { secret, codes } = await setUpApp(tab, look);
  await tab.getByRole('link', { name: 'Keamanan' }).first().waitFor();

  await signOut(tab);
  await fillLogin(tab, operator);
  await tab.getByRole('heading', { name: 'Verifikasi dua langkah' }).waitFor();
  await look(tab, 'the step after the password');
  // A different code than before: each works once.
  await tab.getByLabel('Kode autentikator').fill(codeOf(secret, 1));
  await arrivesAt(tab, '/operator');

  await withKey(tab);
  await tab.getByRole('link', { name: 'Keamanan' }).first().click();
  await tab.getByRole('button', { name: 'Tambah passkey' }).click();
  const naming = tab.getByRole('dialog', { name: 'Tambah passkey' });
  await naming.getByLabel('Nama passkey').fill('Laptop kantor');
  await naming.getByRole('button', { name: 'Lanjutkan' }).click();
  await tab.getByRole('list', { name: 'Passkey Anda' }).getByText('Laptop kantor').waitFor();
  await signOut(tab);
  await fillLogin(tab, operator);
  await tab.getByRole('button', { name: 'Pakai passkey' }).click();
  await arrivesAt(tab, '/operator');

  await signOut(tab);
  await fillLogin(tab, operator);
  await tab.getByRole('button', { name: 'Pakai kode cadangan' }).click();
  await tab.getByLabel('Kode cadangan').fill(codes[0] ?? '');
  await tab.getByRole('button', { name: 'Verifikasi' }).click();
  await arrivesAt(tab, '/operator');
  await tab.goto(`${address}/operator/keamanan`);
  await tab.getByText(/Tersisa 9 dari 10 kode/).waitFor();
  await look(tab, 'with both');
  expect(faults).toEqual([]);
});

async function setUpApp(tab: Page, look: Look): Promise<{ secret: string; codes: string[] }> {
  await tab.getByRole('button', { name: 'Pasang aplikasi autentikator' }).click();
  const setup = tab.getByRole('dialog', { name: 'Pasang aplikasi autentikator' });
  await setup.getByRole('img', { name: 'QR untuk aplikasi autentikator' }).waitFor();
  const shown = await setup.getByRole('status').first().textContent();
  const secret = (shown ?? '').replaceAll(' ', '');
  await look(tab, 'the secret');
  // The field has the focus; an Enter after the last digit must not close codes that are shown only once.
  await tab.keyboard.type(codeOf(secret, 0));
  const saved = tab.getByRole('dialog', { name: 'Simpan kode cadangan Anda' });
  await saved.waitFor();
  await tab.keyboard.press('Enter');
  await tab.keyboard.press('Escape');
  await tab.getByRole('alertdialog').getByRole('button', { name: 'Lihat lagi' }).click();
  const codes = await saved.getByRole('listitem').allTextContents();
  expect(codes).toHaveLength(10);
  await look(tab, 'the recovery codes');
  await saved.getByRole('button', { name: 'Sudah saya simpan' }).click();
  return { secret, codes };
}
