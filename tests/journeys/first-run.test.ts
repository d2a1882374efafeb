import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { listTokens } from '#contract/tokens.ts';
import { decode } from '#web/browser/session.ts';
import { PASSWORD, askRows } from './support/portal.ts';
import { setUpSharedJourney } from './support/stage.ts';
import { arrivesAt, tabFrom, write } from './support/steps.ts';

const journey = setUpSharedJourney();

/** Counts what a hand does: every click or tap, and every change to another tab. */
function startCounting(isPhone: boolean) {
  const done: string[] = [];
  return {
    done,
    press: async (what: string, place: Locator): Promise<void> => {
      done.push(what);
      await (isPhone ? place.tap() : place.click());
    },
    backTo: async (what: string, tab: Page): Promise<void> => {
      done.push(`to the tab of ${what}`);
      await tab.bringToFront();
    },
  };
}

const tokensOf = async (address: string, tab: Page) => {
  const stored = await tab.evaluate(() => localStorage.getItem('auth-token'));
  return askRows(address, listTokens, {}, decode(stored ?? ''));
};

for (const [width, phone, own] of [
  [1440, '0813-5550-9101', '6281355509101'],
  [390, '0813-5550-9102', '6281355509102'],
] as const) {
  journey(
    `eight clicks lead from registering to the first message, at ${width} px`,
    async ({ product: { address }, person }) => {
      const { context, open } = await person({ width });
      const { press, backTo, done } = startCounting(width === 390);
      const tab = await open('/auth/register');
      await write(tab, tab.getByLabel('Nama Anda atau nama usaha'), 'Toko Melati');
      await write(tab, tab.getByLabel('Nomor ponsel'), phone);
      await write(tab, tab.getByLabel('Kata sandi', { exact: true }), PASSWORD);
      await press('agree', tab.getByLabel('Saya menyetujui syarat layanan'));
      await press('register', tab.getByRole('button', { name: 'Daftar', exact: true }));
      await arrivesAt(tab, '/auth/verify-otp');

      const simulator = await tabFrom(context, () =>
        press('simulator', tab.getByRole('link', { name: /Buka simulator/ })),
      );
      const text = simulator.getByText(/Kode verifikasi Kabari: \d{6}/).last();
      const code = /\d{6}/.exec(await text.innerText())?.[0] ?? '';
      await backTo('the code', tab);
      // It has the focus, and the code is sent by itself when it is complete.
      await tab.keyboard.type(code);
      await arrivesAt(tab, '/');
      // A phone cannot scan its own screen: there the pairing code is first.
      await (
        width === 390
          ? tab.getByText('Kode penautan', { exact: true })
          : tab.getByRole('img', { name: /^Kode QR untuk dipindai/ })
      ).waitFor();
      await tab.getByText('0 dari 3 selesai').waitFor();

      await backTo('the simulator', simulator);
      await press('scan', simulator.getByRole('button', { name: /Ada kode QR di tab lain/ }));
      await simulator.getByText('Tersambung ke token Toko Melati.').waitFor();
      await backTo('the first steps', tab);
      const message = tab.getByLabel('Isi pesan');
      expect(await message.inputValue()).toBe('Halo dari Kabari');
      await press('send', tab.getByRole('button', { name: 'Kirim pesan', exact: true }));
      await tab.getByRole('region', { name: 'Pesan pertama terkirim' }).waitFor();
      expect(done.length, done.join(', ')).toBeLessThanOrEqual(8);

      // It arrived at the own phone, and the conversation is one click away; the saldo comes last.
      await simulator.getByRole('button', { name: 'Selesai' }).click();
      await simulator.getByText('Halo dari Kabari').first().waitFor();
      await tab.getByText('2 dari 3 selesai').waitFor();
      await tab.getByRole('link', { name: 'Buka Percakapan' }).click();
      const thread = tab.getByRole('region', { name: /^Percakapan dengan/ });
      await thread.getByRole('article').filter({ hasText: 'Halo dari Kabari' }).first().waitFor();
      expect(await tokensOf(address, tab)).toMatchObject([
        { name: 'Toko Melati', phone: own, key_hint: '' },
      ]);
    },
  );
}
