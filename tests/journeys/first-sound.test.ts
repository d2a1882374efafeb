import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { answerFrom, deliverText, newSender, signUp, topUp } from './support/portal.ts';
import type { Kind } from './browser/spies.ts';
import { ask } from './support/frame-shop.ts';
import { setUpSharedJourney } from './support/stage.ts';

const journey = setUpSharedJourney();

journey(
  'a sound is tried before the first touch, a block is reported, and title and icon show the unread count',
  async ({ product: { address }, person }) => {
    const who = await signUp(address, { name: 'Apotek Waras', phone: '6281355515009' });
    await topUp(address, who, 50_000);
    const sender = await newSender(address, who, { name: 'Kasir', phone: who.phone });
    const peer = '6281299990019';
    await deliverText(address, sender, { to: peer, text: 'Obat Ibu sudah siap.' });
    const { open, observed } = await person({ session: who.session });
    const counted = (kind: Kind) => observed.filter((one) => one.kind === kind).length;

    // Playwright's queries count as a touch, so none may run before the sound was tried.
    const tab = await open();
    const following = tab.waitForResponse((answer) =>
      (answer.request().postData() ?? '').includes('act=events'),
    );
    await tab.goto(address);
    await following;
    await answerFrom(address, peer, { sender, text: 'Baik' });
    await waitFor(() => expect(counted('refused')).toBe(1));
    expect(counted('sound')).toBe(1);
    expect(observed.find(({ kind }) => kind === 'refused')?.what).toBe('NotAllowedError');
    await tab.getByText(/^Browser menahan bunyi pesan baru/).waitFor();
    await waitFor(async () => expect(await tab.title()).toBe('(1) Beranda · Kabari'));
    const icon = () => tab.locator('link[rel="icon"]').first().getAttribute('href');
    await waitFor(async () => expect(await icon()).toBe('/favicon-unread.svg'));
    await tab
      .getByRole('status')
      .getByText(/^Pesan baru dari /)
      .waitFor({ state: 'attached' });

    await tab.getByRole('heading', { name: 'Beranda' }).click();
    const sounding = async () => (await tab.evaluate(() => navigator.locks.query())).held ?? [];
    await waitFor(async () =>
      expect((await sounding()).map(({ name }) => name)).not.toContain('bunyi'),
    );
    await answerFrom(address, peer, { sender, text: 'Sudah di depan' });
    await waitFor(() => expect(counted('sound')).toBe(2));
    expect(counted('refused')).toBe(1);
    await tab
      .getByRole('navigation', { name: 'Menu utama' })
      .getByRole('link', { name: 'Pesan 2 belum dibaca' })
      .waitFor();
    await ask(tab, 'percakapan');
    await tab.getByRole('link', { name: /Sudah di depan/ }).click();
    await waitFor(async () => expect(await tab.title()).toBe('Pesan · Kabari'));
    await waitFor(async () => expect(await icon()).toBe('/favicon.svg'));
  },
);
