import type { Locator, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import type { LiveEvent } from '#contract/events.ts';
import { signUp } from '#tests/journeys/support/portal.ts';
import { isFocused } from '#tests/journeys/support/steps.ts';
import { test } from '#tests/support/gallery.ts';
import { fakeInbox, type InboxWorld } from '#tests/support/inbox/fake-inbox.ts';
import { inboxWorld, others, textLine } from '#tests/support/inbox/samples.ts';
import { waitFor } from '#tests/support/wait-for.ts';

type Options = { session: string; expects?: readonly RegExp[]; width?: number };
type Profiles = {
  open: (options: Options) => Promise<{ open: () => Promise<Page>; wrongs: readonly string[] }>;
};

let somebody: Promise<string> | undefined;

/** An operator at the inbox of `world`; everything else is the product's own. */
async function at(world: InboxWorld, profiles: Profiles, query = '', width = 1440) {
  const phone = `62859${String(Date.now() % 1e8).padStart(8, '0')}`;
  somebody ??= signUp(inject('product'), { name: 'Dimas', phone }).then((one) => one.session);
  const { open, wrongs } = await profiles.open({
    session: await somebody,
    expects: [/status of 503/],
    width,
  });
  const before = wrongs.length;
  const tab = await open();
  await fakeInbox(tab, world);
  await tab.goto(`${inject('gallery')}/operator/layanan${query}`);
  const done = async () => {
    expect(wrongs.slice(before)).toEqual([]);
    // Unsent messages would be sent in the next test, which shares the browser.
    const lines = () => Object.keys(localStorage).filter((name) => name.includes('unsent '));
    await waitFor(async () => expect(await tab.evaluate(lines)).toEqual([]));
    await tab.close();
  };
  return { tab, done };
}

const row = (tab: Page, name: string) => tab.getByRole('link', { name: new RegExp(name) });
const words = async (place: Locator) => (await place.innerText()).replaceAll(/\s+/g, ' ');
const box = (tab: Page) => tab.getByRole('textbox', { name: /^Tulis pesan untuk/ });
const names = (tab: Page) =>
  tab
    .getByRole('list', { name: 'Percakapan', exact: true })
    .locator('bdi:first-child')
    .allInnerTexts();
const openOf = (tab: Page) => new URL(tab.url()).searchParams.get('open');

/** The first thread of a world, which has waited longest. */
function first(world: InboxWorld) {
  const [thread] = world.threads;
  if (!thread) throw new Error('there is no thread');
  return thread;
}

const typing = (world: InboxWorld): LiveEvent => ({
  kind: 'support.typing',
  account_id: first(world).row.account_id,
  side: 'operator',
  user_id: others.rina.id,
  name: others.rina.name,
  doing: 'answer',
});

test('a waiting thread is found, answered and closed with the keyboard alone', async ({
  profiles,
}) => {
  const world = inboxWorld();
  const { tab, done } = await at(world, profiles);
  await row(tab, 'Bengkel Jaya').waitFor();
  expect(await words(row(tab, 'Bengkel Jaya'))).toMatch(/Menunggu 2 jam ?, terlambat/);
  expect(await words(row(tab, 'Klinik Sehat'))).toMatch(/27 mnt ?, segera jawab/);
  expect(await words(row(tab, 'Toko Sari'))).toMatch(/Menunggu 15 jam .*Ditangani Anda/);

  await tab.keyboard.press('j');
  await waitFor(async () => expect(await isFocused(tab, row(tab, 'Bengkel Jaya'))).toBe(true));
  await tab.keyboard.press('j');
  await tab.keyboard.press('k');
  await tab.keyboard.press('Enter');
  await waitFor(async () => expect(await isFocused(tab, box(tab))).toBe(true));
  // Letters are text here, not shortcuts.
  await tab.keyboard.type('jk');
  await tab.keyboard.press('Enter');
  await waitFor(() =>
    expect(world.asked).toContainEqual(
      expect.objectContaining({ act: 'operator_support_send', text: 'jk' }),
    ),
  );
  await row(tab, 'Bengkel Jaya').waitFor({ state: 'hidden' });
  await tab.getByRole('article', { name: /^Anda/ }).waitFor();
  const finish = tab.getByRole('button', { name: 'Selesai' });
  await finish.focus();
  await tab.keyboard.press('Enter');
  await tab.getByRole('button', { name: 'Buka lagi' }).first().waitFor();
  await box(tab).focus();
  await tab.keyboard.press('Escape');
  await waitFor(() => expect(openOf(tab)).toBeNull());
  // Shortcuts work again once dialogs and boxes have lost focus.
  const search = tab.getByRole('searchbox');
  await waitFor(async () => {
    if (!(await isFocused(tab, search))) await tab.keyboard.press('/');
    expect(await isFocused(tab, search)).toBe(true);
  });
  await tab.keyboard.type('kopi');
  await row(tab, 'Kopi Senja').waitFor();
  await waitFor(() => expect(new URL(tab.url()).searchParams.get('q')).toBe('kopi'));
  await tab.keyboard.press('ArrowDown');
  await waitFor(async () => expect(await isFocused(tab, row(tab, 'Kopi Senja'))).toBe(true));
  await done();
});

test('a slash offers canned replies, handled by arrows, Enter and Escape', async ({ profiles }) => {
  const world = inboxWorld();
  const { tab, done } = await at(world, profiles, `?open=${first(world).row.account_id}`);
  const list = tab.getByRole('listbox', { name: 'Jawaban siap pakai' });
  const marked = () => list.locator('[aria-selected="true"]').innerText();
  await tab.getByText('Token saya terputus').last().waitFor();
  await box(tab).fill('/');
  await list.waitFor();
  expect(await list.getByRole('option').count()).toBe(3);
  await tab.keyboard.press('ArrowDown');
  await waitFor(async () => expect(await marked()).toMatch(/^\/salam/));
  const id = await box(tab).getAttribute('aria-activedescendant');
  expect(await tab.locator(`[id="${id}"]`).innerText()).toMatch(/^\/salam/);
  await tab.keyboard.press('Escape');
  await list.waitFor({ state: 'hidden' });
  expect(await box(tab).inputValue()).toBe('/');
  await box(tab).fill('Baik. /sal');
  await list.waitFor();
  await tab.keyboard.press('Enter');
  await waitFor(async () =>
    expect(await box(tab).inputValue()).toBe(
      'Baik. Selamat datang, Bengkel Jaya Abadi. Ada yang bisa kami bantu?',
    ),
  );
  expect(world.asked.filter(({ act }) => act === 'operator_support_send')).toEqual([]);
  await box(tab).fill('');
  await done();
});

test('another operator’s typing is shown, and their answer prompts a confirmation before a second one', async ({
  profiles,
}) => {
  const world = inboxWorld();
  const { tab, done } = await at(world, profiles, `?open=${first(world).row.account_id}`);
  await tab.getByText('Token saya terputus').last().waitFor();
  const warning = tab.getByText('Rina Kusuma sedang mengetik di sini');
  // Events reach only open streams, and the stream may open later than the page.
  await waitFor(async () => {
    const isShown = (await warning.count()) > 0;
    if (!isShown && world.events.length === 0) world.events.push(typing(world));
    expect(isShown).toBe(true);
  });
  world.events.length = 0;
  await box(tab).fill('Sedang kami periksa.');
  const thread = first(world);
  const answer = textLine(5, 'Sudah kami sambungkan lagi.', {
    side: 'operator',
    author: others.rina.name,
  });
  thread.lines.push(answer);
  thread.row.waiting_since = null;
  const { id, seq, at: when } = answer;
  world.events.push({
    kind: 'support.message',
    account_id: thread.row.account_id,
    side: 'operator',
    name: others.rina.name,
    id,
    seq,
    at: when,
  });
  await tab.getByText('Sudah kami sambungkan lagi.').waitFor();
  await warning.first().waitFor({ state: 'hidden' });
  await box(tab).press('Enter');
  const question = tab.getByRole('alertdialog');
  expect(await question.innerText()).toMatch(
    /Rina Kusuma baru saja menjawab[\s\S]*Sudah kami sambungkan lagi/,
  );
  await question.getByRole('button', { name: 'Batal' }).click();
  expect(await box(tab).inputValue()).toBe('Sedang kami periksa.');
  await box(tab).press('Enter');
  await waitFor(async () => expect(await box(tab).inputValue()).toBe(''));
  const sent = () => world.asked.filter(({ act }) => act === 'operator_support_send');
  await waitFor(() => expect(sent()).toHaveLength(1));
  await done();
});

test('a note is marked as one, and goes to operators only', async ({ profiles }) => {
  const world = inboxWorld();
  const { tab, done } = await at(world, profiles, `?open=${first(world).row.account_id}`);
  const looks = () =>
    box(tab).evaluate((area) => {
      const submit = area.closest('form')?.querySelector('[type=submit]');
      return [area, area.closest('form')?.parentElement, submit].map((one) => {
        const { backgroundColor, borderStyle } = getComputedStyle(one ?? document.body);
        return `${backgroundColor} ${borderStyle}`;
      });
    });
  await box(tab).fill('Pernah menunggak.');
  await tab.getByRole('button', { name: 'Kirim', exact: true }).waitFor();
  const answer = await looks();
  await tab.getByRole('button', { name: 'Catatan internal' }).click();
  await tab.getByText('Hanya operator yang melihatnya').waitFor();
  // Box, frame and button all change, so that a note is not mistaken for an answer.
  await waitFor(async () => {
    const note = await looks();
    expect(note.filter((look, nth) => look === answer[nth])).toEqual([]);
  });
  expect(await tab.getByRole('button', { name: 'Kirim', exact: true }).count()).toBe(0);
  await tab.getByRole('button', { name: 'Simpan catatan' }).click();
  await tab.getByText('Catatan internal').nth(1).waitFor();
  await waitFor(() => {
    const sent = world.asked.filter(({ act }) => act === 'operator_support_send');
    expect(sent).toEqual([expect.objectContaining({ internal: '1' })]);
  });
  await row(tab, 'Bengkel Jaya').waitFor();
  await done();
});

test('a thread is assigned, snoozed and reopened; a failure is shown and can be retried', async ({
  profiles,
}) => {
  const world = inboxWorld();
  const { tab, done } = await at(world, profiles, `?open=${first(world).row.account_id}`);
  const assignee = tab.getByRole('button', { name: /^Yang menangani/ });
  await assignee.click();
  await tab.getByRole('menuitem', { name: 'Saya tangani' }).click();
  await waitFor(async () => expect(await words(assignee)).toMatch(/Anda$/));
  world.failing = /_snooze$/;
  const snooze = tab.getByRole('button', { name: 'Tunda', exact: true });
  await snooze.click();
  await tab.getByRole('menuitem', { name: 'Besok 08.00' }).click();
  await tab.getByRole('alert').getByText('Sedang penuh').waitFor();
  world.failing = undefined;
  await snooze.click();
  await tab.getByRole('menuitem', { name: 'Besok 08.00' }).click();
  await tab.getByRole('button', { name: /08\.00 WIB/ }).waitFor();
  const snoozed = world.asked.findLast(({ act }) => act === 'operator_support_snooze');
  expect(snoozed?.['until']).toMatch(/T01:00:00\.000Z$/);
  await row(tab, 'Bengkel Jaya').waitFor({ state: 'hidden' });
  await tab.getByRole('button', { name: 'Buka lagi' }).click();
  await row(tab, 'Bengkel Jaya').waitFor();
  await done();
});

test('canned replies are created, edited and deleted', async ({ profiles }) => {
  const world = inboxWorld({ canned: [] });
  const { tab, done } = await at(world, profiles, '?replies=1');
  const dialog = tab.getByRole('dialog');
  const add = dialog.getByRole('button', { name: 'Tambah jawaban' });
  await add.press('Enter');
  await waitFor(async () => expect(await isFocused(tab, dialog.getByLabel('Nama'))).toBe(true));
  await tab.keyboard.type('Jam Buka');
  await tab.keyboard.press('Escape');
  const asked = tab.getByRole('alertdialog');
  await asked.getByRole('button', { name: 'Lanjut menulis' }).click();
  await dialog.getByLabel('Isi').fill('Kami buka pukul 08.00, {nama}.');
  await dialog.getByRole('button', { name: 'Simpan' }).click();
  await dialog.getByText('Pakai huruf kecil, angka, dan tanda hubung.').waitFor();
  await dialog.getByLabel('Nama').fill('jam-buka');
  await dialog.getByRole('button', { name: 'Simpan' }).click();
  await dialog.getByText('/jam-buka').waitFor();
  expect(await isFocused(tab, add)).toBe(true);
  await dialog.getByRole('button', { name: 'Hapus /jam-buka' }).click();
  await asked.getByRole('button', { name: 'Hapus' }).click();
  await dialog.getByText('Belum ada jawaban siap pakai').waitFor();
  expect(world.canned).toEqual([]);
  await done();
});

test('an empty queue says so, and a failed one can be reloaded', async ({ profiles }) => {
  const world = inboxWorld({ threads: [] });
  const { tab, done } = await at(world, profiles, '', 390);
  await tab.getByText('Tidak ada yang menunggu').waitFor();
  world.failing = /_list$/;
  await tab.getByRole('link', { name: /^Terbuka/ }).click();
  const again = tab.getByRole('button', { name: 'Coba lagi' });
  await again.waitFor();
  world.failing = undefined;
  await again.click();
  await tab.getByText('Tidak ada percakapan terbuka').waitFor();
  expect(await names(tab).catch(() => [])).toEqual([]);
  await done();
});
