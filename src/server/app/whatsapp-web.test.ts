import { expect } from 'vitest';
import { signedIn, test } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const env = { CHANNEL_WEB: 'on', WEB_ENGINE: 'stand-in' };
const PHONE = '6285711112222';

test('links a number at /scan, sends through the API, and shows the message as read', async ({
  db,
  openApp,
}) => {
  const { ask, app } = await openApp({ works: true, env });
  const { token } = await signedIn(db, { saldo: 1_000 });
  const made = await ask('token_create', { token, name: 'Toko', channel: 'web' });
  const { key, token: sender } = made.body.data;
  const linked = await ask('token_link', { token, token_id: sender.id });
  const data = String(linked.body.data.path).split('/').at(-1);
  const { nonce } = (await ask('scan_consent', { data, phone: PHONE })).body.data;
  const scan = async () => (await ask('scan_get', { data, nonce })).body.data;
  const { qr } = await waitFor(async () => {
    const shown = await scan();
    return shown.qr !== null && shown.qr.pairing_code !== null && shown;
  });
  expect(qr.text).toContain('https://wa.me/settings/linked_devices#');
  // The owner types the code instead of scanning the QR.
  const scanned = await ask('simulator_scan', { phone: PHONE, text: qr.pairing_code });
  expect(scanned.status).toBe(200);
  await waitFor(async () => expect((await scan()).state).toBe('connected'));

  const authorization = `Bearer ${key}`;
  const accepted = await app.inject({
    method: 'POST',
    url: '/v1/messages',
    headers: { authorization },
    payload: { to: '6281299990000', text: { body: 'Halo' } },
  });
  expect(accepted.statusCode).toBe(202);
  const { id } = accepted.json();
  await waitFor(async () => {
    const seen = await ask('message_get', { token, message_id: id });
    expect(seen.body.data.status).toBe('read');
  });

  // Unlinking in the portal logs it out of the network.
  await ask('token_unlink', { token, token_id: sender.id });
  await waitFor(async () =>
    expect(await db.allAccountsSql`select * from web_sessions`).toEqual([]),
  );
});
