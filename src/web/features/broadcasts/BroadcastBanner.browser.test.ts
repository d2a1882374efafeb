import type { Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import type { ShownBroadcast } from '#contract/operator/broadcasts.ts';
import { checkToken } from '#contract/accounts.ts';
import {
  fakeActs,
  fakeChanges,
  fakeRequests,
  type FakeActs,
} from '#tests/journeys/support/fake-acts.ts';
import { signUp } from '#tests/journeys/support/portal.ts';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

type Profile = { open: (path?: string) => Promise<Page>; wrongs: readonly string[] };
type Profiles = { open: (options: object) => Promise<Profile> };

/** The server's broadcasts and their name. A test changes it, as operators would. */
type World = { name: string | undefined; broadcasts: ShownBroadcast[] };

let customer: Promise<string> | undefined;

/** Opens a customer's profile with the broadcasts of `world`; the rest is the product's own. */
async function at(profiles: Profiles, world: World, acts: FakeActs = {}) {
  const phone = `62857${String(Date.now() % 1e8).padStart(8, '0')}`;
  customer ??= signUp(inject('product'), { name: 'Kopi Senja', phone }).then((one) => one.session);
  const { open, wrongs } = await profiles.open({
    session: await customer,
    expects: [/status of (?:422|503)/],
  });
  const before = wrongs.length;
  const tab = await open();
  onTestFinished(async () => {
    await tab.close();
    expect(wrongs.slice(before)).toEqual([]);
  });
  const asked = await fakeActs(tab, {
    broadcast_list: () => ({ broadcasts: world.broadcasts }),
    ...acts,
  });
  const changed = Promise.withResolvers<void>();
  let streams = 0;
  await fakeChanges(tab, checkToken, () => ({ broadcasts: world.name }));
  await fakeRequests(tab, async ({ act }) => {
    if (act !== 'events') return undefined;
    streams += 1;
    // The first stream brings the event; later ones are silent.
    await (streams > 1 ? new Promise(() => {}) : changed.promise);
    const text = 'event: broadcast.changed\ndata: {"kind":"broadcast.changed"}\n\n';
    return { type: 'text/event-stream', text };
  });
  await tab.goto(`${inject('gallery')}/profile`);
  await tab.getByRole('heading', { name: 'Profil', level: 1 }).waitFor();
  return { tab, asked, change: () => changed.resolve() };
}

const holiday: ShownBroadcast = {
  id: publicId('broadcast', '019ab000-0000-7000-8000-000000000001'),
  title: 'Libur Natal',
  text: 'Kami tutup. Lihat https://kabari.example/libur',
  tone: 'info',
  until: null,
};
const outage: ShownBroadcast = {
  id: publicId('broadcast', '019ab000-0000-7000-8000-000000000002'),
  title: 'Gangguan pengiriman',
  text: 'Pesan keluar lebih lambat.',
  tone: 'warning',
  until: null,
};
const maintenance = { ...outage, id: null, title: 'Pemeliharaan' };

const notice = (tab: Page, { title }: ShownBroadcast) =>
  tab.locator('main').locator('[role=status], [role=alert]').filter({ hasText: title });
const close = (tab: Page, which: ShownBroadcast) =>
  notice(tab, which).getByRole('button', { name: 'Tutup' });
const titles = (tab: Page, of: readonly ShownBroadcast[]) =>
  Promise.all(of.map(async (one) => ((await notice(tab, one).count()) > 0 ? one.title : '')));

test('closing a notice leaves the others, and maintenance cannot be closed', async ({
  profiles,
}) => {
  const world = { name: 'a', broadcasts: [holiday, maintenance, outage] };
  const { tab, asked } = await at(profiles, world, { broadcast_close: () => ({}) });
  await close(tab, holiday).click();
  await notice(tab, holiday).waitFor({ state: 'detached' });
  await tab.locator('h1:focus').waitFor();
  expect(await titles(tab, [maintenance, outage])).toEqual(['Pemeliharaan', 'Gangguan pengiriman']);
  expect(await close(tab, maintenance).count()).toBe(0);
  const closed = asked.filter(({ act }) => act === 'broadcast_close');
  expect(closed.map(({ broadcast_id }) => broadcast_id)).toEqual([holiday.id]);
});

test('a notice comes back when closing it failed on the server', async ({ profiles }) => {
  const answered = Promise.withResolvers<void>();
  const refused = { refused: 'not_found', message: 'Tidak ada.', facts: { what: 'Pengumuman' } };
  const world = { name: 'a', broadcasts: [holiday] };
  const { tab } = await at(profiles, world, { broadcast_close: () => refused });
  await fakeRequests(tab, async ({ act }) => {
    if (act === 'broadcast_close') await answered.promise;
    return undefined;
  });
  await close(tab, holiday).click();
  await notice(tab, holiday).waitFor({ state: 'detached' });
  answered.resolve();
  await close(tab, holiday).waitFor();
});

test('a notice disappears when it ends, and an ended one is not shown', async ({ profiles }) => {
  const endsIn = (ms: number) => ({ until: new Date(Date.now() + ms) });
  const { tab } = await at(
    profiles,
    { name: 'a', broadcasts: [] },
    {
      broadcast_list: () => ({
        broadcasts: [
          { ...holiday, ...endsIn(3_600_000) },
          { ...outage, ...endsIn(1_000) },
          { ...maintenance, ...endsIn(-1) },
        ],
      }),
    },
  );
  await notice(tab, holiday).waitFor();
  await notice(tab, outage).waitFor({ state: 'detached' });
  expect(await titles(tab, [holiday, maintenance])).toEqual(['Libur Natal', '']);
});

test('operators’ changes reach the open page, and a warning is announced assertively', async ({
  profiles,
}) => {
  const world = { name: 'a', broadcasts: [holiday, maintenance] };
  const { tab, change } = await at(profiles, world);
  await notice(tab, maintenance).waitFor();
  expect(await notice(tab, maintenance).getAttribute('role')).toBe('status');
  await tab.keyboard.press('Tab');
  Object.assign(world, { name: 'b', broadcasts: [maintenance, outage] });
  change();
  await tab.getByRole('alert').filter({ hasText: outage.title }).waitFor();
  expect(await titles(tab, [holiday, maintenance])).toEqual(['', 'Pemeliharaan']);
});

test('failed or empty broadcasts leave the page as it is', async ({ profiles }) => {
  const world: World = { name: 'a', broadcasts: [] };
  let fails = true;
  const list = () =>
    fails ? { refused: 'internal', message: 'Gangguan.' } : { broadcasts: world.broadcasts };
  const { tab, asked, change } = await at(profiles, world, { broadcast_list: list });
  const lists = () => asked.filter(({ act }) => act === 'broadcast_list').length;
  await waitFor(() => expect(lists()).toBe(2));
  fails = false;
  world.name = 'b';
  change();
  await waitFor(() => expect(lists()).toBe(3));
  await tab.getByRole('heading', { name: 'Kata sandi' }).waitFor();
  expect(await tab.getByRole('alert').count()).toBe(0);
  expect(await titles(tab, [holiday, maintenance, outage])).toEqual(['', '', '']);
});
