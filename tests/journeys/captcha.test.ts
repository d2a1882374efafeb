import { afterAll, expect } from 'vitest';
import { startFakeCaptcha, SECRET_KEY, SITE_KEY } from '#tests/support/app/fake-captcha.ts';
import { faultsHere } from '#tests/support/one-look.ts';
import { codeFor, PASSWORD } from './support/portal.ts';
import { setUpJourney } from './support/stage.ts';
import { arrivesAt, fillLogin, fillRegistration } from './support/steps.ts';

const provider = await startFakeCaptcha('turnstile');
afterAll(provider.close);

const journey = setUpJourney(
  {
    SIMULATOR_SPEED: '0',
    CAPTCHA_PROVIDER: 'turnstile',
    CAPTCHA_SITE_KEY: SITE_KEY,
    CAPTCHA_SECRET_KEY: SECRET_KEY,
    CAPTCHA_VERIFY_URL: provider.verifyUrl,
    CAPTCHA_SCRIPT_URL: provider.scriptUrl,
  },
  'whole',
);

journey('registering and signing in work with an external captcha', async (stage) => {
  const { address } = stage.product;
  const phone = '6281355504001';
  const { open, context } = await stage.person({ expects: [/status of 401/] });
  const scripts: string[] = [];
  context.on('request', (request) => {
    if (request.url().startsWith(provider.scriptUrl)) scripts.push(request.url());
  });
  const tab = await open('/auth/register');
  await tab.getByRole('button', { name: 'Daftar', exact: true }).waitFor();
  // No script of another host loads before the person begins.
  expect(scripts).toEqual([]);
  const solve = () => tab.frameLocator('iframe[title=Captcha]').getByLabel('Saya manusia').check();
  // The widget moves the button below it: a click at that moment misses.
  const appeared = () => tab.getByText('Selesaikan pemeriksaan keamanan di atas.').waitFor();
  await tab.getByLabel('Nama Anda atau nama usaha').focus();
  await appeared();
  expect(await faultsHere(tab, 'a captcha from elsewhere')).toEqual([]);
  await solve();
  await tab.getByText('Aman', { exact: true }).waitFor();
  await fillRegistration(tab, { name: 'Toko Kain Lurik', phone });
  await tab.getByLabel('Kode verifikasi').fill(await codeFor(address, phone));
  await tab.getByRole('button', { name: 'Keluar' }).click();
  await arrivesAt(tab, '/auth/login');

  // Submitted before it was solved: it waits; after a refusal there is another one to solve.
  await tab.getByLabel('Nomor ponsel').focus();
  await appeared();
  await fillLogin(tab, { phone, password: 'bukan kata sandinya' });
  await solve();
  await tab.getByText('Nomor atau kata sandi tidak cocok. Periksa lalu coba lagi.').waitFor();
  await fillLogin(tab, { phone, password: PASSWORD });
  await solve();
  await tab.getByRole('heading', { name: 'Beranda' }).waitFor();
  expect(scripts.length).toBeGreaterThan(0);
  const sent = provider.asked.map((form) => form.get('response'));
  expect(new Set(sent).size).toBe(sent.length);
  expect(sent).toHaveLength(3);
});
