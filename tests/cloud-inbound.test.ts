import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import type { ConversationMessage, MessageType } from '#contract/messages.ts';
import { publicId } from '#contract/base/ids.ts';
import { WebhookEvent } from '#contract/webhooks.ts';
import { formats } from '#server/domains/webhooks/formats.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type CloudSender, accessOf, test } from '#tests/support/meta/cloud-channel.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { makeToken } from '#tests/support/people/people.ts';

const BUDI = '6281234567890';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

type Row = {
  message: Record<string, unknown>;
  type: MessageType;
  content: Record<string, unknown>;
  line?: string;
};

const referral = {
  source_url: 'https://fb.me/3cr4Wqqkv',
  source_id: '120226305854810726',
  source_type: 'ad',
  headline: 'Kue ulang tahun',
  media_type: 'image',
  ctwa_clid: 'Aff-n8ZTODiE79d22KtAwQKj9e_mIEOOj27vDVwFjN80dp4',
};
const addressForm = { values: { city: 'Bandung', note: null }, waktu: ['pagi', 'sore'] };
const flow = { flow_token: 'f-1', rating: '5', saran: 'Enak' };

const rows: Record<string, Row> = {
  'text by an advertisement': {
    message: { type: 'text', text: { body: 'Halo' }, referral },
    type: 'text',
    content: { text: 'Halo', referral },
    line: 'Halo',
  },
  'forwarded text': {
    message: { type: 'text', text: { body: 'Promo' }, context: { forwarded: true } },
    type: 'text',
    content: { text: 'Promo', forwarded: true },
    line: 'Promo',
  },
  'text about a product': {
    message: {
      type: 'text',
      text: { body: 'Ada?' },
      context: {
        referred_product: { catalog_id: '194836987003835', product_retailer_id: 'roti-1' },
      },
    },
    type: 'text',
    content: { product: { catalog_id: '194836987003835', product_retailer_id: 'roti-1' } },
    line: 'Ada?',
  },
  'button of a template': {
    message: { type: 'button', button: { payload: 'YA', text: 'Ya' } },
    type: 'text',
    content: { text: 'Ya' },
    line: 'Ya',
  },
  'reply button': {
    message: {
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: { id: 'ya', title: 'Setuju' } },
    },
    type: 'text',
    content: { text: 'Setuju' },
    line: 'Setuju',
  },
  'reply of a list': {
    message: {
      type: 'interactive',
      interactive: { type: 'list_reply', list_reply: { id: 'a', title: 'Tawar' } },
    },
    type: 'text',
    content: { text: 'Tawar' },
    line: 'Tawar',
  },
  'answer to a form': {
    message: {
      type: 'interactive',
      interactive: {
        type: 'nfm_reply',
        nfm_reply: { name: 'flow', body: 'Sent', response_json: JSON.stringify(flow) },
      },
    },
    type: 'other',
    content: { kind: 'form', form: { name: 'flow', body: 'Sent', response: flow } },
    line: 'Formulir: rating: 5, saran: Enak',
  },
  'answer to a form with groups': {
    message: {
      type: 'interactive',
      interactive: {
        type: 'nfm_reply',
        nfm_reply: { name: 'address_message', response_json: JSON.stringify(addressForm) },
      },
    },
    type: 'other',
    content: { kind: 'form', form: { name: 'address_message', response: addressForm } },
    line: 'Formulir: city: Bandung, waktu: pagi, sore',
  },
  'answer to a request for calls': {
    message: {
      type: 'interactive',
      interactive: {
        type: 'call_permission_reply',
        call_permission_reply: {
          response: 'accept',
          is_permanent: false,
          expiration_timestamp: 1_765_000_000,
          response_source: 'user_action',
        },
      },
    },
    type: 'other',
    content: {
      kind: 'call_permission',
      call_permission: {
        is_accepted: true,
        is_permanent: false,
        expires_at: '2025-12-06T05:46:40.000Z',
        source: 'user_action',
      },
    },
    line: 'Jawaban atas permintaan izin menelepon: diizinkan',
  },
  order: {
    message: {
      type: 'order',
      order: {
        catalog_id: '194836987003835',
        text: 'Antar sore',
        product_items: [
          { product_retailer_id: 'roti-1', quantity: 2, item_price: 10_000, currency: 'IDR' },
          { product_retailer_id: 'kue-7', quantity: '3', item_price: '4500', currency: 'IDR' },
        ],
      },
    },
    type: 'other',
    content: {
      kind: 'order',
      order: {
        catalog: '194836987003835',
        text: 'Antar sore',
        items: [
          { product: 'roti-1', quantity: 2, price: 10_000, currency: 'IDR' },
          { product: 'kue-7', quantity: 3, price: 4_500, currency: 'IDR' },
        ],
      },
    },
    line: 'Pesanan: 2 × roti-1 (Rp 10.000), 3 × kue-7 (Rp 4.500), Antar sore',
  },
  location: {
    message: { type: 'location', location: { latitude: -6.2, longitude: 106.8, name: 'Monas' } },
    type: 'location',
    content: { latitude: -6.2, longitude: 106.8, name: 'Monas' },
  },
  contacts: {
    message: {
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Ani' },
          phones: [{ phone: '+62 812-1111-2222', wa_id: '6281211112222' }],
        },
      ],
    },
    type: 'contact',
    content: { name: 'Ani', phone: '6281211112222' },
  },
  'no contacts at all': {
    message: { type: 'contacts', contacts: [] },
    type: 'other',
    content: { kind: 'unsupported' },
  },
  'new number': {
    message: {
      type: 'system',
      system: { body: 'Budi changed', type: 'user_changed_number', wa_id: '6281299990000' },
    },
    type: 'other',
    content: { kind: 'system' },
    line: 'Pemberitahuan WhatsApp: nomor baru +62 812-9999-0000',
  },
  'notice of another kind': {
    message: { type: 'system', system: { body: 'Budi changed', type: 'something_new' } },
    type: 'other',
    content: { kind: 'system' },
    line: 'Pemberitahuan WhatsApp: Budi changed',
  },
  'first opening': {
    message: { type: 'request_welcome' },
    type: 'other',
    content: { kind: 'request_welcome' },
    line: 'Membuka percakapan untuk pertama kali',
  },
  'errors alone': {
    message: { type: 'unsupported', errors: [{ code: 131_051, title: 'Message type unknown' }] },
    type: 'other',
    content: { kind: 'unsupported', error: { code: 131_051, title: 'Message type unknown' } },
  },
  'of a later version': {
    message: { type: 'hologram', hologram: { id: '1' } },
    type: 'other',
    content: { kind: 'unsupported' },
  },
  'edit of a message that is not here': {
    message: {
      type: 'edit',
      edit: {
        original_message_id: 'wamid.lama',
        message: { type: 'text', text: { body: 'Tiga' } },
      },
    },
    type: 'other',
    content: { kind: 'edited' },
    line: 'Pesan diubah: Tiga',
  },
  'deletion of a message that is not here': {
    message: { type: 'revoke', revoke: { original_message_id: 'wamid.lama' } },
    type: 'other',
    content: { kind: 'revoked' },
    line: 'Pesan dihapus',
  },
};

async function post({ callbackUrl, meta }: CloudSender, changes: readonly object[]) {
  const entry = [{ id: meta.wabaId, changes }];
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
  const digest = createHmac('sha256', meta.appSecret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-hub-signature-256': `sha256=${digest}`,
  };
  expect((await fetch(callbackUrl, { method: 'POST', body, headers })).status).toBe(200);
}

const valueOf = ({ meta }: CloudSender, more: object) => ({
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: '1', phone_number_id: meta.numbers[0]!.id },
  ...more,
});
const write = (ani: CloudSender, id: string, message: object) =>
  post(ani, [
    {
      field: 'messages',
      value: valueOf(ani, {
        contacts: [{ wa_id: BUDI, profile: { name: 'Budi' } }],
        messages: [{ from: BUDI, id: `wamid.${id}`, timestamp: '1749416383', ...message }],
      }),
    },
  ]);

const inbox = async (ani: CloudSender) =>
  (await ani.call('/v1/messages?direction=in&limit=100')).body.data.toReversed();
const threadOf = async (ani: CloudSender): Promise<ConversationMessage[]> => {
  const found = new Map<string, ConversationMessage>();
  for (let before: string | undefined; ;) {
    const fields = { token_id: publicId('token', ani.tokenId), peer: BUDI, before };
    const { data } = (await ani.ask('conversation_messages', fields)).body;
    if (data.length === 0) return [...found.values()];
    for (const one of data) found.set(one.id, one);
    before = [...found.keys()].toSorted()[0];
  }
};
const eventsOf = async (ani: CloudSender): Promise<WebhookEvent[]> =>
  (await ani.call('/v1/events?after=0&limit=100')).body.data.map((one: unknown) =>
    WebhookEvent().parse(one),
  );

const bodiesOf = (event: WebhookEvent) =>
  (['kabari', 'cloud', 'fonnte', 'wablas'] as const).map((format) => {
    const context = { phone: '6281100000000', metadata: {} };
    const outgoing = { id: 'x', at: new Date(), event, context, secrets: ['whsec_'] };
    return JSON.parse(formats[format].build(outgoing)?.body ?? 'null');
  });

test('stores and shows every kind of message from Meta, and passes it to programs', async ({
  ani,
}) => {
  const all = Object.entries(rows);
  for (const [index, [, { message }]] of all.entries()) await write(ani, `m${index}`, message);
  const listed = await inbox(ani);
  expect(listed).toHaveLength(all.length);
  for (const [index, [name, { type, content }]] of all.entries()) {
    expect(listed[index].type, name).toBe(type);
    expect(listed[index].content, name).toMatchObject(content);
    expect(JSON.stringify(listed[index].content), name).not.toContain('Minta pengirim');
  }
  const lines = new Map((await threadOf(ani)).map(({ id, excerpt }) => [id, excerpt]));
  for (const [index, [name, { line }]] of all.entries()) {
    if (line !== undefined) expect(lines.get(listed[index].id), name).toBe(line);
  }
  const received = await waitFor(async () => {
    const found = (await eventsOf(ani)).filter(({ type }) => type === 'message.received');
    return found.length === all.length && found;
  });
  for (const [index, [name, { type, content }]] of all.entries()) {
    const [kabari, cloud, fonnte, wablas] = bodiesOf(received[index]!);
    expect(kabari.data, name).toMatchObject({ type, content });
    const message = cloud.entry[0].changes[0].value.messages[0];
    expect(message.from, name).toBe(BUDI);
    if (type === 'other') {
      const { text } = kabari.data.content;
      expect(message.errors[0].error_data.details, name).toBe(text);
      expect([fonnte.message, wablas.message], name).toEqual([text, text]);
    } else expect([fonnte, wablas], name).not.toContain(null);
  }
});

test('applies an edit and a deletion to the message they refer to', async ({ ani }) => {
  await write(ani, 'satu', { type: 'text', text: { body: 'Dua ya' } });
  await write(ani, 'dua', { type: 'text', text: { body: 'Salah' } });
  const edited = { type: 'text', text: { body: 'Tiga ya' } };
  const edit = { original_message_id: 'wamid.satu', message: edited };
  await write(ani, 'ubah', { type: 'edit', edit });
  await write(ani, 'hapus', { type: 'revoke', revoke: { original_message_id: 'wamid.dua' } });
  const listed = await inbox(ani);
  expect(listed.map(({ content }: { content: object }) => content)).toEqual([
    { text: 'Tiga ya', edited_at: expect.any(String) },
    { revoked_at: expect.any(String) },
  ]);
});

test('stores a group message apart from private chats, without opening a window', async ({
  ani,
  db,
}) => {
  await write(ani, 'grup', {
    type: 'text',
    text: { body: 'Halo semua' },
    group_id: 'Y2FwaV9ncm91cDox',
  });
  expect(await inbox(ani)).toEqual([]);
  const refused = await ani.call('/v1/messages', { body: { to: BUDI, text: { body: 'Halo' } } });
  expect(refused.body.code).toBe('window_closed');
  const groups = await db.allAccountsSql`
    select message ->> 'group_id' as "group" from cloud_group_messages`;
  expect(groups).toEqual([{ group: 'Y2FwaV9ncm91cDox' }]);
  await ani.running.container.channels.health.close();
  const counted = await db.allAccountsSql`select code, answers::int from provider_answers`;
  expect(counted).toEqual([{ code: 'inbound_group', answers: 1 }]);
});

test('a sender with only a portfolio id has a conversation', async ({ ani }) => {
  await post(ani, [
    {
      field: 'messages',
      value: valueOf(ani, {
        messages: [
          {
            from_parent_user_id: 'ID.ENT.11815799212886844830',
            id: 'wamid.induk',
            timestamp: '1749416383',
            type: 'text',
            text: { body: 'Halo' },
          },
        ],
      }),
    },
  ]);
  const [came] = await inbox(ani);
  expect(came).toMatchObject({ peer: 'ID.ENT.11815799212886844830', content: { text: 'Halo' } });
});

test('matches a status without our reference by Meta’s id', async ({ ani, db }) => {
  const { control } = ani.meta;
  Object.assign(control.statuses, { sentMs: undefined, deliveredMs: undefined, readMs: undefined });
  control.receiveFrom(BUDI, { type: 'text' });
  await control.settled();
  const { body } = await ani.call('/v1/messages', { body: { to: BUDI, text: { body: 'Halo' } } });
  await ani.becomes(body.id, 'sent');
  await waitFor(async () =>
    expect(await db.allAccountsSql`select 1 from cloud_refs`).toHaveLength(1),
  );
  const id = control.sent()[0]!.wamid;
  const statuses = [{ id, status: 'read', timestamp: '1749416400', recipient_id: BUDI }];
  await post(ani, [{ field: 'messages', value: valueOf(ani, { statuses }) }]);
  await ani.becomes(body.id, 'read');
});

test('fetches a file that arrives while the access token is refused, once it is accepted again', async ({
  ani,
  db,
  running,
}) => {
  const { control, token } = ani.meta;
  control.tokens.revoke(token);
  control.receiveFrom(BUDI, {
    type: 'image',
    content: { caption: 'Bukti' },
    file: { bytes: PNG, mimeType: 'image/png' },
  });
  const [first] = await waitFor(async () => {
    const found = await inbox(ani);
    return found.length === 1 && found;
  });
  expect(first.content).toMatchObject({ caption: 'Bukti', missing: 'fetching' });
  control.tokens.add(token);
  await waitFor(async () => {
    const [row] = await db.allAccountsSql`select is_stored from cloud_inbound`;
    expect(row).toEqual({ is_stored: true });
  });
  await db.owner`update cloud_inbound set due_at = now()`;
  await running.container.channels.cloud.check();
  const [image] = await inbox(ani);
  expect(image.content).toMatchObject({ caption: 'Bukti', file: { mime_type: 'image/png' } });
  expect(image.content.missing).toBeUndefined();
  expect(image.id).toBe(first.id);
  expect(await db.allAccountsSql`select 1 from cloud_inbound`).toEqual([]);
  const received = await waitFor(async () => {
    const found = (await eventsOf(ani)).filter(({ type }) => type === 'message.edited');
    return found.length === 1 && found;
  });
  expect(received[0]!.data).toMatchObject({ content: { file: { mime_type: 'image/png' } } });
});

test('drops a file that Meta no longer has; a stalled one delays no callback and no other file', async ({
  ani,
}) => {
  const { control } = ani.meta;
  // Meta never answers the request for the first file.
  const ofFile = /^\/\d+$/;
  const reads = () => control.calls().filter(({ path }) => ofFile.test(path));
  const before = reads().length;
  control.failNext({ kind: 'hang', isAccepted: false }, 1, ofFile);
  const png = { bytes: PNG, mimeType: 'image/png' };
  control.receiveFrom(BUDI, { type: 'image', content: { caption: 'Lambat' }, file: png });
  await waitFor(() => reads().length > before);
  control.receiveFrom(BUDI, { type: 'image', content: { caption: 'Cepat' }, file: png });
  await write(ani, 'hilang', { type: 'image', image: { id: '999', mime_type: 'image/png' } });
  await waitFor(async () => {
    const contents = (await inbox(ani)).map(({ content }: { content: object }) => content);
    expect(contents).toContainEqual(
      expect.objectContaining({
        caption: 'Cepat',
        file: expect.objectContaining({ mime_type: 'image/png' }),
      }),
    );
    expect(contents).toContainEqual({ missing: 'expired' });
    expect(contents).not.toContainEqual(
      expect.objectContaining({ caption: 'Lambat', file: expect.anything() }),
    );
  });
});

async function secondNumber(ani: CloudSender, { allAccountsSql: sql }: TestDatabase) {
  const tokenId = await makeToken(sql, ani.accountId, { channel: 'cloud', status: 'unlinked' });
  const fields = { token_id: publicId('token', tokenId), ...accessOf(ani.meta, 1) };
  expect((await ani.ask('token_cloud_connect', fields)).status).toBe(200);
  return tokenId;
}

test('applies a change of a number to that number, and one of the account to all of its numbers', async ({
  ani,
  db,
}) => {
  const tokens = [ani.tokenId, await secondNumber(ani, db)];
  const restrictions = () =>
    Promise.all(
      tokens.map(async (tokenId) => {
        const { body } = await ani.ask('token_connection_get', {
          token_id: publicId('token', tokenId),
        });
        const { restriction } = body.data;
        return restriction && [restriction.kind, restriction.until];
      }),
    );
  const quality = (event: string) =>
    post(ani, [
      {
        field: 'phone_number_quality_update',
        value: { display_phone_number: ani.meta.numbers[1]!.phone, event },
      },
    ]);
  await quality('FLAGGED');
  expect(await restrictions()).toEqual([null, ['quality', null]]);
  await quality('UNFLAGGED');
  expect(await restrictions()).toEqual([null, null]);

  const account = (value: object) => post(ani, [{ field: 'account_update', value }]);
  const hoursOn = (hours: number) => Math.floor(Date.now() / 1000) + hours * 3_600;
  const restricted = (type: string, ends: readonly number[]) =>
    account({
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: ends.map((expiration) => ({ restriction_type: type, expiration })),
    });
  await restricted('RESTRICTED_ADD_PHONE_NUMBER_ACTION', [hoursOn(1)]);
  expect(await restrictions()).toEqual([null, null]);
  const [first, last] = [hoursOn(1), hoursOn(2)];
  await restricted('RESTRICTED_BIZ_INITIATED_MESSAGING', [first, last]);
  const until = new Date(last * 1000).toISOString();
  expect(await restrictions()).toEqual([
    ['templates', until],
    ['templates', until],
  ]);
  for (const [state, kind] of [
    ['SCHEDULE_FOR_DISABLE', 'disabling'],
    ['DISABLE', 'blocked'],
  ]) {
    await account({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: state } });
    expect(await restrictions()).toEqual([
      [kind, null],
      [kind, null],
    ]);
  }
  await account({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } });
  expect(await restrictions()).toEqual([null, null]);
  // Other events are counted, and the owner gets a notice.
  for (const event of ['ACCOUNT_VIOLATION', 'ACCOUNT_DELETED', 'PARTNER_REMOVED'])
    await account({ event });
  await post(ani, [
    { field: 'account_alerts', value: { alert_info: { alert_type: 'OBA_APPROVED' } } },
    {
      field: 'phone_number_name_update',
      value: { display_phone_number: ani.meta.numbers[0]!.phone, decision: 'REJECTED' },
    },
  ]);
  await ani.running.container.channels.health.close();
  const counted = await db.allAccountsSql<{ code: string; numbers: number }[]>`
    select code, count(distinct token_id)::int as numbers from provider_answers group by 1`;
  expect(Object.fromEntries(counted.map(({ code, numbers }) => [code, numbers]))).toMatchObject({
    FLAGGED: 1,
    ACCOUNT_RESTRICTION: 2,
    ACCOUNT_VIOLATION: 2,
    ACCOUNT_DELETED: 2,
    PARTNER_REMOVED: 2,
    ALERT_OBA_APPROVED: 2,
    NAME_REJECTED: 1,
  });
});
