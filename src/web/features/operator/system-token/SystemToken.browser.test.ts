import { expect } from 'vitest';
import type { CloudConnection } from '#contract/channels.ts';
import {
  connectSystemToken,
  getSystemToken,
  moveSystemToken,
  type SystemToken,
} from '#contract/operator/settings.ts';
import { fakeAct } from '#tests/journeys/support/fake-acts.ts';
import { press, write } from '#tests/journeys/support/steps.ts';
import { test } from '#tests/support/gallery.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { openAsOperator } from '#tests/journeys/support/operator-page.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const simulated: SystemToken = {
  status: 'linked',
  channel: 'simulator',
  parted: null,
  others: ['cloud'],
  phone: '+62 812-••••-0000',
  cloud: null,
  code_template: null,
  today: { waiting: 0, sent: 12, delivered: 11, read: 7, failed: 1, expired: 0 },
  failures: [],
  codes: { asked: 9, entered: 8, fullest: 4, cap: 5_000 },
  address: { asked: 2, cap: 100 },
  last: [],
  own_phone: '+62 813-••••-1234',
};

const cloud: CloudConnection = {
  phone_number_id: '106540352242922',
  waba_id: '102290129340398',
  verified_name: 'Kabari',
  quality: 'GREEN',
  callback_url: 'https://kabari.example/callbacks/cloud/x',
  verify_token: 'x',
  verified_at: null,
  called_back_at: null,
};

const ACCESS = 'EAAJB-access-token-of-the-system-user';
const SECRET = '0123456789abcdef0123456789abcdef';

test('an operator moves the system token to the Cloud API, and sees what codes still lack', async ({
  person,
}) => {
  let token = simulated;
  let isApproved = false;
  const tab = await openAsOperator(
    person,
    '/operator/token',
    {
      ...fakeAct(getSystemToken, () => token),
      ...fakeAct(moveSystemToken, () => {
        token = { ...token, status: 'unlinked', channel: 'cloud', phone: null };
        return token;
      }),
      ...fakeAct(connectSystemToken, ({ phone_number_id, access_token, app_secret }) => {
        expect({ phone_number_id, access_token, app_secret }).toEqual({
          phone_number_id: cloud.phone_number_id,
          access_token: ACCESS,
          app_secret: SECRET,
        });
        const template = isApproved ? { name: 'kode_masuk', language: 'id' } : null;
        token = { ...token, status: 'linked', phone: '+62 811-••••-0001', cloud };
        token = { ...token, code_template: template };
        return token;
      }),
    },
    { width: 390 },
  );
  const { faults, look } = inspectionHere();
  await tab.getByRole('button', { name: 'Pindah kanal' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Pindah kanal token sistem' });
  await dialog.getByRole('radio', { name: 'WhatsApp Cloud API' }).check();
  await dialog
    .getByText('Lewat Cloud API kode dikirim sebagai templat', { exact: false })
    .waitFor();
  await look(tab, 'moving the system token');
  await dialog.getByRole('button', { name: 'Pindahkan' }).click();
  const field = (label: string) => tab.getByLabel(label, { exact: true });
  await field('Phone number ID').waitFor();
  await look(tab, 'the system token without its number');
  await write(tab, field('Phone number ID'), cloud.phone_number_id);
  await write(tab, field('WhatsApp Business Account ID'), cloud.waba_id);
  await write(tab, field('Access token'), ACCESS);
  await write(tab, field('App secret'), SECRET);
  await press(tab, tab.getByRole('button', { name: 'Sambungkan nomor' }));
  await tab
    .getByText('Belum ada templat autentikasi yang disetujui Meta', { exact: false })
    .waitFor();
  await look(tab, 'a system token that cannot send codes');

  isApproved = true;
  await tab.getByRole('button', { name: 'Masukkan access token baru' }).click();
  await write(tab, field('Access token'), ACCESS);
  await write(tab, field('App secret'), SECRET);
  await press(tab, tab.getByRole('button', { name: 'Simpan dan sambungkan' }));
  await tab.getByText('kode_masuk').waitFor();
  // A notice, or the page's head, may cover a part of a button.
  const notices = tab.getByRole('region', { name: /^Pemberitahuan/ }).getByRole('button');
  await waitFor(async () => {
    await notices.evaluateAll((all) => all.forEach((one) => (one as HTMLElement).click()));
    expect(await notices.count()).toBe(0);
  });
  await tab.evaluate(() => scrollTo(0, 0));
  await look(tab, 'a system token that sends codes');
  expect(faults).toEqual([]);
});
