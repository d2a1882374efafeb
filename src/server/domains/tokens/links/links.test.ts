import { expect } from 'vitest';
import { STALL_SECONDS, waitFor } from '#tests/support/wait-for.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { Scan } from '#contract/scan.ts';
import { tokenSubscribers as subscribers } from '#server/app/container.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import { test } from '#tests/support/database/database.ts';
import {
  type Customer,
  changeAccounts,
  changeTokens,
  customerWith,
  linkPhone,
  makeAccount,
} from '#tests/support/people/people.ts';
import { connectLink, handleUndo, scanQr } from './connect.ts';
import { recordConsent, maskedPhone, createLink, readScan } from './links.ts';
import { unlinkPhone } from './phones.ts';
import { ensureSystemToken, pruneLinks } from '#server/domains/tokens/tokens.ts';
import { changeLanes, queueMessage } from '#tests/support/app/lanes.ts';
import { inFuture } from '#tests/support/database/changes.ts';

const secrets = secretsFrom(Buffer.alloc(32, 7));
const gone = new Refusal('link_gone', {});
const stale = new Refusal('qr_stale', {});
const PHONE = '6281234567890';

async function linkSetup(sql: Sql) {
  const ani = await customerWith(sql, { linked: false });
  const notices: { phone: string; text: string }[] = [];
  const deps = {
    sql,
    allAccountsSql: sql,
    secrets,
    sendSystemText: async (phone: string, text: string) => void notices.push({ phone, text }),
    report: (error: unknown) => expect.unreachable(String(error)),
    subscribers,
  };
  const link = async (customer: Customer = ani) => {
    const { path } = await createLink(deps, customer.accountId, customer.tokenId);
    return path.slice('/scan/'.length);
  };
  return { ani, deps, notices, link };
}

async function shownLink(sql: Sql) {
  const ourAccount = await linkSetup(sql);
  const data = await ourAccount.link();
  const { nonce } = await recordConsent(ourAccount.deps, data, 'Firefox');
  const show = async () => {
    const scan = await readScan(ourAccount.deps, data, nonce);
    return scan.qr!;
  };
  return { ...ourAccount, data, nonce, show };
}

const later = (sql: Sql, seconds: number) => sql`
  update links set consent_at = consent_at - ${seconds} * interval '1 second',
    expires_at = expires_at - ${seconds} * interval '1 second'`;

const tokenOf = async (sql: Sql, { tokenId }: Customer) =>
  (await sql`select status, phone from tokens where token_id = ${tokenId}`)[0];

test('shows the owner of the token without usable secrets', async ({ sql, db }) => {
  const { ani, deps, link } = await linkSetup(sql);
  const data = await link();
  const scan = Scan().parse(await readScan({ ...deps, sql: db.tenantSql }, data));
  expect(data).toMatch(/^[A-Za-z0-9_.~-]{1,512}$/);
  expect(scan).toMatchObject({ state: 'waiting', token_name: 'Kasir', qr: null, phone: null });
  expect(scan.expires_at.getTime() - Date.now()).toBeLessThanOrEqual(600_000);
  expect(await tokenOf(sql, ani)).toEqual({ status: 'linking', phone: null });
});

test('changes nothing when a link is read a hundred times, as previews do', async ({ sql }) => {
  const { deps, link } = await linkSetup(sql);
  const data = await link();
  const before = await sql`select * from links`;
  for (let look = 0; look < 100; look++) await readScan(deps, data);
  expect(await sql`select * from links`).toEqual(before);
  expect(await sql`select * from link_codes`).toEqual([]);
});

test('refuses altered, foreign, late, used and partial links alike', async ({ sql }) => {
  const { deps, link } = await linkSetup(sql);
  const data = await link();
  const flipped = data.slice(0, -2) + (data.at(-2) === 'A' ? 'B' : 'A') + data.at(-1);
  const foreign = { ...deps, secrets: secretsFrom(Buffer.alloc(32, 8)) };
  for (const wrong of [flipped, data.slice(1), `${data}A`, '', 'x'.repeat(512)]) {
    await expect(readScan(deps, wrong)).rejects.toEqual(gone);
    await expect(recordConsent(deps, wrong, '')).rejects.toEqual(gone);
  }
  await expect(readScan(foreign, data)).rejects.toEqual(gone);

  const { nonce } = await recordConsent(deps, data, 'Firefox');
  await expect(readScan(deps, data)).rejects.toEqual(gone);
  await expect(readScan(deps, data, `${nonce}x`)).rejects.toEqual(gone);
  await expect(recordConsent(deps, data, 'Chrome')).rejects.toEqual(gone);
});

test('expires after ten minutes without consent', async ({ sql }) => {
  const { deps, link } = await linkSetup(sql);
  const data = await link();
  await later(sql, 601);
  await expect(readScan(deps, data)).rejects.toEqual(gone);
  await expect(recordConsent(deps, data, '')).rejects.toEqual(gone);
});

test('records the consent with its time and browser', async ({ sql }) => {
  await shownLink(sql);
  const [stored] = await sql`select consent_at, consent_agent, nonce_hash from links`;
  expect(stored).toMatchObject({ consent_agent: 'Firefox' });
  expect(stored!['consent_at']).toBeInstanceOf(Date);
});

test('accepts one of two browsers that agree at once', async ({ sql }) => {
  const { deps, link } = await linkSetup(sql);
  const data = await link();
  const both = await Promise.allSettled(['A', 'B'].map((name) => recordConsent(deps, data, name)));
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('ends the previous link with a new one', async ({ sql }) => {
  const { deps, link } = await linkSetup(sql);
  const first = await link();
  const second = await link();
  await expect(readScan(deps, first)).rejects.toEqual(gone);
  expect((await readScan(deps, second)).state).toBe('waiting');
});

test('replaces the QR after 20 seconds', async ({ sql }) => {
  const { show } = await shownLink(sql);
  const first = await show();
  expect((await show()).text).toBe(first.text);
  expect(first.expires_at.getTime() - Date.now()).toBeLessThanOrEqual(20_000);
  await later(sql, 20);
  const second = await show();
  expect(second.text).not.toBe(first.text);
  expect(second.pairing_code).toBe(first.pairing_code);
});

test('does not store the text of the QR', async ({ sql }) => {
  const { show } = await shownLink(sql);
  const { text, pairing_code } = await show();
  const [links] = await sql`select json_agg(links)::text as all from links`;
  const [codes] = await sql`select json_agg(link_codes)::text as all from link_codes`;
  const secret = Buffer.from(text.slice(9), 'base64url').subarray(32).toString('hex');
  expect(`${links!['all']}${codes!['all']}`).not.toContain(secret);
  expect(`${links!['all']}${codes!['all']}`).not.toContain(pairing_code);
});

test('accepts a QR for up to a minute after it was new', async ({ sql }) => {
  const { deps, show } = await shownLink(sql);
  const { text } = await show();
  await later(sql, 60);
  await expect(scanQr(deps, text, PHONE)).rejects.toEqual(stale);
  const fresh = await show();
  await later(sql, 39);
  expect(await scanQr(deps, fresh.text, PHONE)).toMatchObject({ channel: 'simulator' });
});

test('refuses an invented QR of a real link', async ({ sql }) => {
  const { deps, show } = await shownLink(sql);
  const { text } = await show();
  const bytes = Buffer.from(text.slice(9), 'base64url');
  bytes[40] = bytes[40]! ^ 1;
  const forged = `kabari:1:${bytes.toString('base64url')}`;
  for (const wrong of [forged, 'kabari:1:', 'https://example.com', '', 'ABCD-2345']) {
    await expect(scanQr(deps, wrong, PHONE)).rejects.toEqual(stale);
  }
});

test('does not reveal the QR by its link before the consent', async ({ sql }) => {
  const { deps, link } = await linkSetup(sql);
  await link();
  const [row] = await sql<{ link_id: string; account_id: string }[]>`select * from links`;
  const bytes = [row!.account_id, row!.link_id].map((id) =>
    Buffer.from(id.replaceAll('-', ''), 'hex'),
  );
  const text = `kabari:1:${Buffer.concat([...bytes, Buffer.alloc(16)]).toString('base64url')}`;
  await expect(scanQr(deps, text, PHONE)).rejects.toEqual(stale);
});

test('connects the token to the phone by a scanned link, and notifies the phone how to undo it', async ({
  sql,
}) => {
  const { ani, deps, data, nonce, notices, show } = await shownLink(sql);
  await sql`delete from outbox`;
  const link = await scanQr(deps, (await show()).text, PHONE);
  expect(await readScan(deps, data, nonce)).toMatchObject({
    state: 'scanned',
    qr: null,
    phone: null,
  });

  await connectLink(deps, link);
  expect(await readScan(deps, data, nonce)).toMatchObject({
    state: 'connected',
    qr: null,
    phone: '+62 812-••••-7890',
  });
  expect(await tokenOf(sql, ani)).toEqual({ status: 'linked', phone: PHONE });
  expect(await sql`select kind, count(*) from outbox group by kind order by kind`).toEqual([
    { kind: 'token.changed', count: 2 },
    { kind: 'token.connected', count: 1 },
    { kind: 'token.linked', count: 1 },
  ]);
  expect(notices).toEqual([{ phone: PHONE, text: expect.stringContaining('Balas PUTUS') }]);
  expect(notices[0]!.text).toContain('token "Kasir" milik Toko');

  await connectLink(deps, link);
  expect(notices).toHaveLength(1);
});

test('accepts the pairing code like the QR, with or without its dash', async ({ sql }) => {
  const { ani, deps, show } = await shownLink(sql);
  const { pairing_code: code } = await show();
  expect(code).toMatch(/^[2-9A-HJ-NP-Z]{8}$/);
  const typed = `${code?.slice(0, 4)}-${code?.slice(4)}`.toLowerCase();
  await connectLink(deps, await scanQr(deps, typed, PHONE));
  expect(await tokenOf(sql, ani)).toEqual({ status: 'linked', phone: PHONE });
});

test('accepts one of two phones that scan a QR at the same moment', async ({ sql }) => {
  const { deps, show } = await shownLink(sql);
  const { text } = await show();
  let second: Promise<unknown> = Promise.resolve();
  await scanQr(deps, text, PHONE, async () => {
    second = scanQr(deps, text, '6281300000000').catch((no: unknown) => no);
    await waitFor(async () =>
      expect(await sql`select from pg_locks where not granted`).toHaveLength(1),
    );
  });
  expect(await second).toEqual(gone);
  expect(await sql`select state, phone from links`).toEqual([{ state: 'scanned', phone: PHONE }]);
  await expect(scanQr(deps, text, PHONE)).rejects.toEqual(gone);
});

test("undoes the winner's transaction as a whole", async ({ sql }) => {
  const { deps, show } = await shownLink(sql);
  const { text } = await show();
  const broken = scanQr(deps, text, PHONE, async () => {
    throw new Error('not today');
  });
  await expect(broken).rejects.toThrow('not today');
  expect(await scanQr(deps, text, PHONE)).toBeDefined();
});

test('refuses a phone that belongs to another token, and the link fails', async ({ sql }) => {
  const { deps, data, nonce, show } = await shownLink(sql);
  const budi = await customerWith(sql, { linked: false });
  await linkPhone(sql, { ...budi, phone: PHONE });
  await expect(scanQr(deps, (await show()).text, PHONE)).rejects.toEqual(
    new Refusal('phone_taken', {}),
  );
  expect(await readScan(deps, data, nonce)).toMatchObject({ state: 'failed', qr: null });
});

test('refuses a phone that was taken between scanning and connecting', async ({ sql }) => {
  const { ani, deps, show } = await shownLink(sql);
  const budi = await customerWith(sql, { linked: false });
  const link = await scanQr(deps, (await show()).text, PHONE);
  await linkPhone(sql, { ...budi, phone: PHONE });
  await expect(connectLink(deps, link)).rejects.toEqual(new Refusal('phone_taken', {}));
  expect(await sql`select state from links`).toEqual([{ state: 'failed' }]);
  expect(await tokenOf(sql, ani)).toEqual({ status: 'linking', phone: null });
});

test('reports the expiry to the browser that agreed, and its codes work no longer', async ({
  sql,
  db,
}) => {
  const { deps, data, nonce, show } = await shownLink(sql);
  const { text, pairing_code } = await show();
  await later(sql, 600 - STALL_SECONDS);
  const last = await show();
  await later(sql, STALL_SECONDS);
  expect(await readScan(deps, data, nonce)).toMatchObject({ state: 'expired', qr: null });
  await expect(scanQr(deps, last.text, PHONE)).rejects.toEqual(gone);
  await expect(scanQr(deps, text, PHONE)).rejects.toEqual(gone);
  await db.owner`update link_codes set expires_at = statement_timestamp()`;
  await expect(scanQr(deps, pairing_code ?? '', PHONE)).rejects.toEqual(stale);
});

test('shows a token whose link expired as not connected, not as connecting', async ({ sql }) => {
  const { ani, deps, link } = await linkSetup(sql);
  await link();
  await later(sql, 601);
  const token = await unlinkPhone(deps, ani.accountId, ani.tokenId);
  expect(token.status).toBe('unlinked');
});

test('unlinking frees the phone and ends an open link', async ({ sql }) => {
  const { ani, deps, data, show, nonce } = await shownLink(sql);
  const { text } = await show();
  expect(await unlinkPhone(deps, ani.accountId, ani.tokenId)).toMatchObject({ status: 'unlinked' });
  await expect(scanQr(deps, text, PHONE)).rejects.toEqual(gone);
  expect(await readScan(deps, data, nonce)).toMatchObject({ state: 'expired' });
});

test('an unlinked phone can be linked to a token of another account', async ({ sql }) => {
  const { ani, deps, link } = await linkSetup(sql);
  const budi = await customerWith(sql, { linked: false });
  for (const customer of [ani, budi]) {
    const data = await link(customer);
    const { nonce } = await recordConsent(deps, data, '');
    const { qr } = await readScan(deps, data, nonce);
    await connectLink(deps, await scanQr(deps, qr!.text, PHONE));
    expect(await tokenOf(sql, customer)).toEqual({ status: 'linked', phone: PHONE });
    await unlinkPhone(deps, customer.accountId, customer.tokenId);
    expect(await tokenOf(sql, customer)).toEqual({ status: 'unlinked', phone: null });
  }
});

test('a token linked to another phone releases the first one', async ({ sql }) => {
  const { ani, deps, link } = await linkSetup(sql);
  for (const phone of [PHONE, '6281300000000']) {
    const data = await link();
    const { nonce } = await recordConsent(deps, data, '');
    const { qr } = await readScan(deps, data, nonce);
    await connectLink(deps, await scanQr(deps, qr!.text, phone));
  }
  expect(await sql`select phone, token_id from linked_phones`).toEqual([
    { phone: '6281300000000', token_id: ani.tokenId },
  ]);
});

test('queued messages may leave as soon as the phone is connected', async ({ sql, db }) => {
  const { ani, deps, show } = await shownLink(sql);
  await queueMessage(db.owner, ani);
  await changeLanes(sql, {}, { readyAt: inFuture('1 hour') });
  await connectLink(deps, await scanQr(deps, (await show()).text, PHONE));
  expect(await sql`select ready_at <= clock_timestamp() as due, wakes from lanes`).toEqual([
    { due: true, wakes: 1 },
  ]);
});

test('a suspended account or token gets no link', async ({ sql }) => {
  const { ani, deps } = await linkSetup(sql);
  const no = new Refusal('account_suspended', {});
  await changeTokens(sql, ani, { status: 'suspended' });
  await expect(createLink(deps, ani.accountId, ani.tokenId)).rejects.toEqual(no);
  await changeTokens(sql, ani, { status: 'unlinked' });
  await changeAccounts(sql, ani, { status: 'suspended' });
  await expect(createLink(deps, ani.accountId, ani.tokenId)).rejects.toEqual(no);
});

test('the reply PUTUS to the notice unlinks the phone at once, and only there', async ({ sql }) => {
  const { ani, deps, notices, show } = await shownLink(sql);
  await makeAccount(sql, { isSystem: true });
  const system = await ensureSystemToken(sql, '6281100000000', subscribers);
  await connectLink(deps, await scanQr(deps, (await show()).text, PHONE));

  const budi = await customerWith(sql);
  expect(await handleUndo(deps, { ...ani, from: PHONE, text: 'PUTUS' })).toBe(false);
  expect(await handleUndo(deps, { ...budi, from: PHONE, text: 'PUTUS' })).toBe(false);
  expect(await handleUndo(deps, { ...system, from: PHONE, text: 'putus dong' })).toBe(false);
  expect(await handleUndo(deps, { ...system, from: '6281300000000', text: 'PUTUS' })).toBe(false);
  expect(await handleUndo(deps, { ...system, from: '6281100000000', text: 'PUTUS' })).toBe(false);
  expect(await tokenOf(sql, ani)).toMatchObject({ status: 'linked' });

  expect(await handleUndo(deps, { ...system, from: PHONE, text: ' putus ' })).toBe(true);
  expect(await tokenOf(sql, ani)).toEqual({ status: 'unlinked', phone: null });
  expect(notices.at(-1)!.text).toContain('sudah diputus');
});

test('a failed notice does not undo the connection', async ({ sql }) => {
  const { ani, deps, show } = await shownLink(sql);
  const reported: unknown[] = [];
  const mute = {
    ...deps,
    sendSystemText: () => Promise.reject(new Error('no channel')),
    report: (error: unknown) => void reported.push(error),
  };
  await connectLink(mute, await scanQr(deps, (await show()).text, PHONE));
  expect(await tokenOf(sql, ani)).toMatchObject({ status: 'linked' });
  expect(reported).toEqual([new Error('no channel')]);
});

test('pruning keeps the record of a consent and deletes other links', async ({ sql, db }) => {
  const { deps, link, ani } = await shownLink(sql);
  const other = await customerWith(sql, { linked: false });
  await link(other);
  await sql`update links set expires_at = expires_at - interval '31 days'`;
  await db.owner`update link_codes set expires_at = statement_timestamp() - interval '31 days'`;
  await pruneLinks(deps.allAccountsSql);
  expect(await sql`select token_id from links`).toEqual([{ token_id: ani.tokenId }]);
  expect(await sql`select * from link_codes`).toEqual([]);
});

test('a masked number shows its beginning and its last four digits', () => {
  expect(maskedPhone('6281234567890')).toBe('+62 812-••••-7890');
  expect(maskedPhone('14155550123')).toBe('+1415 5••0 123');
});
