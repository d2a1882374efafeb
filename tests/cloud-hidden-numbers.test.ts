import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { tokenSubscribers } from '#server/app/container.ts';
import { linkNumber } from '#server/domains/tokens/tokens.ts';
import { ask } from '#tests/support/app/dialect-caller.ts';
import { type CloudSender, test } from '#tests/support/meta/cloud-channel.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { keyFor } from '#tests/support/people/people.ts';

const BUDI = '6281234567890';

/** A message from a person whose number WhatsApp hides. @returns their identifier. */
async function writtenBy({ meta, call }: CloudSender, text: string): Promise<string> {
  const content = { body: text };
  meta.control.receiveFrom(BUDI, { type: 'text', content, name: 'Budi', isNumberHidden: true });
  await meta.control.settled();
  const { body } = await call('/v1/messages?direction=in&limit=1');
  return body.data[0].peer;
}

test('keeps one conversation with a person who hides their number, both ways', async ({ ani }) => {
  const peer = await writtenBy(ani, 'Halo, masih buka?');
  expect(peer).toMatch(/^ID\.[A-Za-z0-9]+$/);
  const { body } = await ani.call('/v1/messages', { body: { to: peer, text: { body: 'Masih.' } } });
  expect(body.price).toBe(150);
  await ani.becomes(body.id, 'read');
  expect(ani.meta.control.sent().at(-1)?.body).toMatchObject({ recipient: peer });
  expect(ani.meta.control.sent().at(-1)?.body).not.toHaveProperty('to');

  const token = { token_id: publicId('token', ani.tokenId) };
  const own = { ...token, to: peer };
  const sent = await ani.ask('message_send', { ...own, text: 'Dari portal' });
  expect(sent.status).toBe(200);
  await ani.becomes(sent.body.data.id, 'read');
  const thread = await ani.ask('conversation_messages', { ...token, peer });
  expect(thread.body.data.map(({ excerpt }: { excerpt: string }) => excerpt).toSorted()).toEqual([
    'Dari portal',
    'Halo, masih buka?',
    'Masih.',
  ]);
  await waitFor(async () => {
    const { body: shown } = await ani.ask('conversation_list');
    expect(shown.data).toMatchObject([{ peer, peer_name: 'Budi' }]);
  });
});

test('opts out a person who hides their number, and reaches them only by the Cloud API', async ({
  ani,
  db,
}) => {
  const peer = await writtenBy(ani, 'STOP');
  const send = () => ani.call('/v1/messages', { body: { to: peer, text: { body: 'Promo' } } });
  expect(await send()).toMatchObject({ status: 409, body: { code: 'recipient_opted_out' } });
  await writtenBy(ani, 'MULAI');
  expect((await send()).status).toBe(202);
  await waitFor(async () =>
    expect((await ani.call('/v1/messages?status=queued')).body.data).toEqual([]),
  );
  const moved = { token_id: publicId('token', ani.tokenId), channel: 'simulator' };
  await waitFor(async () => expect((await ani.ask('token_move', moved)).status).toBe(200));
  const { accountId, tokenId } = ani;
  const number = { accountId, tokenId, channel: 'simulator', phone: '628111000222' } as const;
  await db.allAccountsSql.begin((tx) => linkNumber(tx, tokenSubscribers, number));
  // The sender of a key is cached for a second.
  await waitFor(async () =>
    expect(await send()).toMatchObject({ status: 409, body: { code: 'recipient_without_number' } }),
  );
});

test('lets programs of other gateways answer a person who hides their number', async ({
  ani,
  db,
}) => {
  const peer = await writtenBy(ani, 'Halo');
  const key = await keyFor(db.allAccountsSql, ani, 'cloud');
  const form = { target: peer, message: 'Masih buka' };
  const { body } = await ask(ani.running, '/send', { key, form });
  expect(body).toMatchObject({ status: true, target: [peer] });
  const options = { method: 'GET' as const, key };
  const path = `/api/report/message?phone=${peer}`;
  await waitFor(async () =>
    expect((await ask(ani.running, path, options)).body).toMatchObject({ totalData: 1 }),
  );
});

test('lets an assistant read messages of a person who hides their number', async ({ ani }) => {
  const peer = await writtenBy(ani, 'Halo, masih buka?');
  const read = async (name: string, given: object) => {
    const call = { name, arguments: given };
    const { text } = await ani.call('/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
      headers: { accept: 'application/json, text/event-stream' },
    });
    return JSON.parse(/^data: (.*)$/m.exec(text)![1]!).result;
  };
  for (const shown of [await read('find_messages', {}), await read('read_conversation', { peer })])
    expect(shown).toMatchObject({ structuredContent: { messages: [{ peer }] } });
});

test('never sends a waiting message to a hidden number by another channel', async ({ ani, db }) => {
  const peer = await writtenBy(ani, 'Halo');
  const soon = new Date(Date.now() + 3_000).toISOString();
  const { body } = await ani.call('/v1/messages', {
    body: { to: peer, text: { body: 'Nanti' }, send_at: soon },
  });
  const moved = { token_id: publicId('token', ani.tokenId), channel: 'simulator' };
  expect((await ani.ask('token_move', moved)).status).toBe(200);
  const { accountId, tokenId } = ani;
  const number = { accountId, tokenId, channel: 'simulator', phone: '628111000222' } as const;
  await db.allAccountsSql.begin((tx) => linkNumber(tx, tokenSubscribers, number));
  expect((await ani.becomes(body.id, 'failed')).failure.code).toBe('not_on_whatsapp');
  expect(await db.allAccountsSql`select 1 from sim_lines`).toEqual([]);
  const [charge] = await db.allAccountsSql`select charge_state from messages where price > 0`;
  expect(charge).toEqual({ charge_state: 'released' });
});
