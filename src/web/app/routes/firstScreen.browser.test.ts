import { expect, inject } from 'vitest';
import { readConversation } from '#contract/messages/conversations.ts';
import {
  answerFrom,
  ask,
  deliverText,
  newSender,
  signUp,
  topUp,
} from '#tests/journeys/support/portal.ts';
import { arrivesAt } from '#tests/journeys/support/steps.ts';
import { test } from '#tests/support/gallery.ts';

const address = inject('product');

test('with unread replies a visit begins in Percakapan, and Beranda opens by hand', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Songket', phone: '6281355506511' });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone: '62813555065119' });
  const peer = '6281234567021';
  await deliverText(address, sender, { to: peer, text: 'Songket Anda siap.' });
  await answerFrom(address, peer, { sender, text: 'Saya ambil sore' });
  const { open } = await person({ session: who.session });

  const tab = await open('/token');
  await tab.getByRole('heading', { name: 'Nomor', level: 1 }).waitFor();
  await tab.goto('/');
  const reply = tab.getByRole('link', { name: /Saya ambil sore/ });
  const home = tab.getByRole('heading', { name: 'Beranda', level: 1 });
  await reply.waitFor();
  expect(tab.url()).toMatch(/\/message-history\?view=percakapan$/);
  // By hand it is Beranda, also after a reload; Back leads to the conversations, then to the page before.
  await tab.getByRole('link', { name: 'Beranda', exact: true }).click();
  await home.waitFor();
  await tab.reload();
  await home.waitFor();
  expect(new URL(tab.url()).pathname).toBe('/');
  await tab.goBack();
  await reply.waitFor();
  await tab.goBack();
  await arrivesAt(tab, '/token');

  // As after a sign-in; a page to return to has precedence.
  await tab.goto('/auth/login');
  await reply.waitFor();
  expect(tab.url()).toMatch(/\/message-history\?view=percakapan$/);
  await tab.goto('/auth/login?from=%2Fsaldo');
  await arrivesAt(tab, '/saldo');
  await tab.goto('/?from=%2Fbilling');
  await arrivesAt(tab, '/billing');

  await ask(address, readConversation, { token_id: sender.id, peer }, who.session);
  await tab.goto('/');
  await home.waitFor();
  expect(new URL(tab.url()).pathname).toBe('/');
});
