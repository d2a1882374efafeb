import { randomUUID } from 'node:crypto';
import type { proto } from 'baileys';
import fc from 'fast-check';
import { expect } from 'vitest';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { WebhookEvent, type WebhookFormat } from '#contract/webhooks.ts';
import { readCard } from '#contract/messages/sending.ts';
import { inboundCard } from '#server/domains/channels/inbound-card.ts';
import { receivedFrom } from '#server/domains/channels/web/engine/baileys/events.ts';
import { messageRows } from '#server/domains/messages/messages.ts';
import { formats } from '#server/domains/webhooks/formats.ts';
import { csvCell } from '#server/infra/csv.ts';
import { newId } from '#server/infra/ids.ts';
import type { TestDatabase } from './support/database/database.ts';
import { type CloudSender, test } from './support/meta/cloud-channel.ts';
import { waitFor } from './support/wait-for.ts';

const BUDI = '6281234567890';

type GivenCard = {
  name?: string;
  phones?: readonly { written: string; whatsapp?: string }[];
  organization?: string;
  emails?: readonly string[];
};

type Channel = (ani: CloudSender, cards: readonly GivenCard[]) => Promise<void>;

const graphCard = ({ name, phones = [], organization, emails = [] }: GivenCard) => ({
  ...(name !== undefined && { name: { formatted_name: name, first_name: name } }),
  phones: phones.map(({ written, whatsapp }) => ({
    phone: written,
    type: 'CELL',
    ...(whatsapp !== undefined && { wa_id: whatsapp }),
  })),
  ...(organization !== undefined && { org: { company: organization, department: 'Gudang' } }),
  emails: emails.map((email) => ({ email, type: 'WORK' })),
});

const vcard = ({ name, phones = [], organization, emails = [] }: GivenCard): string =>
  [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${name ?? ''};;;`,
    ...(organization === undefined ? [] : [`ORG:${organization};Gudang`]),
    ...phones.map(
      ({ written, whatsapp }, nth) =>
        `item${nth}.TEL${whatsapp === undefined ? '' : `;waid=${whatsapp}`}:${written}`,
    ),
    ...emails.map((email) => `EMAIL;type=\n INTERNET:${email}`),
    'END:VCARD',
  ].join('\n');

const contactMessage = (card: GivenCard) => ({
  ...(card.name !== undefined && { displayName: card.name }),
  vcard: vcard(card),
});

const readByWeb = (message: proto.IMessage) =>
  receivedFrom(
    {
      key: { remoteJid: `${BUDI}@s.whatsapp.net`, id: randomUUID(), fromMe: false },
      messageTimestamp: 1_764_000_000,
      message,
    },
    async () => undefined,
    unreported,
  );

const unreported = (error: unknown): never => {
  throw error;
};

const channels: Readonly<Record<'cloud' | 'web', Channel>> = {
  cloud: async ({ meta: { control } }, cards) => {
    control.receiveFrom(BUDI, { type: 'contacts', content: cards.map(graphCard) });
    await control.settled();
  },
  web: async ({ running, accountId, tokenId }, cards) => {
    const [only] = cards;
    const message =
      only && cards.length === 1
        ? { contactMessage: contactMessage(only) }
        : { contactsArrayMessage: { contacts: cards.map(contactMessage) } };
    for (const { wireId, content } of await readByWeb(message)) {
      const { kind: type, ...body } = content;
      if (type !== 'contact') throw new Error(`a card came in as ${type}`);
      const at = new Date();
      const inbound = { accountId, tokenId, from: BUDI, type, body, at, providerId: wireId };
      await running.container.messages.sinks.inbound(inbound);
    }
  },
};

const all = Object.entries(channels) as ['cloud' | 'web', Channel][];

const full: GivenCard = {
  name: 'Bu Sari',
  phones: [
    { written: '+62 812-1111-2222', whatsapp: '6281211112222' },
    { written: '(021) 555-1234 ext. 12' },
    { written: '+852 9123 4567' },
    { written: '0812 1111 2222' },
  ],
  organization: 'CV Kue Nusantara',
  emails: ['sari@kue.example', 'toko@kue.example'],
};
const sari = {
  name: 'Bu Sari',
  phone: '6281211112222',
  phones: ['6281211112222', '62215551234', '+85291234567'],
  organization: 'CV Kue Nusantara',
  email: 'sari@kue.example',
};

const contentsOf = async (ani: CloudSender) => {
  const { body } = await ani.call('/v1/messages?direction=in&limit=100');
  return body.data
    .toReversed()
    .map(({ type, content }: { type: string; content: object }) => ({ type, content }));
};

async function webhooksOf(ani: CloudSender): Promise<Record<WebhookFormat, unknown>> {
  const event = await waitFor(async () => {
    const { body } = await ani.call('/v1/events?types=message.received');
    return body.data.at(-1) ?? false;
  });
  const bodyBy = (format: WebhookFormat) =>
    JSON.parse(
      formats[format].build({
        id: 'whd_1',
        at: new Date(),
        event: WebhookEvent().parse(event),
        context: { phone: null, metadata: {} },
        secrets: ['whsec_x'],
      })?.body ?? 'null',
    );
  return {
    kabari: bodyBy('kabari').data.content,
    cloud: bodyBy('cloud').entry[0].changes[0].value.messages[0].contacts[0],
    fonnte: bodyBy('fonnte').message,
    wablas: bodyBy('wablas').message,
  };
}

async function exportedText(
  { tenantSql: sql }: TestDatabase,
  { accountId }: CloudSender,
  id: string,
) {
  const params = { message_ids: [uuidOf('message', id) ?? ''] };
  const request = { sql, accountId, params, requestId: newId(), zoneName: 'WIB' };
  const rows = [];
  for await (const batch of (await messageRows.open(request)).batches()) rows.push(...batch.rows);
  return String(rows[0]?.[6]);
}

test.for(all)(
  'keeps phones, organisation and e-mail of a contact card everywhere, by %s',
  async ([, receive], { ani, db }) => {
    await receive(ani, [full]);
    const [message] = (await ani.call('/v1/messages?direction=in')).body.data;
    expect(message).toMatchObject({ type: 'contact', content: sari });
    const words = [sari.name, ...sari.phones, sari.organization, sari.email].join('\n');
    expect(await webhooksOf(ani)).toEqual({
      kabari: expect.objectContaining(sari),
      cloud: {
        name: { formatted_name: 'Bu Sari', first_name: 'Bu Sari' },
        phones: ['6281211112222', '62215551234', '85291234567'].map((digits) => ({
          phone: `+${digits}`,
          wa_id: digits,
          type: 'CELL',
        })),
        org: { company: sari.organization },
        emails: [{ email: sari.email, type: 'WORK' }],
      },
      fonnte: words,
      wablas: words,
    });
    const written = [sari.name, sari.organization, ...sari.phones, sari.email].join('\n');
    expect(await exportedText(db, ani, message.id)).toBe(written);
    // Excel would run a number with a plus as a formula.
    expect(csvCell(written)).toContain(`\n'+85291234567\n`);
    const token_id = publicId('token', ani.tokenId);
    const thread = await ani.ask('conversation_messages', { token_id, peer: `+${BUDI}` });
    expect(thread.body.data).toMatchObject([
      { excerpt: 'Bu Sari', content: { type: 'vcard', ...sari } },
    ]);
    await waitFor(async () => {
      const talks = await ani.ask('conversation_list');
      expect(talks.body.data).toMatchObject([{ preview: 'Bu Sari' }]);
    });
  },
);

test.for(all)(
  'stores each card of a message as its own message, and maps an answer to any of them to it, by %s',
  async ([name, receive], { ani }) => {
    await receive(ani, [full, { name: 'Kurir', phones: [{ written: '0813-1111-3333' }] }]);
    expect(await contentsOf(ani)).toMatchObject([
      { type: 'contact', content: sari },
      { type: 'contact', content: { name: 'Kurir', phone: '6281311113333' } },
    ]);
    if (name === 'web') return;
    const [second, first] = (await ani.call('/v1/messages?direction=in')).body.data;
    const { control } = ani.meta;
    for (const { id } of [first, second]) {
      const answer = { to: BUDI, text: { body: 'Terima kasih' }, reply_to: id };
      const { body } = await ani.call('/v1/messages', { body: answer });
      await ani.becomes(body.id, 'read');
    }
    const named = control.sent().map(({ body }) => body['context']);
    expect(named).toEqual(Array(2).fill({ message_id: expect.stringMatching(/^wamid\.[^#]+$/) }));
  },
);

test.for(all)(
  'keeps the other fields of a card without a phone, by %s',
  async ([, receive], { ani }) => {
    const { organization = '', emails = [] } = full;
    await receive(ani, [
      { name: 'Bu Sari', organization, emails },
      { organization, phones: [{ written: 'tanya kasir' }] },
      { phones: [{ written: '1500888' }] },
      {},
    ]);
    expect(await contentsOf(ani)).toEqual(
      [
        { name: 'Bu Sari', organization, email: sari.email },
        { name: '', organization },
        { name: '', phone: '1500888' },
        { name: '' },
      ].map((content) => ({ type: 'contact', content })),
    );
    const rows = (await ani.ask('message_list')).body.result.data;
    expect(rows.map(({ excerpt }: { excerpt: string }) => excerpt).toReversed()).toEqual([
      'Bu Sari',
      organization,
      '1500888',
      '',
    ]);
  },
);

const long = 'Ñ'.repeat(70_000);
const hostile: GivenCard = {
  name: `Sa\u0000ri\u202E\u0007\n${long}`,
  phones: [
    { written: '0'.repeat(70_000), whatsapp: '6'.repeat(30) },
    { written: '\u202A+62\u00A0812\u20111111\u20114444\u202C' },
    { written: '０８１３１１１１５５５５' },
    { written: '0812-1111-4444 / 0813-1111-6666' },
    ...Array.from({ length: 300 }, (_, nth) => ({ written: `08151111${1_000 + nth}` })),
  ],
  organization: `\u001B[31mCV\u2028Merah${long}`,
  emails: [`a\u0000@b.example\u202E${long}`],
};

test.for(all)('bounds the lines of a hostile card, by %s', async ([, receive], { ani }) => {
  await receive(ani, [hostile]);
  const [{ content }] = await contentsOf(ani);
  expect(content.name).toMatch(/^Sa.?ri Ñ{100,}$/u);
  expect(content.name.length).toBeLessThanOrEqual(200);
  expect(content.organization).toMatch(/^\[31mCV MerahÑ{100,}$/);
  expect(content.organization.length).toBeLessThanOrEqual(200);
  expect(content.email).toMatch(/^a.?@b\.exampleÑ{100,}$/u);
  expect(content.email.length).toBeLessThanOrEqual(254);
  expect(content.phones.slice(0, 3)).toEqual(['6281211114444', '6281311115555', '6281511111000']);
  expect(content.phones.length).toBeLessThanOrEqual(50);
  expect(JSON.stringify(await webhooksOf(ani))).not.toMatch(/\\u0000|\u202E/);
});

test.for(all)(
  'reads the first of very many cards in one message, by %s',
  async ([, receive], { ani }) => {
    await receive(
      ani,
      Array.from({ length: 400 }, (_, nth) => ({ name: `Kontak ${nth}` })),
    );
    const { body } = await ani.call('/v1/messages?direction=in&limit=1');
    expect(body.data[0].content.name).toBe('Kontak 256');
  },
);

test('cleans each text of any card into one line, and keeps phones of at most 15 digits', () => {
  const text = fc.string({ unit: 'binary', maxLength: 400 });
  const phone = fc.record(
    { written: fc.oneof(text, fc.stringMatching(/^[+0-9 ().\-/]{0,40}$/)), whatsapp: text },
    { requiredKeys: ['written'] },
  );
  fc.assert(
    fc.property(text, fc.array(phone), text, text, (name, phones, organization, email) => {
      const card = inboundCard({ name, phones, organization, email });
      for (const line of [card.name, card.organization, card.email]) {
        expect(line ?? '').not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u);
      }
      for (const one of card.phones ?? []) expect(one).toMatch(/^\d{1,15}$/);
      expect(new Set(card.phones).size).toBe(card.phones?.length ?? 0);
    }),
    { numRuns: 500 },
  );
});

test('reads the first of several contacts in a vCard, with escapes resolved', () => {
  const text = String.raw`BEGIN:VCARD
FN:C:\\nata\, Kue\; Lapis\nBaru
ORG:Toko\; Kue;Gudang
TEL:0812-1111-2222
END:VCARD
BEGIN:VCARD
FN:Lain
TEL:0813-1111-3333
EMAIL:lain@kue.example
END:VCARD`;
  expect(readCard(text)).toEqual({
    name: String.raw`C:\nata, Kue; Lapis Baru`,
    phones: [{ written: '0812-1111-2222' }],
    organization: 'Toko; Kue',
  });
});
