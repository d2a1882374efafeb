import { expect, inject } from 'vitest';
import { nameContact } from '#contract/messages/conversations.ts';
import { createToken } from '#contract/tokens.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { answerFrom, ask, newSender, signUp, topUp } from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { press, write } from '#tests/journeys/support/steps.ts';

const address = inject('product');

test('a number that writes STOP appears in the open list and is allowed again, and another is stopped with a reason', async ({
  person,
}) => {
  const who = await signUp(address, { name: 'Toko Melati', phone: '6281355506301' });
  await topUp(address, who, 50_000);
  const sender = await newSender(address, who, { name: 'Kasir', phone: '62813555063019' });
  // A token without replies is not the one whose list is opened.
  await ask(address, createToken, { name: 'Cabang', channel: 'simulator' }, who.session);
  const { open } = await person({ session: who.session, width: 390 });
  const { faults, look } = inspectionHere();
  const tab = await open('/message-history/berhenti');
  await tab.getByText('Belum ada yang berhenti').waitFor();
  await look(tab, 'nobody has stopped');
  await answerFrom(address, '6281234567001', { sender, text: 'Stop.' });
  await tab.getByRole('row').filter({ hasText: '7001' }).waitFor();
  await tab.getByText('oleh penerima sendiri').waitFor();
  const named = { peer: '6281234567001', name: 'Bu Ani, Katering' };
  await ask(address, nameContact, named, who.session);
  await tab.reload();
  const row = tab.getByRole('row').filter({ hasText: 'Bu Ani, Katering' });
  await row.getByText('+62 812-3456-7001').waitFor();
  await press(tab, tab.getByRole('button', { name: 'Tandai berhenti' }).first());
  const dialog = tab.getByRole('dialog', { name: 'Tandai berhenti dari Kasir' });
  await write(tab, dialog.getByRole('textbox', { name: /^Nomor/ }), '81234567002');
  await write(tab, dialog.getByLabel('Alasan'), 'Meminta lewat telepon');
  await look(tab, 'stopping a number');
  await press(tab, dialog.getByRole('button', { name: 'Tandai berhenti' }));
  await tab.getByText('+62 812-3456-7002').waitFor();
  await look(tab, 'two have stopped');
  const other = await open('/message-history/berhenti');
  await other.setViewportSize({ width: 1440, height: 900 });
  const gone = other.getByRole('row').filter({ hasText: '7001' });
  await gone.waitFor();
  const allow = await gone.getByRole('button', { name: 'Izinkan' }).boundingBox();
  const table = await other.getByRole('table').boundingBox();
  expect((allow?.x ?? 0) + (allow?.width ?? 0)).toBeLessThan((table?.x ?? 0) + (table?.width ?? 0));
  const first = tab.getByRole('row').filter({ hasText: '7001' });
  await press(tab, first.getByRole('button', { name: 'Izinkan' }));
  await press(tab, tab.getByRole('alertdialog').getByRole('button', { name: 'Izinkan' }));
  await first.waitFor({ state: 'detached' });
  await gone.waitFor({ state: 'detached' });
  // The focus moves to the next row, and from the last one to the heading.
  const left = tab.getByRole('row').filter({ hasText: '7002' });
  await left.getByRole('button', { name: 'Izinkan' }).and(tab.locator(':focus')).waitFor();
  await tab.keyboard.press('Enter');
  await press(tab, tab.getByRole('alertdialog').getByRole('button', { name: 'Izinkan' }));
  await left.waitFor({ state: 'detached' });
  await tab.locator('h1:focus').waitFor({ state: 'attached' });
  expect(faults).toEqual([]);
});
