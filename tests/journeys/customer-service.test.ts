import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { inboxMessages, readInbox, sendInbox, typeInbox } from '#contract/operator/support.ts';
import { checkToken } from '#contract/accounts.ts';
import { suspendCustomer } from '#contract/operator/customers.ts';
import { boxOf } from '#tests/support/gallery.ts';
import { settled } from './browser/browser.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { ask, askRows, newSender, signIn, signUp } from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';
import { arrivesAt } from './support/steps.ts';

const journey = setUpSharedJourney();

journey('a question, its answers, and messages written without a network', async (stage) => {
  const { address, operator } = stage.product;
  const who = await signUp(address, { name: 'Kopi Senja', phone: '6281355514001' });
  const sender = await newSender(address, who, { name: 'Kasir', phone: '6281355514002' });
  const desk = await signIn(address, operator);
  const { open, context } = await stage.person({
    session: who.session,
    expects: [/ERR_INTERNET_DISCONNECTED/],
  });
  const tab = await open(`/token?open=${sender.id}`);
  await tab.getByRole('link', { name: 'Tanya layanan pelanggan' }).click();
  await arrivesAt(tab, '/customer-service');
  const box = tab.getByRole('textbox', { name: /^Tulis pesan untuk/ });
  await tab.getByText('Nomor Kasir').waitFor();
  await box.fill('Mengapa pesan saya belum sampai?');
  await box.press('Enter');
  await tab.getByText('Terkirim', { exact: true }).waitFor({ state: 'attached' });
  await tab.getByRole('link', { name: /Nomor Kasir/ }).waitFor();

  const { account_id } = await ask(address, checkToken, {}, who.session);
  await ask(address, readInbox, { account_id, seq: 1 }, desk);
  await tab.getByText('Dibaca', { exact: true }).waitFor({ state: 'attached' });
  await ask(address, typeInbox, { account_id }, desk);
  await tab.getByText(/sedang mengetik/).waitFor();
  const answer = (text: string) =>
    ask(address, sendInbox, { account_id, message_id: randomUUID(), text }, desk);
  await tab.getByRole('link', { name: 'Beranda', exact: true }).click();
  await arrivesAt(tab, '/');
  // Until the chat closes, its viewer counts as reading.
  await box.waitFor({ state: 'detached' });
  await answer('Kami periksa dulu');
  await waitFor(async () => expect(await tab.title()).toMatch(/^\(1\) /));
  await tab.getByRole('link', { name: /^Layanan Pelanggan.*1 belum dibaca/ }).click();
  await tab.getByText('Belum dibaca', { exact: true }).waitFor();
  await waitFor(async () => expect(await tab.title()).not.toMatch(/^\(/));

  await context.setOffline(true);
  for (const text of ['Terima kasih', 'Saya tunggu']) {
    await box.fill(text);
    await box.press('Enter');
  }
  await tab.getByText('2 pesan menunggu tersambung.').waitFor();
  await answer('Ponselnya perlu dipindai lagi');
  await tab.close();
  await context.setOffline(false);
  const later = await open('/saldo');
  const words = async () => {
    const lines = await askRows(address, inboxMessages, { account_id }, desk);
    return lines.map(({ content }) => content.caption).toReversed();
  };
  const whole = [
    'Mengapa pesan saya belum sampai?',
    'Kami periksa dulu',
    'Ponselnya perlu dipindai lagi',
    'Terima kasih',
    'Saya tunggu',
  ];
  await waitFor(async () => expect(await words()).toEqual(whole));
  await later.getByRole('link', { name: /^Layanan Pelanggan/ }).click();
  await waitFor(async () => expect(await later.getByRole('article').count()).toBe(whole.length));
  await later.getByRole('button', { name: 'Tutup percakapan' }).click();
  await later.getByRole('alertdialog').getByRole('button', { name: 'Tutup percakapan' }).click();
  // New content of a thread is hidden, and gets no events, until it has been measured.
  const best = later.getByRole('radio', { name: /^5 dari 5/ });
  await best.waitFor();
  await best.press('Space');
  await later.getByRole('button', { name: 'Kirim penilaian' }).click();
  await waitFor(async () => expect((await words()).at(-1)).toBe('Dinilai 5 dari 5'));
});

journey('a suspended customer sees answers live, on a page that fits', async (stage) => {
  const { address, operator } = stage.product;
  const who = await signUp(address, { name: 'Kopi Duka', phone: '6281355514003' });
  const desk = await signIn(address, operator);
  const { account_id } = await ask(address, checkToken, {}, who.session);
  const reason = 'Banyak laporan penipuan dari penerima pesan';
  await ask(address, suspendCustomer, { account_id, becomes: 'suspended', reason }, desk);
  const { phone, password } = who;
  const session = await signIn(address, { phone, password });
  const { open } = await stage.person({ session, width: 390 });
  const tab = await open('/saldo');
  await tab.getByText(reason).waitFor();
  await tab.getByRole('link', { name: 'Hubungi layanan pelanggan' }).click();
  await arrivesAt(tab, '/customer-service');
  const box = tab.getByRole('textbox', { name: /^Tulis pesan untuk/ });
  await box.fill('Mengapa akun saya ditangguhkan?');
  await box.press('Enter');
  await tab.getByText('Terkirim', { exact: true }).waitFor({ state: 'attached' });
  const message_id = randomUUID();
  await ask(address, sendInbox, { account_id, message_id, text: 'Kami jelaskan' }, desk);
  await tab.getByText('Kami jelaskan').waitFor();

  const bar = tab.getByText(reason);
  const title = tab.getByRole('heading', { level: 1 });
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ] as const) {
    await tab.setViewportSize({ width, height });
    await settled(tab);
    const [above, head, foot] = await Promise.all([bar, title, box].map(boxOf));
    expect(head?.x).toBeGreaterThanOrEqual(16);
    expect(head?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
    // The box is at the foot of the window; there is no menu below it.
    const below = height - (foot?.y ?? 0) - (foot?.height ?? 0);
    expect(below).toBeGreaterThan(0);
    expect(below).toBeLessThan(48);
  }
  await tab.getByRole('button', { name: 'Keluar' }).click();
  await arrivesAt(tab, '/auth/login');
});
