import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { tokenSubscribers } from '#server/app/container.ts';
import { linkNumber } from '#server/domains/tokens/tokens.ts';
import {
  type CloudSender,
  connectedSender,
  test,
  accessOf,
} from '#tests/support/meta/cloud-channel.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { changeTokens } from '#tests/support/people/people.ts';
import { agedBy } from '#tests/support/database/changes.ts';

const BUDI = '6281234567890';

const token = ({ tokenId }: CloudSender) => ({ token_id: publicId('token', tokenId) });

const moveTo = (ani: CloudSender, channel: string) =>
  ani.ask('token_move', { ...token(ani), channel });

const connection = async (ani: CloudSender) =>
  (await ani.ask('token_connection_get', token(ani))).body.data;

async function blockNumber({ callbackUrl, meta }: CloudSender): Promise<number> {
  const value = { event: 'ACCOUNT_RESTRICTION' };
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: meta.wabaId, changes: [{ field: 'account_update', value }] }],
  });
  const signature = createHmac('sha256', meta.appSecret).update(body).digest('hex');
  const headers = { 'x-hub-signature-256': `sha256=${signature}` };
  return (await fetch(callbackUrl, { method: 'POST', body, headers })).status;
}

test('clears the number’s state when its token moves, and ignores later callbacks of that number', async ({
  ani,
  db,
}) => {
  expect(await blockNumber(ani)).toBe(200);
  expect(await connection(ani)).toMatchObject({ restriction: { kind: 'blocked' } });
  expect((await moveTo(ani, 'simulator')).status).toBe(200);
  expect((await moveTo(ani, 'web')).status).toBe(200);
  expect(await connection(ani)).toBeNull();
  // The address is cached for two seconds.
  await blockNumber(ani);
  expect(await connection(ani)).toBeNull();
  expect((await moveTo(ani, 'cloud')).status).toBe(200);
  expect(await connection(ani)).toBeNull();
  await changeTokens(db.allAccountsSql, {}, { movedAt: agedBy('1 minute') });
  const connected = await ani.ask('token_cloud_connect', { ...token(ani), ...accessOf(ani.meta) });
  expect(connected.status).toBe(200);
  expect(await connection(ani)).toMatchObject({
    channel: 'cloud',
    restriction: null,
    uptime: 10_000,
  });
});

async function linesOf({ allAccountsSql: sql }: TestDatabase, id: string): Promise<number> {
  const [row] = await sql<{ lines: number }[]>`
    select count(*)::int as lines from sim_lines
    where direction = 'in' and line_id = ${uuidOf('message', id)!}`;
  return row!.lines;
}

const left = (ani: CloudSender, id: string) =>
  waitFor(async () => {
    const { body } = await ani.call(`/v1/messages/${id}`);
    expect(['sent', 'delivered', 'read']).toContain(body.status);
  });

test('sends messages accepted after a move by the new channel, also to the same number', async ({
  running,
  meta,
  db,
}) => {
  // The fake's first number is also the installation's own.
  const ani = await connectedSender(running, meta, { db, number: 1 });
  const send = async () =>
    (await ani.call('/v1/messages', { body: { to: BUDI, text: { body: 'Halo' } } })).body.id;
  meta.control.receiveFrom(BUDI, { type: 'text', phoneNumberId: meta.numbers[1]!.id });
  await meta.control.settled();
  await ani.becomes(await send(), 'read');
  const [before] = await db.allAccountsSql<{ phone: string }[]>`
    select phone from tokens where token_id = ${ani.tokenId}`;
  const taken = ani.meta.control.sent().length;
  expect((await moveTo(ani, 'simulator')).status).toBe(200);
  // Its lane still lingers; waiting for its end would take three seconds.
  await db.allAccountsSql.begin((tx) =>
    linkNumber(tx, tokenSubscribers, {
      accountId: ani.accountId,
      tokenId: ani.tokenId,
      channel: 'simulator',
      phone: before!.phone,
    }),
  );
  const simulated = await send();
  await left(ani, simulated);
  expect(ani.meta.control.sent()).toHaveLength(taken);
  expect(await linesOf(db, simulated)).toBe(1);
  expect((await moveTo(ani, 'cloud')).status).toBe(200);
  await ani.ask('token_cloud_connect', { ...token(ani), ...accessOf(meta, 1) });
  const real = await send();
  await left(ani, real);
  expect(ani.meta.control.sent()).toHaveLength(taken + 1);
  expect(await linesOf(db, real)).toBe(0);
});

test('sends no message by the new channel that was accepted for the old one', async ({
  running,
  meta,
  db,
}) => {
  const ani = await connectedSender(running, meta, { db, number: 1 });
  expect((await moveTo(ani, 'simulator')).status).toBe(200);
  const { accountId, tokenId } = ani;
  const number = { accountId, tokenId, channel: 'simulator', phone: '628111000222' } as const;
  await db.allAccountsSql.begin((tx) => linkNumber(tx, tokenSubscribers, number));
  const placed: string[] = [];
  const send = async () => {
    const answer = await ani.call('/v1/messages', { body: { to: BUDI, text: { body: 'Halo' } } });
    if (answer.status === 202) placed.push(answer.body.id);
    return answer;
  };
  // Once the key counts as the simulator's; waiting messages would move along with their token.
  await waitFor(async () => expect((await send()).body.simulated).toBe(true));
  for (const id of placed) await left(ani, id);
  await waitFor(async () => expect((await moveTo(ani, 'cloud')).status).toBe(200));
  const connecting = ani.ask('token_cloud_connect', { ...token(ani), ...accessOf(meta, 1) });
  let isOver = false;
  void connecting.finally(() => (isOver = true));
  const statuses: number[] = [];
  while (!isOver) statuses.push((await send()).status);
  expect((await connecting).status).toBe(200);
  expect(statuses).not.toContain(202);
  // By the Cloud API no customer has written yet, which shows that the move is known.
  await waitFor(async () => expect((await send()).body.code).toBe('window_closed'));
  expect(meta.control.sent()).toEqual([]);
});

test('refuses a move while a template waits at its channel’s price, until it is sent or cancelled', async ({
  ani,
}) => {
  await ani.ask('template_create', {
    name: 'promo_juni',
    language: 'id',
    category: 'marketing',
    body: 'Halo {{1}}, diskon 20%.',
  });
  const known = ani.meta.control.templates.list().find(({ name }) => name === 'promo_juni');
  ani.meta.control.templates.setStatus(known!.id, 'APPROVED');
  const placed = await waitFor(async () => {
    const { status, body } = await ani.call('/v1/messages', {
      body: {
        to: BUDI,
        type: 'template',
        template: { name: 'promo_juni', variables: ['Budi'] },
        send_at: new Date(Date.now() + 3_600_000).toISOString(),
      },
    });
    expect(status).toBe(202);
    return body;
  });
  const refused = await moveTo(ani, 'simulator');
  expect(refused.body.error).toEqual({ type: 'channel_waiting', facts: { templates: 1 } });
  expect(await connection(ani)).toMatchObject({ channel: 'cloud', parted: null });
  expect((await ani.call(`/v1/messages/${placed.id}/cancel`, { body: {} })).status).toBe(200);
  expect((await moveTo(ani, 'simulator')).status).toBe(200);
});
