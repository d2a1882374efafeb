import { expect } from 'vitest';
import { uuidOf } from '#contract/base/ids.ts';
import { applyReceipts } from '#server/domains/messages/dispatch/settle.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { newSender, type Sender, sendTexts, signUp } from './support/portal.ts';
import { type Stage, setUpSharedJourney } from './support/stage.ts';
import { press } from './support/steps.ts';

const journey = setUpSharedJourney();

/** Fails: not on the network. */
const missing = '62800000003';

/** Reports a token's failed message as arrived; the simulated network never does. */
async function proveArrived({ db: { allAccountsSql: sql } }: Stage, { id }: Sender): Promise<void> {
  const failed = await waitFor(async () => {
    const found = await sql<{ account_id: string; message_id: string }[]>`
      select account_id, message_id from messages
      where token_id = ${uuidOf('token', id) ?? ''} and status = 'failed'`;
    return found.length > 0 && found;
  });
  const at = new Date();
  await applyReceipts(
    sql,
    failed.map(({ account_id: accountId, message_id: messageId }) => {
      return { accountId, messageId, status: 'delivered', at } as const;
    }),
  );
}

journey('a message charged again says so in its entry, and has a correction', async (stage) => {
  const { address } = stage.product;
  const shop = await signUp(address, { name: 'Toko Roti Manis', phone: '6281355511002' });
  const sender = await newSender(address, shop, { name: 'Kasir', phone: shop.phone });
  await sendTexts(address, sender, [{ to: missing, text: 'Roti Anda sudah siap.' }]);

  const { open } = await stage.person({ session: shop.session, height: 1_100 });
  const messages = await open('/message-history');
  const row = messages.getByRole('row', { name: /Roti Anda sudah siap/ });
  await waitFor(async () => expect(await row.innerText()).toMatch(/Gagal[\s\S]*Rp\s0/));
  await row.getByText('Roti Anda sudah siap.').click();
  const drawer = messages.getByRole('dialog', { name: 'Rincian pesan' });
  await drawer.getByText(/^Dana tertahan Rp\s150 dikembalikan ke saldo$/).waitFor();

  await proveArrived(stage, sender);
  const tab = await open('/saldo');
  const statement = tab.getByRole('table', { name: 'Mutasi saldo' });
  const correction = statement.getByRole('row', { name: /Koreksi biaya pesan/ });
  await correction.getByRole('link', { name: '+62 800-0000-03' }).waitFor();
  const back = statement.getByRole('row', { name: /Dana tertahan dikembalikan/ });
  expect(await back.innerText()).toMatch(/kembali ke saldo · dipotong kembali \(koreksi\)/);

  const steps = statement.getByRole('listitem');
  const titles = async () => (await steps.allInnerTexts()).map((text) => text.split('\n')[0]);
  await press(tab, back.getByRole('button', { name: /^Rincian/ }));
  const entries = ['Dana tertahan dikembalikan', 'Biaya dipotong kembali (koreksi)'];
  await waitFor(async () => expect(await titles()).toEqual(['Dana ditahan', ...entries]));
  await press(tab, back.getByRole('button', { name: /^Rincian/ }));
  await press(tab, correction.getByRole('button', { name: /^Rincian/ }));
  await waitFor(async () => expect(await titles()).toEqual(entries));

  await tab.setViewportSize({ width: 390, height: 900 });
  await waitFor(async () =>
    expect(
      await back
        .getByText(/kembali ke saldo/)
        .evaluate(
          (text) =>
            text.getBoundingClientRect().right <=
            (text.closest('td, th')?.getBoundingClientRect().right ?? 0),
        ),
    ).toBe(true),
  );
});
