import { expect } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { NewMessage } from '#contract/rest/messages.ts';
import { findNoMedia } from './submit/place.ts';
import { openIntake } from './submit/accept.ts';
import { openApiMessages } from './api.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';

const DAY_MS = 86_400_000;

test('answers a repeat a month later with the original price and schedule', async ({ sql }) => {
  const { accountId, tokenId } = await customerWith(sql, { saldo: 1000 });
  const intake = openIntake(sql, () => undefined);
  const plan = new Date(Date.now() + 10 * DAY_MS);
  /** The answer at a time and a price, from a process that has just started. */
  const sendAt = (days: number, price: number, language: string) =>
    openApiMessages({
      sql,
      intake,
      prices: { message: () => rupiah(price) } as never,
      findMedia: findNoMedia,
      onWork: () => undefined,
      fileLink: () => '',
      offerFile: () => ({ link: '', expiresAt: new Date() }),
      now: () => new Date(Date.now() + days * DAY_MS),
    }).send({
      sender: {
        accountId,
        tokenId,
        channel: days === 0 ? 'simulator' : 'web',
        readAtMs: performance.now(),
      },
      messages: ['0', '900'].map((cost, index) =>
        NewMessage().parse({
          type: 'text',
          to: '6281200000001',
          text: { body: cost },
          ...(index === 0 && { send_at: plan.toISOString() }),
        }),
      ),
      key: 'k',
      answer: { language, shape: 'many' },
    });
  const first = await sendAt(0, 600, 'en');
  const again = await sendAt(29, 75, 'id');
  expect(JSON.stringify({ ...again, replayed: false })).toBe(JSON.stringify(first));
  expect(again.replayed).toBe(true);
  expect(first.results[1]).toMatchObject({ code: 'saldo_short', facts: { required: 600 } });
});
