import { EventEmitter } from 'node:events';
import { type WAMessage, type WASocket, proto } from 'baileys';
import { expect, test } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import type { EngineEvent } from '#server/domains/channels/web/engine/engine.ts';
import { addressOf, isPerson, lidIn, peerOfLid, phoneIn, wireIdIn } from './addresses.ts';
import {
  keyStoreOf,
  readCreds,
  writeCreds,
  memoryCache,
  baileysContent,
} from './baileys-engine.ts';
import { closedBy, forwardEvents, receivedFrom } from './events.ts';

const nobody = async () => undefined;
const unreported = (error: unknown): never => {
  throw error;
};

const messageOf = (message: proto.IMessage, key: Partial<WAMessage['key']> = {}): WAMessage => ({
  key: { remoteJid: '6281299999999@s.whatsapp.net', id: 'A1', fromMe: false, ...key },
  messageTimestamp: 1_764_000_000,
  pushName: 'Budi',
  message,
});

test('tells addresses of numbers from anonymous ones, and ignores devices', () => {
  expect(phoneIn('6281299999999:12@s.whatsapp.net')).toBe('6281299999999');
  expect(phoneIn('77@lid')).toBeUndefined();
  expect(lidIn('77:3@lid')).toBe('77@lid');
  expect(peerOfLid('77@lid')).toBe('XL.77');
  expect([addressOf('XL.77'), addressOf('62812')]).toEqual(['77@lid', '62812@s.whatsapp.net']);
  for (const other of ['1-2@g.us', 'status@broadcast', '1@newsletter', '', undefined]) {
    expect(isPerson(other)).toBe(false);
  }
});

test('reads texts, also replies, captions and reactions', async () => {
  expect(await receivedFrom(messageOf({ conversation: 'Halo' }), nobody, unreported)).toEqual([
    {
      wireId: 'A1',
      phone: '6281299999999',
      fromMe: false,
      name: 'Budi',
      atMs: 1_764_000_000_000,
      content: { kind: 'text', text: 'Halo' },
    },
  ]);
  const answer = { extendedTextMessage: { text: 'Ya', contextInfo: { stanzaId: '3EB0' } } };
  expect(await receivedFrom(messageOf(answer), nobody, unreported)).toMatchObject([
    { content: { kind: 'text', text: 'Ya' }, quotes: '3EB0' },
  ]);
  const reaction = { reactionMessage: { text: '👍', key: { id: '3EB0' } } };
  expect(await receivedFrom(messageOf(reaction), nobody, unreported)).toMatchObject([
    { content: { kind: 'reaction', emoji: '👍' }, quotes: '3EB0' },
  ]);
  const picture = {
    imageMessage: { mimetype: 'image/jpeg; x', caption: 'Bukti', url: 'https://evil.example' },
  };
  const [read] = await receivedFrom(
    messageOf({ ephemeralMessage: { message: picture } }),
    nobody,
    unreported,
  );
  expect(read?.content).toMatchObject({ media: 'image', mime: 'image/jpeg', caption: 'Bukti' });
  const reference = read?.content.kind === 'media' ? read.content.reference : '';
  const sent = proto.WebMessageInfo.decode(Buffer.from(reference, 'base64'));
  // The sender's `url` is dropped.
  expect(sent.message?.imageMessage?.url).toBeNull();
  expect(sent.key).toMatchObject({ id: 'A1', remoteJid: '6281299999999@s.whatsapp.net' });
});

test('leaves out messages outside one-to-one chats', async () => {
  const group = messageOf({ conversation: 'x' }, { remoteJid: '1@g.us' });
  const alone = messageOf({ messageContextInfo: {}, senderKeyDistributionMessage: {} });
  const empty = { key: { id: 'A1', remoteJid: '77@lid' } };
  for (const one of [group, alone, empty, messageOf({ protocolMessage: {} })]) {
    expect(await receivedFrom(one, nobody, unreported)).toEqual([]);
  }
});

test('replaces an anonymous address by the number that comes with it, or that is known', async () => {
  const key = { remoteJid: '77@lid', remoteJidAlt: '6281211111111@s.whatsapp.net' };
  expect(
    await receivedFrom(messageOf({ conversation: 'x' }, key), nobody, unreported),
  ).toMatchObject([{ phone: '6281211111111', lid: '77@lid' }]);
  const known = async () => '6281222222222';
  const hidden = messageOf({ conversation: 'x' }, { remoteJid: '77:2@lid' });
  expect(await receivedFrom(hidden, known, unreported)).toMatchObject([{ phone: '6281222222222' }]);
  expect((await receivedFrom(hidden, nobody, unreported))[0]).not.toHaveProperty('phone');
});

test('converts contents to the library’s format', () => {
  const base = { to: '6281299999999', wireId: '3EB0', isNewChat: false };
  const vcard = baileysContent({
    ...base,
    content: { kind: 'contact', name: 'Sari; Toko\nX', phone: '62812', organization: 'CV A; B' },
  });
  expect(JSON.stringify(vcard)).toContain('FN:Sari\\\\; Toko X');
  expect(JSON.stringify(vcard)).toContain('waid=62812:+62812');
  expect(JSON.stringify(vcard)).toContain('ORG:CV A\\\\; B;');
  const file = { kind: 'media', bytes: Buffer.from('x'), mime: 'audio/ogg' } as const;
  expect(
    baileysContent({ ...base, content: { ...file, media: 'audio', voice: true } }),
  ).toMatchObject({ ptt: true, mimetype: 'audio/ogg; codecs=opus' });
  const to = { wireId: 'A1', fromMe: false, text: '' };
  expect(baileysContent({ ...base, content: { kind: 'reaction', emoji: '👍', to } })).toEqual({
    react: {
      text: '👍',
      key: { remoteJid: '6281299999999@s.whatsapp.net', id: 'A1', fromMe: false },
    },
  });
});

test('restores an identity and keys as they were stored', async () => {
  const stored = new Map<string, string>();
  let creds: string | undefined;
  const auth = {
    readCreds: async () => creds,
    writeCreds: async (written: string) => void (creds = written),
    readKeys: async (type: string, ids: readonly string[]) =>
      Object.fromEntries(
        ids.flatMap((id) => {
          const value = stored.get(`${type} ${id}`);
          return value === undefined ? [] : [[id, value] as const];
        }),
      ),
    writeKeys: async (changes: readonly { type: string; id: string; value: string | null }[]) => {
      for (const { type, id, value } of changes) {
        if (value === null) stored.delete(`${type} ${id}`);
        else stored.set(`${type} ${id}`, value);
      }
    },
  };
  const made = await readCreds(auth);
  await writeCreds(auth, made);
  const again = await readCreds(auth);
  expect(Buffer.from(again.noiseKey.private).equals(Buffer.from(made.noiseKey.private))).toBe(true);

  const keys = keyStoreOf(auth);
  const syncKey = proto.Message.AppStateSyncKeyData.fromObject({ keyData: Buffer.from('k') });
  await keys.set({
    session: { a: Buffer.from('s') },
    'app-state-sync-key': { b: syncKey },
    'lid-mapping': { c: '77' },
  });
  expect(Buffer.from((await keys.get('session', ['a', 'z']))['a']!).toString()).toBe('s');
  const revived = (await keys.get('app-state-sync-key', ['b']))['b'];
  expect(revived).toBeInstanceOf(proto.Message.AppStateSyncKeyData);
  expect(await keys.get('lid-mapping', ['c'])).toEqual({ c: '77' });
  await keys.set({ session: { a: null } });
  expect(await keys.get('session', ['a'])).toEqual({});
});

test('reports a connection as logged out only if the network says so', () => {
  const boom = (message: string, statusCode: number, data: unknown) =>
    Object.assign(new Error(message), { output: { statusCode }, data });
  const removed = { tag: 'conflict', attrs: { type: 'device_removed' } };
  expect(closedBy(boom('Stream Errored (conflict)', 401, removed))).toEqual({
    kind: 'closed',
    code: 401,
    isLoggedOut: true,
  });
  expect(closedBy(boom('Connection Failure', 401, { reason: '401', location: 'x' }))).toEqual({
    kind: 'closed',
    code: 401,
    isLoggedOut: true,
  });
  const replaced = { tag: 'conflict', attrs: { type: 'replaced' } };
  expect(closedBy(boom('Stream Errored (conflict)', 440, replaced))).toEqual({
    kind: 'closed',
    code: 440,
  });
  // A proxy requires a password.
  const refused = new Error('Unexpected server response: 401');
  expect(closedBy(boom('WebSocket Error (x)', 401, refused))).toEqual({
    kind: 'closed',
    code: 401,
  });
  expect(closedBy(undefined)).toEqual({ kind: 'closed', code: 428 });
});

test('reports a passkey request, which the library ignores', () => {
  const emitted: unknown[] = [];
  const silentSide = { on: () => undefined };
  const ws = new EventEmitter();
  const sock = { ws, ev: silentSide } as unknown as WASocket;
  forwardEvents(sock, (event) => emitted.push(event), unreported);
  ws.emit('CB:notification,type:passkey_prologue_request', {});
  expect(emitted).toEqual([{ kind: 'passkey' }]);
});

test('replaces an unreadable message by a line, and reads the others of its batch', async () => {
  const reported: unknown[] = [];
  const emitted: EngineEvent[] = [];
  const ev = new EventEmitter();
  const sock = { ws: new EventEmitter(), ev, signalRepository: {} } as unknown as WASocket;
  forwardEvents(
    sock,
    (event) => emitted.push(event),
    (error) => reported.push(error),
  );
  const broken = {
    get conversation(): string {
      throw new TypeError('Rahasia');
    },
  };
  const contents = [
    { conversation: 'Satu' },
    { eventMessage: { name: 'Rapat', startTime: 9e15 } },
    broken,
    { conversation: 'Dua' },
  ];
  const messages = contents.map((message, nth) => messageOf(message, { id: `A${nth}` }));
  ev.emit('messages.upsert', { messages, type: 'notify' });
  await waitFor(() => expect(emitted).toHaveLength(1));
  const [batch] = emitted;
  expect(batch?.kind === 'messages' && batch.messages.map(({ content }) => content)).toEqual([
    { kind: 'text', text: 'Satu' },
    { kind: 'other', other: 'event', details: 'Rapat' },
    { kind: 'other', other: 'unsupported' },
    { kind: 'text', text: 'Dua' },
  ]);
  expect(reported).toHaveLength(1);
  const [error] = reported;
  expect(String(error)).toContain('TypeError');
  expect(error instanceof Error && error.stack).not.toContain('Rahasia');
});

test('replaces an id that cannot be stored by a hash, wherever it names the message', async () => {
  expect(wireIdIn('3EB0#1')).toBe('3EB0#1');
  for (const id of ['A\0B', 'x'.repeat(513), 'A\uD83D']) {
    const [read] = await receivedFrom(messageOf({ conversation: 'x' }, { id }), nobody, unreported);
    expect(read?.wireId).toMatch(/^hash-[0-9a-f-]{36}$/);
    const revocation = { type: proto.Message.ProtocolMessage.Type.REVOKE, key: { id } };
    const [change] = await receivedFrom(
      messageOf({ protocolMessage: revocation }),
      nobody,
      unreported,
    );
    expect(change?.content).toEqual({ kind: 'change', of: read?.wireId });
    const reaction = { reactionMessage: { text: '👍', key: { id } } };
    const [reacted] = await receivedFrom(messageOf(reaction), nobody, unreported);
    expect(reacted?.quotes).toBe(read?.wireId);
  }
});

test('replaces an invalid time by the present one', async () => {
  const undated = { ...messageOf({ conversation: 'Halo' }), messageTimestamp: 9e15 };
  const [read] = await receivedFrom(undated, nobody, unreported);
  expect(Math.abs(Date.now() - (read?.atMs ?? 0))).toBeLessThan(60_000);
});

test('a memory cache evicts its oldest entry', async () => {
  const cache = memoryCache();
  for (let nth = 0; nth <= 1_000; nth++) await cache.set(`${nth}`, nth);
  expect(await cache.get('0')).toBeUndefined();
  expect(await cache.get('1000')).toBe(1_000);
  await cache.del('1000');
  expect(await cache.get('1000')).toBeUndefined();
});
