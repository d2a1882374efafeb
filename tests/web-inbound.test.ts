import { type WAMessage, WAMessageStubType, proto } from 'baileys';
import { expect } from 'vitest';
import type { ConversationMessage, MessageType } from '#contract/messages.ts';
import { publicId } from '#contract/base/ids.ts';
import { WebhookEvent } from '#contract/webhooks.ts';
import type { ReceivedMessage } from '#server/domains/channels/web/engine/engine.ts';
import { receivedFrom } from '#server/domains/channels/web/engine/baileys/events.ts';
import { receiveMessage } from '#server/domains/channels/web/receiving.ts';
import { formats } from '#server/domains/webhooks/formats.ts';
import { callerOf } from '#tests/support/app/api-caller.ts';
import { type RunningApp, test } from '#tests/support/app/running-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { makeSession } from '#tests/support/people/people.ts';

const SENDER = '6281299999999';
const remoteJid = `${SENDER}@s.whatsapp.net`;
const file = { directPath: '/v/x', mediaKey: Buffer.alloc(32), fileLength: 1 };
const card = (name: string, phone: string) => ({
  displayName: name,
  vcard: `BEGIN:VCARD\nVERSION:3.0\nFN:${name}\nTEL;waid=${phone}:+${phone}\nEND:VCARD`,
});
const { Type } = proto.Message.ProtocolMessage;
const target = { remoteJid, id: 'FIRST', fromMe: false };

/** An inbound message with its stored type, its text in a list, and its kind if it is `other`. */
type Row = {
  message?: proto.IMessage;
  stub?: number;
  isViewOnce?: true;
  /** Undefined: no message of its own. */
  stored?: readonly (readonly [type: MessageType, line: string, kind?: string])[];
};

const rows: Record<string, Row> = {
  text: { message: { conversation: 'Halo' }, stored: [['text', 'Halo']] },
  'extended text': {
    message: { extendedTextMessage: { text: 'Lihat https://toko.example' } },
    stored: [['text', 'Lihat https://toko.example']],
  },
  image: {
    message: { imageMessage: { ...file, mimetype: 'image/png', caption: 'Bukti' } },
    stored: [['image', 'Bukti']],
  },
  'video note': {
    message: { ptvMessage: { ...file, mimetype: 'video/mp4' } },
    stored: [['video', '']],
  },
  'voice message': {
    message: { audioMessage: { ...file, mimetype: 'audio/ogg; codecs=opus', ptt: true } },
    stored: [['audio', '']],
  },
  document: {
    message: {
      documentWithCaptionMessage: {
        message: { documentMessage: { ...file, fileName: 'struk.pdf', caption: 'Struk' } },
      },
    },
    stored: [['document', 'Struk']],
  },
  'lottie sticker': {
    message: {
      lottieStickerMessage: {
        message: { stickerMessage: { ...file, mimetype: 'application/was' } },
      },
    },
    stored: [['sticker', '']],
  },
  'several contacts': {
    message: {
      contactsArrayMessage: {
        contacts: [card('Sari', '6281211112222'), card('Budi', '6281211113333')],
      },
    },
    stored: [
      ['contact', 'Sari'],
      ['contact', 'Budi'],
    ],
  },
  location: {
    message: { locationMessage: { degreesLatitude: -6.2, degreesLongitude: 106.8, name: 'Toko' } },
    stored: [['location', 'Toko']],
  },
  'location without coordinates': {
    message: { locationMessage: { name: 'Toko' } },
    stored: [
      [
        'other',
        'Jenis pesan ini belum dapat ditampilkan di sini; lihat di ponsel: Toko',
        'unsupported',
      ],
    ],
  },
  'live location': {
    message: { liveLocationMessage: { degreesLatitude: -6.2, degreesLongitude: 106.8 } },
    stored: [['location', 'Lokasi terkini']],
  },
  poll: {
    message: {
      pollCreationMessageV3: {
        name: 'Kapan?',
        options: [{ optionName: 'Senin' }, { optionName: 'Selasa' }],
      },
    },
    stored: [['other', 'Polling: Kapan? • Senin • Selasa', 'poll']],
  },
  'poll vote': {
    message: { pollUpdateMessage: { pollCreationMessageKey: target } },
    stored: [['other', 'Suara polling', 'poll_vote']],
  },
  'reply to a template': {
    message: { templateButtonReplyMessage: { selectedId: 'ya', selectedDisplayText: 'Ya' } },
    stored: [['text', 'Ya']],
  },
  'reply to a list': {
    message: {
      listResponseMessage: { title: '', singleSelectReply: { selectedRowId: 'Ukuran L' } },
    },
    stored: [['text', 'Ukuran L']],
  },
  'reply to a form': {
    message: {
      interactiveResponseMessage: { nativeFlowResponseMessage: { name: 'alamat' } },
    },
    stored: [['other', 'Formulir: alamat', 'form']],
  },
  'message with buttons': {
    message: {
      templateMessage: { hydratedTemplate: { hydratedContentText: 'Kode Anda 12' } },
    },
    stored: [['other', 'Pesan interaktif: Kode Anda 12', 'interactive']],
  },
  order: {
    message: {
      orderMessage: { orderTitle: 'Kue', itemCount: 2, totalAmount1000: 50_000_000 },
    },
    stored: [['other', 'Pesanan: Kue 2 barang Rp 50.000', 'order']],
  },
  'product question': {
    message: { productMessage: { product: { title: 'Kue lapis' }, body: 'Masih ada?' } },
    stored: [['other', 'Produk: Kue lapis Masih ada?', 'product']],
  },
  'payment request': {
    message: {
      requestPaymentMessage: {
        amount1000: 25_000_000,
        currencyCodeIso4217: 'IDR',
        noteMessage: { conversation: 'DP' },
      },
    },
    stored: [['other', 'Permintaan pembayaran: Rp 25.000 DP', 'payment_request']],
  },
  'group invitation': {
    message: { groupInviteMessage: { groupName: 'Reseller', inviteCode: 'x' } },
    stored: [['other', 'Undangan grup: Reseller', 'group_invite']],
  },
  album: {
    message: { albumMessage: { expectedImageCount: 3, expectedVideoCount: 1 } },
    stored: [['other', 'Album: 3 foto, 1 video', 'album']],
  },
  event: {
    message: { eventMessage: { name: 'Bazar', startTime: 1_764_000_000 } },
    stored: [['other', 'Acara: Bazar 24 Nov 2025, 23.00 WIB', 'event']],
  },
  'view once': { isViewOnce: true, stored: [['other', '', 'view_once']] },
  'not decryptable': { stub: WAMessageStubType.CIPHERTEXT, stored: [['other', '', 'waiting']] },
  'missed call': {
    stub: WAMessageStubType.CALL_MISSED_VOICE,
    stored: [['other', 'Panggilan', 'call']],
  },
  pinned: {
    message: { pinInChatMessage: { key: target } },
    stored: [['other', 'Pesan disematkan', 'pinned']],
  },
  'of a later version': {
    message: { statusMentionMessage: { message: { conversation: 'x' } } },
    stored: [['other', '', 'unsupported']],
  },
  'first opening': {
    message: { protocolMessage: { type: Type.REQUEST_WELCOME_MESSAGE } },
    stored: [['other', '', 'request_welcome']],
  },
  reaction: {
    message: { reactionMessage: { text: '👍', key: target } },
    stored: [['reaction', '👍']],
  },
  'reaction taken back': {
    message: { reactionMessage: { text: '', key: target } },
    stored: [['reaction', '']],
  },
  'edit of a message that is not here': {
    message: {
      editedMessage: {
        message: {
          protocolMessage: {
            type: Type.MESSAGE_EDIT,
            key: { ...target, id: 'OLD' },
            editedMessage: { conversation: 'Jadi tiga' },
          },
        },
      },
    },
    stored: [['other', 'Pesan diubah: Jadi tiga', 'edited']],
  },
  'deletion of a message that is not here': {
    message: { protocolMessage: { type: Type.REVOKE, key: { ...target, id: 'OLD' } } },
    stored: [['other', 'Pesan dihapus', 'revoked']],
  },
  'setting of the chat': { message: { protocolMessage: { type: Type.EPHEMERAL_SETTING } } },
  'key alone': { message: { senderKeyDistributionMessage: { groupId: 'x' } } },
};

const wired = (id: string, { message, stub, isViewOnce }: Row): WAMessage => ({
  key: { remoteJid, id, fromMe: false, ...(isViewOnce && { isViewOnce }) },
  messageTimestamp: 1_764_000_000,
  ...(message && { message: proto.Message.decode(proto.Message.encode(message).finish()) }),
  ...(stub && { messageStubType: stub }),
});

async function shopOf(running: RunningApp, db: TestDatabase) {
  const caller = await callerOf(running, db, { saldo: 10_000 });
  const { token } = await makeSession(db.allAccountsSql, caller);
  const { accountId, tokenId } = caller;
  const deps = {
    allAccountsSql: db.allAccountsSql,
    sinks: running.container.messages.sinks,
    library: running.container.media.library,
    // Its bytes do not matter here.
    socket: () => ({
      send: async () => ({ outcome: 'acknowledged' }) as const,
      download: async () => 'gone' as const,
      logout: async () => undefined,
      close: async () => undefined,
    }),
    phoneOf: () => undefined,
    tries: 0,
  };
  const receive = async (id: string, row: Row): Promise<ReceivedMessage[]> => {
    const received = await receivedFrom(
      wired(id, row),
      async () => undefined,
      (error) => {
        throw error;
      },
    );
    for (const one of received)
      await receiveMessage(deps, { accountId, tokenId }, { message: one });
    return received;
  };
  const thread = async (): Promise<ConversationMessage[]> => {
    const found = new Map<string, ConversationMessage>();
    for (let before: string | undefined; ;) {
      const fields = { token, token_id: publicId('token', tokenId), peer: SENDER, before };
      const { data } = (await running.ask('conversation_messages', fields)).body;
      if (data.length === 0) return [...found.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
      for (const one of data) found.set(one.id, one);
      before = [...found.keys()].toSorted()[0];
    }
  };
  const events = async (): Promise<WebhookEvent[]> => {
    const { body } = await caller.call('/v1/events?after=0&limit=100');
    return body.data.map((one: unknown) => WebhookEvent().parse(one));
  };
  return { caller, receive, thread, events, token };
}

const bodiesOf = (event: WebhookEvent) =>
  (['kabari', 'cloud', 'fonnte', 'wablas'] as const).map((format) => {
    const context = { phone: '6281100000000', metadata: {} };
    const outgoing = { id: 'x', at: new Date(), event, context, secrets: ['whsec_'] };
    return JSON.parse(formats[format].build(outgoing)?.body ?? 'null');
  });

test('stores and shows every kind of inbound message, and passes it to programs', async ({
  openApp,
  db,
}) => {
  const running = await openApp({ works: true });
  const { caller, receive, thread, events } = await shopOf(running, db);
  await receive('FIRST', { message: { conversation: 'Dua ya' } });
  const came = Object.entries(rows);
  for (const [index, [, row]] of came.entries()) await receive(`M${index}`, row);
  const expected = came.flatMap(([name, { stored = [] }]) =>
    stored.map(([type, line, kind]) => ({ name, type, line, kind })),
  );

  const { data } = (await caller.call('/v1/messages?limit=100')).body;
  const listed = data.toReversed().slice(1);
  expect(listed.map(({ type }: { type: string }) => type)).toEqual(
    expected.map(({ type }) => type),
  );
  for (const [index, { name, kind }] of expected.entries()) {
    expect(listed[index].content.kind, name).toBe(kind);
  }

  const bubbles = await thread();
  const lines = expected.filter(({ type }) => type !== 'reaction');
  expect(bubbles.slice(1).map(({ excerpt }) => excerpt.replaceAll('\u00A0', ' '))).toEqual(
    lines.map(({ line }, index) => line || bubbles[index + 1]?.excerpt),
  );
  for (const { type, content } of bubbles) {
    if (type === 'other') expect(content).toMatchObject({ type: 'text', notice: 'other' });
    expect(content.caption !== '' || content.file || content.place || content.name).toBeTruthy();
  }

  const received = await waitFor(async () => {
    const found = (await events()).filter(({ type }) => type === 'message.received');
    return found.length === expected.length + 1 && found;
  });
  for (const [index, { name, type, kind }] of expected.entries()) {
    const [kabari, cloud, fonnte, wablas] = bodiesOf(received[index + 1]!);
    expect(kabari.data, name).toMatchObject({ type });
    expect(kabari.data.content.kind, name).toBe(kind);
    const message = cloud.entry[0].changes[0].value.messages[0];
    if (kind !== undefined) {
      expect(message.errors[0].error_data.details, name).toBe(kabari.data.content.text);
      expect(fonnte.message, name).toBe(kabari.data.content.text);
      expect(wablas.message, name).toBe(kabari.data.content.text);
    }
    if (type !== 'reaction') expect([message.type, fonnte, wablas], name).not.toContain(null);
  }
});

test('shows where a forwarded message and an answer to an advertisement come from', async ({
  openApp,
  db,
}) => {
  const { caller, receive, thread } = await shopOf(await openApp({ works: true }), db);
  const externalAdReply = {
    title: 'Batik parang diskon 20%',
    sourceUrl: 'https://fb.me/1',
    sourceType: 'ad',
    ctwaClid: 'Aff-n8',
  };
  const texts = [
    { text: 'Promo', contextInfo: { isForwarded: true, forwardingScore: 1 } },
    { text: 'Viral', contextInfo: { isForwarded: true, forwardingScore: 127 } },
    { text: 'Masih ada?', contextInfo: { externalAdReply } },
    { text: 'Halo', contextInfo: { externalAdReply: { title: 'Sebuah tautan' } } },
  ];
  for (const [n, extendedTextMessage] of texts.entries())
    await receive(`M${n}`, { message: { extendedTextMessage } });
  expect((await thread()).map(({ content }) => content.origin)).toEqual([
    'Diteruskan',
    'Diteruskan berkali-kali',
    'Dari iklan: Batik parang diskon 20%',
    undefined,
  ]);
  const { data } = (await caller.call('/v1/messages?limit=100')).body;
  expect(data[1].content.referral).toEqual({
    source_url: 'https://fb.me/1',
    source_type: 'ad',
    headline: 'Batik parang diskon 20%',
    ctwa_clid: 'Aff-n8',
  });
});

test('applies an edit and a deletion to the message they refer to, for people and programs', async ({
  openApp,
  db,
}) => {
  const running = await openApp({ works: true });
  const { caller, receive, thread, events, token } = await shopOf(running, db);
  await receive('FIRST', { message: { conversation: 'Dua ya' } });
  const image = { imageMessage: { ...file, mimetype: 'image/png', caption: 'Bukti' } };
  await receive('SECOND', { message: image });
  const edited = { protocolMessage: { type: Type.MESSAGE_EDIT, key: target } };
  const says = { editedMessage: { extendedTextMessage: { text: 'Tiga ya' } } };
  await receive('EDIT', { message: { protocolMessage: { ...edited.protocolMessage, ...says } } });
  const second = { ...target, id: 'SECOND' };
  await receive('REVOKE', { message: { protocolMessage: { type: Type.REVOKE, key: second } } });

  const lines = await thread();
  expect(lines.map(({ content }) => content)).toMatchObject([
    { caption: 'Tiga ya', notice: 'edited' },
    { caption: 'Pesan dihapus pengirim', notice: 'revoked', url: null },
  ]);
  const ids = lines.map(({ id }) => id);
  const detail = (await running.ask('message_get', { token, message_id: ids[0] })).body.data;
  expect(detail.timeline.at(-1)).toMatchObject({ kind: 'edited', detail: 'Dua ya' });

  const { body } = await caller.call(`/v1/messages/${ids[0]}`);
  expect(body.content).toEqual({ text: 'Tiga ya', edited_at: expect.any(String) });
  const revoked = (await caller.call(`/v1/messages/${ids[1]}`)).body;
  expect(revoked.content).toEqual({ revoked_at: expect.any(String) });
  expect(revoked.timeline.at(-1)).toMatchObject({ kind: 'revoked', detail: 'Bukti' });

  const received = await waitFor(async () => {
    const found = (await events()).filter(
      ({ type }) => type === 'message.edited' || type === 'message.revoked',
    );
    return found.length === 2 && found;
  });
  const [kabari, cloud, fonnte, wablas] = bodiesOf(received[0]!);
  const [, gone] = bodiesOf(received[1]!);
  expect(kabari).toMatchObject({ type: 'message.edited', data: { id: ids[0] } });
  expect(cloud.entry[0].changes[0].value.messages[0].edit.message.text.body).toBe('Tiga ya');
  expect(gone.entry[0].changes[0].value.messages[0].type).toBe('revoke');
  expect([fonnte, wablas]).toEqual([null, null]);
});
