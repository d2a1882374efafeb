import { expect } from 'vitest';
import { test, webCustomer } from '#tests/support/channels/web-network.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a phone that reads the QR of the network becomes the token’s, and is told so', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, beginLink, readLink } = await openNetwork();
  const worker = await startWorker();
  const link = await beginLink(ani);
  const { qr } = await waitFor(async () => {
    const scan = await readLink(link);
    return scan.qr !== null && scan;
  });
  expect(qr?.text).toMatch(/^https:\/\/wa\.me\/settings\/linked_devices#/);
  expect(qr?.pairing_code).toBeNull();
  expect(standIn.scan(qr!.text, '6281200000001')).toBe(true);

  await waitFor(async () => (await readLink(link)).state === 'connected');
  await waitFor(() => standIn.openPhones().includes('6281200000001'));
  expect(await sql`select status, phone from tokens where token_id = ${ani.tokenId}`).toEqual([
    { status: 'linked', phone: '6281200000001' },
  ]);
  await waitFor(async () =>
    expect(await sql`select state, qr from web_sessions`).toEqual([{ state: 'linked', qr: null }]),
  );
  expect(worker.reported).toEqual([]);
});

test('a client that WhatsApp no longer takes ends the link, and its page says so', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, beginLink, readLink } = await openNetwork();
  standIn.refuseWith(405);
  const { reported } = await startWorker();
  const link = await beginLink(ani);
  await waitFor(async () => (await readLink(link)).state === 'failed');
  await waitFor(async () => expect(await sql`select * from web_sessions`).toEqual([]));
  expect(await readLink(link)).toMatchObject({ failure: 'outdated' });
  expect(await sql`select code from provider_answers`).toEqual([{ code: 'close_405' }]);
  expect(reported).toEqual([]);
});

test('a number that needs a passkey ends the link at once, which says what to do', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, beginLink, readLink } = await openNetwork();
  const { reported } = await startWorker();
  standIn.askForPasskeys();
  const link = await beginLink(ani);
  const qr = await waitFor(async () => (await readLink(link)).qr ?? false);
  expect(standIn.scan(qr.text, '6281200000001')).toBe(true);
  await waitFor(async () =>
    expect(await readLink(link)).toMatchObject({ state: 'failed', failure: 'passkey' }),
  );
  await waitFor(async () => expect(await sql`select * from web_sessions`).toEqual([]));
  expect(await sql`select code from provider_answers`).toEqual([{ code: 'passkey' }]);
  expect(reported).toEqual([]);
});

test('who cannot scan types a code that the network made for their number', async ({
  openNetwork,
}) => {
  const { ani, standIn, startWorker, beginLink, readLink } = await openNetwork();
  await startWorker();
  const link = await beginLink(ani, '6281200000001');
  const { qr } = await waitFor(async () => {
    const scan = await readLink(link);
    return typeof scan.qr?.pairing_code === 'string' && scan;
  });
  expect(standIn.scan(qr!.pairing_code!, '6281200000001')).toBe(true);
  await waitFor(async () => (await readLink(link)).state === 'connected');
});

test('only the browser that agreed sees the QR of the network', async ({ openNetwork }) => {
  const { ani, startWorker, beginLink, readLink } = await openNetwork();
  await startWorker();
  const link = await beginLink(ani);
  await waitFor(async () => (await readLink(link)).qr !== null);
  await expect(readLink({ ...link, nonce: 'x'.repeat(43) })).rejects.toMatchObject({
    code: 'link_gone',
  });
});

test('when the QRs of a connection are used up, the next ones come by themselves', async ({
  openNetwork,
}) => {
  const { ani, standIn, startWorker, beginLink, readLink } = await openNetwork();
  await startWorker();
  const link = await beginLink(ani);
  const first = await waitFor(async () => (await readLink(link)).qr ?? false);
  standIn.endQrs();
  const next = await waitFor(async () => {
    const { qr } = await readLink(link);
    return qr !== null && qr.text !== first.text && qr;
  });
  expect(standIn.scan(next.text, '6281200000001')).toBe(true);
  await waitFor(async () => (await readLink(link)).state === 'connected');
});

test('a phone of another token is logged out again, and the link says that it failed', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, link, beginLink, readLink } = await openNetwork();
  await startWorker();
  await link(ani, '6281200000001');
  const budi = await webCustomer(sql);
  const second = await beginLink(budi);
  const qr = await waitFor(async () => (await readLink(second)).qr ?? false);
  standIn.scan(qr.text, '6281200000001');
  await waitFor(async () =>
    expect(await readLink(second)).toMatchObject({ state: 'failed', failure: 'phone_taken' }),
  );
  await waitFor(() => expect(standIn.loggedOut).toEqual(['6281200000001']));
  await waitFor(async () =>
    expect(await sql`select account_id from web_sessions`).toEqual([{ account_id: ani.accountId }]),
  );
  expect(await sql`select status from tokens where token_id = ${budi.tokenId}`).toEqual([
    { status: 'linking' },
  ]);
});

test('a link whose worker closes is shown by the next one', async ({ openNetwork }) => {
  const { ani, standIn, startWorker, beginLink, readLink } = await openNetwork();
  const first = await startWorker();
  const link = await beginLink(ani);
  const before = await waitFor(async () => (await readLink(link)).qr ?? false);
  await first.channel.close();
  await startWorker();
  const qr = await waitFor(async () => {
    const shown = (await readLink(link)).qr;
    return shown !== null && shown.text !== before.text && shown;
  });
  expect(standIn.scan(qr.text, '6281200000001')).toBe(true);
  await waitFor(async () => (await readLink(link)).state === 'connected');
});
