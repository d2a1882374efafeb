import { expect } from 'vitest';
import { never, test, toPhone } from '#tests/support/app/simulated-network.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const stored = { file: expect.any(String), mime: expect.any(String) };

test('numbers with fixed answers reply with their type, by quoting, or by reacting', async ({
  openNetwork,
}) => {
  const { ani, network, sinks, inbound } = await openNetwork();
  await network.start(sinks);
  const expected = new Map<string, object>([
    ['62800000009', { type: 'text', quotes: expect.any(String) }],
    ['62800000010', { type: 'reaction', body: { emoji: '👍' }, quotes: expect.any(String) }],
    ['62800000011', { type: 'video', body: { ...stored, mime: 'video/mp4' } }],
    ['62800000012', { type: 'audio', body: { ...stored, mime: 'audio/ogg', voice: true } }],
    [
      '62800000013',
      { type: 'document', body: { ...stored, mime: 'application/pdf', filename: 'pesanan.pdf' } },
    ],
    ['62800000014', { type: 'sticker', body: { ...stored, mime: 'image/webp' } }],
    ['62800000015', { type: 'location', body: { latitude: -6.1754, name: 'Monas' } }],
    ['62800000016', { type: 'contact', body: { name: 'Bu Sari', phone: '6281234567899' } }],
  ]);
  const sent = new Map<string, string>();
  for (const phone of expected.keys()) {
    const message = toPhone(ani, phone);
    sent.set(phone, message.messageId);
    await network.send(message, never);
  }
  await waitFor(() => expect(inbound).toHaveLength(expected.size));
  for (const one of inbound) {
    expect(one).toMatchObject(expected.get(one.from) ?? {});
    if (one.quotes !== undefined) expect(one.quotes).toBe(sent.get(one.from));
  }
});

test('inspects a phone’s file and stores it in the account’s library', async ({ openNetwork }) => {
  const { ani, network, sinks, inbound, library } = await openNetwork();
  await network.start(sinks);
  await network.send(toPhone(ani, '62800000012'), never);
  await waitFor(() => expect(inbound).toHaveLength(1));
  const fileId = String(inbound[0]?.body['file']);
  const file = (await library.find(ani.accountId, [fileId])).get(fileId);
  expect(file).toMatchObject({ mime: 'audio/ogg', waveform: expect.any(Array) });
});

test('delivers a message without its file when there is no room, and says so', async ({
  openNetwork,
}) => {
  const { ani, network, sinks, inbound } = await openNetwork({ storedBytesMax: 100 });
  await network.start(sinks);
  await network.send(toPhone(ani, '62800000008'), never);
  await waitFor(() => expect(inbound).toHaveLength(1));
  expect(inbound[0]).toMatchObject({
    type: 'image',
    body: { missing: 'storage_full', caption: 'Ini buktinya' },
  });
});

test('answers no reaction', async ({ sql, openNetwork }) => {
  const { ani, network, sinks, inbound } = await openNetwork();
  await network.start(sinks);
  const reaction = { type: 'reaction' as const, body: { message_id: 'msg_x', emoji: '👍' } };
  await network.send(toPhone(ani, '62800000010', reaction), never);
  await waitFor(async () => expect(await sql`select * from sim_events`).toEqual([]));
  expect(inbound).toEqual([]);
});
