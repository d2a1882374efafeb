import { expect, inject } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import type { ConversationMessage } from '#contract/messages.ts';
import {
  type Conversation,
  conversationMessages,
  getConversation,
  listConversations,
  readConversation,
} from '#contract/messages/conversations.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { sendTemplate } from '#contract/messages/sending.ts';
import { listTemplates } from '#contract/messages/templates.ts';
import { createToken, getToken, listTokens, type Token } from '#contract/tokens.ts';
import { fakeAct, fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { ask, signUp } from '#tests/journeys/support/portal.ts';
import { approvedTemplate } from '#tests/support/channels/samples.ts';
import { test } from '#tests/support/gallery.ts';
import { inspectionHere } from '#tests/support/one-look.ts';

const address = inject('product');

const PEER = '6281390004421';
const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

/** A token of the Cloud API as it is once its number is connected. */
async function cloudToken(phone: string) {
  const who = await signUp(address, { name: 'Toko Dahlia', phone });
  const fields = { name: 'Cabang', channel: 'cloud' } as const;
  const made = await ask(address, createToken, fields, who.session);
  const token: Token = { ...made.token, status: 'linked', phone: '6281227001180' };
  return { session: who.session, token };
}

let made = 0;

function message({ id, name }: Token, peer: string, more: Partial<ConversationMessage>) {
  made += 1;
  const caption = more.content?.caption ?? more.excerpt ?? '';
  const content = { type: 'text', caption, url: null, external: false, filename: null } as const;
  const one: ConversationMessage = {
    id: publicId('message', `019ab000-0000-7000-8000-${String(made).padStart(12, '0')}`),
    direction: 'in',
    token: { id, name },
    peer,
    peer_name: null,
    type: 'text',
    excerpt: caption,
    status: 'received',
    price: rupiah(0),
    possible_duplicate: false,
    failure: null,
    created_at: new Date(),
    scheduled_at: null,
    content: { ...content, name: null, phone: null },
    quoted: null,
    reactions: [],
    ...more,
  };
  return one;
}

const conversation = (token: Token, peer: string, more: Partial<Conversation>): Conversation => ({
  token: { id: token.id, name: token.name, status: token.status, channel: token.channel },
  peer,
  peer_name: null,
  contact_name: null,
  pinned: false,
  type: 'text',
  preview: '',
  direction: 'in',
  status: 'received',
  unread: 0,
  last_at: new Date(),
  last_in_at: new Date(),
  ...more,
});

const isOf = (fields: { readonly peer?: string }) => (one: { peer: string }) =>
  writtenPeer(one.peer) === fields.peer;

/** Fakes of a token and its conversations; `messages` is read at each request, newest first. */
const thread = (token: Token, all: readonly Conversation[], messages: ConversationMessage[]) => ({
  ...fakeAct(listTokens, () => ({ list: [token] })),
  ...fakeAct(getToken, () => token),
  ...fakeAct(listConversations, () => all),
  ...fakeAct(readConversation, () => ({ unread_total: 0 })),
  ...fakeAct(getConversation, (fields) => all.find(isOf(fields)) ?? null),
  ...fakeAct(conversationMessages, (fields) => messages.filter(isOf(fields))),
});

const pathOf = ({ id }: Token, peer: string) =>
  `/message-history?view=percakapan&open=${id}&peer=${peer}`;

test('a closed window is announced, and only templates of Meta can be sent', async ({ person }) => {
  const { session, token } = await cloudToken('6281355592001');
  const { open } = await person({ session, width: 390 });
  const tab = await open();
  const messages = [message(token, PEER, { excerpt: 'Sudah dikirim?' })];
  const template = approvedTemplate('pesanan_siap', {
    body: 'Halo {{1}}, pesanan Anda siap.',
    variables: ['1'],
    created_at: hoursAgo(48),
  });
  const closed = conversation(token, PEER, { last_in_at: hoursAgo(25) });
  const requests = await fakeActs(tab, {
    ...thread(token, [closed], messages),
    ...fakeAct(listTemplates, () => ({ list: [template] })),
    ...fakeAct(sendTemplate, () => {
      const sent = message(token, PEER, {
        direction: 'out',
        type: 'template',
        status: 'read',
        excerpt: 'Halo Bu Sri, pesanan Anda siap.',
      });
      messages.unshift(sent);
      return sent;
    }),
  });
  const { faults, look } = inspectionHere();
  await tab.goto(pathOf(token, PEER));
  await tab.getByText(/^Jendela 24 jam berakhir .* hanya templat yang dapat dikirim\.$/).waitFor();
  expect(await tab.getByRole('textbox').count()).toBe(0);
  await look(tab, 'a window that is closed');

  await tab.getByRole('button', { name: 'Kirim templat' }).click();
  const templates = tab.getByRole('list', { name: 'Templat yang disetujui' });
  await templates.getByRole('button', { name: /pesanan_siap/ }).waitFor();
  const listed = requests.findLast(({ act }) => act === listTemplates.name);
  expect(listed).toMatchObject({ token_id: token.id, status: 'approved' });
  await look(tab, 'the templates of Meta');
  await templates.getByRole('button', { name: /pesanan_siap/ }).click();
  await tab.getByRole('dialog').getByLabel('Isi {{1}}').fill('Bu Sri');
  await tab.getByRole('dialog').getByRole('button', { name: 'Kirim templat' }).click();
  const article = tab.getByRole('article').filter({ hasText: 'Halo Bu Sri, pesanan Anda siap.' });
  await article.getByText('Dibaca').waitFor();
  expect(requests.find(({ act }) => act === sendTemplate.name)).toMatchObject({
    token_id: token.id,
    name: 'pesanan_siap',
    language: 'id',
    'variables[]': 'Bu Sri',
  });
  expect(faults).toEqual([]);
});

test('an open window shows its end, and a hidden number its last letters', async ({ person }) => {
  const { session, token } = await cloudToken('6281355592002');
  const { open } = await person({ session });
  const tab = await open();
  const hidden = 'ID.1A2B3C4D5E';
  const name = 'Sari Wulandari';
  const messages = [
    message(token, PEER, { excerpt: 'Apakah masih buka?' }),
    message(token, hidden, { excerpt: 'Kak, bisa kirim ke Cimahi?', peer_name: name }),
  ];
  await fakeActs(tab, {
    ...thread(
      token,
      [
        conversation(token, PEER, { preview: 'Apakah masih buka?' }),
        conversation(token, hidden, { preview: 'Kak, bisa kirim ke Cimahi?', peer_name: name }),
      ],
      messages,
    ),
    message_list: () => ({ list: messages }),
  });
  const { faults, look } = inspectionHere();
  await tab.goto('/message-history?view=percakapan');
  await tab.getByText('Apakah masih buka?').first().click();
  await tab.getByText(/^Jendela 24 jam berakhir/).waitFor();
  await look(tab, 'a window that is open');
  await tab.getByText('Kak, bisa kirim ke Cimahi?').first().click();
  await tab.getByText(/^Tanpa nomor/).waitFor();
  await tab.getByRole('textbox', { name: /^Tulis pesan untuk Sari/ }).waitFor();
  await look(tab, 'a conversation with a hidden number');
  await tab.goto('/message-history');
  await tab
    .getByText(/^Tanpa nomor/)
    .first()
    .waitFor();
  await look(tab, 'messages of a hidden number');
  expect(faults).toEqual([]);
});
