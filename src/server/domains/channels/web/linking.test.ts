import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { ago } from '#tests/support/database/changes.ts';
import { changeWebSessions, test, webCustomer } from '#tests/support/channels/web-network.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { createSql, runnerOf, type Runner, type Sql } from '#server/infra/postgres/database.ts';

const PHONE = '6281200000001';

const withTransactions = (sql: Sql, transact: Runner['transact']) =>
  createSql({ ...runnerOf(sql), transact });

test('links a phone that reads the network’s QR to the token, and reports it', async ({
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

test('ends the link when WhatsApp no longer accepts the client, and shows it on the page', async ({
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

test('ends the link at once, with instructions, when the number needs a passkey', async ({
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

test('links by a code that the network made for the number, instead of a scan', async ({
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

test('shows the network’s QR only to the browser that agreed', async ({ openNetwork }) => {
  const { ani, startWorker, beginLink, readLink } = await openNetwork();
  await startWorker();
  const link = await beginLink(ani);
  await waitFor(async () => (await readLink(link)).qr !== null);
  await expect(readLink({ ...link, nonce: 'x'.repeat(43) })).rejects.toMatchObject({
    code: 'link_gone',
  });
});

test('shows the next QRs by itself when those of a connection are used up', async ({
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

test('logs out a phone of another token, and reports that the link failed', async ({
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

test('the next worker shows a link whose worker closes', async ({ openNetwork }) => {
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

test('a phone that pairs while its worker looks for links stays paired', async ({
  sql,
  openNetwork,
}) => {
  const { ani, startWorker, link, standIn } = await openNetwork();
  // Each transaction is committed several looks before its worker continues.
  const late = withTransactions(sql, async (work, options) => {
    const result = await runnerOf(sql).transact(work, options);
    await setTimeout(150);
    return result;
  });
  const { reported } = await startWorker({ through: late });
  await link(ani, PHONE);
  expect(standIn.loggedOut).toEqual([]);
  expect(reported).toEqual([]);
});

const failures = ['before its commit', 'after its commit'].flatMap((when) =>
  [1, 2, 3, 4, 5, 6].flatMap((nth) => [1, 4].map((times) => ({ when, nth, times }))),
);

test.for(failures)(
  'a phone is connected although $times transactions from $nth after its scan on fail $when',
  async ({ when, nth, times }, { sql, openNetwork }) => {
    const { ani, startWorker, link, standIn } = await openNetwork({ qrMs: 1_000 });
    let left = Infinity;
    const failing = withTransactions(sql, async (work, options) => {
      left -= 1;
      const fails = left <= 0 && left > -times;
      const result = await runnerOf(sql).transact(async (tx) => {
        const done = await work(tx);
        if (fails && when === 'before its commit') throw new Error('planned');
        return done;
      }, options);
      if (fails) throw new Error('planned');
      return result;
    });
    await startWorker({ through: failing });
    const { scan } = standIn;
    standIn.scan = (...given) => {
      if (left === Infinity) left = nth;
      return scan.apply(standIn, given);
    };
    await link(ani, PHONE);
    expect(left).toBeLessThanOrEqual(0);
  },
);

test('fails the link of a phone that was paired and did not connect in time', async ({
  sql,
  openNetwork,
}) => {
  const { ani, standIn, startWorker, beginLink, readLink } = await openNetwork();
  await startWorker();
  const link = await beginLink(ani);
  const qr = await waitFor(async () => (await readLink(link)).qr ?? false);
  standIn.refuseWith(503);
  expect(standIn.scan(qr.text, PHONE)).toBe(true);
  await waitFor(async () =>
    expect(await sql`select state from web_sessions`).toEqual([{ state: 'paired' }]),
  );
  await changeWebSessions(sql, {}, { createdAt: ago('31 minutes') });
  await waitFor(async () => expect(await readLink(link)).toMatchObject({ state: 'failed' }));
  expect(await sql`select * from web_sessions`).toEqual([]);
});
