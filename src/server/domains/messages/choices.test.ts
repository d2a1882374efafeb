import fc from 'fast-check';
import { describe, expect, test as unit } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import type { Inbound } from '#server/domains/channels/channels.ts';
import { receiveInbound } from '#server/domains/messages/dispatch/inbound.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { test as base } from '#tests/support/database/database.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { changeMessages, idOf } from '#tests/support/people/stored-messages.ts';
import { matchChoice, choicesIn, canBeChoice, markSendsChoices } from './choices.ts';
import { changeDispatch, changeLanes, dropDispatch } from '#tests/support/app/lanes.ts';

const peer = '6281234567890';
const optionsOf = (...titles: string[]) =>
  titles.map((title, index) => ({ id: `id-${index + 1}`, title }));
const buttons = (...titles: string[]) => ({
  type: 'button' as const,
  options: optionsOf(...titles),
});

describe('matches a text by number or title only', () => {
  const messageId = newId();
  const idBy = (text: string, ...titles: string[]) =>
    matchChoice(text, { messageId, choices: buttons(...titles) })?.id;

  for (const text of ['1', '1.', ' 1 ', '\n1.\n', 'Ya', 'ya', ' YA ']) {
    unit(`${JSON.stringify(text)} is the first one`, () =>
      expect(idBy(text, 'Ya', 'Tidak')).toBe('id-1'),
    );
  }
  for (const text of ['0', '3', '01', '1,', '1)', '-1', '1.0', '1 2', 'Ya!', 'Ya, jadi', 'Y', '']) {
    unit(`${JSON.stringify(text)} is a text`, () =>
      expect(idBy(text, 'Ya', 'Tidak')).toBeUndefined(),
    );
  }
  unit('titles that stand twice are told apart by their numbers alone', () => {
    expect(idBy('Ya', 'Ya', 'ya')).toBeUndefined();
    expect(idBy('2', 'Ya', 'ya')).toBe('id-2');
  });
  unit('a number that is the title of another option is a text', () => {
    expect(['1', '2', '3'].map((text) => idBy(text, '3', '2', '1'))).toEqual([
      undefined,
      'id-2',
      undefined,
    ]);
    expect(idBy('5', '5', '4')).toBe('id-1');
  });
  unit('a title is the same however its letters were put together', () => {
    expect(idBy('CAFE\u0301', 'Café')).toBe('id-1');
  });
  unit('every option is chosen by its number, or by its title where no other fits', () => {
    const title = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(title, { minLength: 1, maxLength: 10 }), fc.nat(9), (titles, n) => {
        const at = n % titles.length;
        for (const text of [`${at + 1}`, titles[at] ?? '']) {
          expect(canBeChoice(text) ? [undefined, `id-${at + 1}`] : [undefined]).toContain(
            idBy(text, ...titles),
          );
        }
      }),
    );
  });
  unit('offers nothing for stored choices of an unknown shape', () => {
    for (const choices of [7, 'x', [], {}, { type: 'button' }, { type: 'x', options: [] }]) {
      expect(choicesIn('text', { choices })).toBeUndefined();
    }
    expect(choicesIn('text', { buttons: ['Ya'] })).toBeUndefined();
    expect(choicesIn('template', { buttons: ['Ya'] })).toEqual({
      type: 'template',
      options: [{ id: 'Ya', title: 'Ya' }],
    });
  });
});

type Sent = { body?: object; type?: string; id?: string; readyAt?: Date; isOnTheWay?: boolean };

/** A shop, with its sent messages and the answers to them. */
type Shop = Customer & {
  send: (sent?: Sent) => Promise<string>;
  answer: (text: string, more?: Partial<Inbound>) => Promise<unknown>;
};

const test = base.extend<{ shop: Shop }>({
  shop: async ({ db, sql }, use) => {
    const customer = await customerWith(sql, { saldo: 10_000 });
    const send = sendOf(sql, db.owner, customer);
    await asAccount(sql, customer.accountId, (tx) => markSendsChoices(tx, customer));
    await use({ ...customer, send, answer: answerOf(sql, customer) });
  },
});

function sendOf(sql: Sql, owner: Sql, { accountId, tokenId }: Customer): Shop['send'] {
  const intake = openIntake(sql, () => undefined);
  return async ({ body = {}, type = 'text', id = newId(), readyAt, isOnTheWay = true } = {}) => {
    const item = { id, tokenId, peer, type, price: rupiah(0), hash: Buffer.alloc(0), priority: 1 };
    const items = [{ ...item, body: { text: 'Jadi?', ...body }, readyAt }];
    await intake.accept({ accountId, tokenId, hash: Buffer.alloc(0), items });
    if (isOnTheWay) await changeDispatch(owner, { messageId: id }, { attempt: 1 });
    return id;
  };
}

function answerOf(sql: Sql, { accountId, tokenId }: Customer): Shop['answer'] {
  return async (text, more = {}) => {
    const providerId = newId();
    const inbound = { accountId, tokenId, from: peer, type: 'text', body: { text } } as const;
    await receiveInbound(sql, { ...inbound, at: new Date(), providerId, ...more });
    const [stored] = await sql<{ choice: unknown; text: string }[]>`
      select body -> 'choice' as choice, body ->> 'text' as text from messages
      where direction = 'in' order by message_id desc limit 1`;
    expect(stored?.text ?? text).toBe(text);
    return stored?.choice ?? undefined;
  };
}

const choices = buttons('Ya', 'Tidak');

test('skips the lookup for a token that never sent choices', async ({ db, sql, shop }) => {
  await shop.send({ body: { choices } });
  await changeLanes(db.owner, {}, { hasChoices: false });
  expect(await shop.answer('1')).toBeUndefined();
  await asAccount(sql, shop.accountId, (tx) => markSendsChoices(tx, shop));
  await asAccount(sql, shop.accountId, (tx) => markSendsChoices(tx, shop));
  expect(await shop.answer('1')).toMatchObject({ id: 'id-1' });
});

test('stores the choice with the answer, and leaves its text unchanged', async ({ shop }) => {
  const of = publicId('message', await shop.send({ body: { choices } }));
  const yes = { id: 'id-1', title: 'Ya', type: 'button', of };
  expect(await shop.answer('1')).toEqual(yes);
  expect(await shop.answer(' ya ')).toEqual(yes);
  expect(await shop.answer('Ya, nanti sore')).toBeUndefined();
  expect(await shop.answer('3')).toBeUndefined();
  expect(await shop.answer('1', { from: '6281299999999' })).toBeUndefined();
  expect(await shop.answer('2')).toMatchObject({ id: 'id-2' });
});

test('matches template buttons by their payload or title', async ({ shop }) => {
  await shop.send({ type: 'template', body: { buttons: ['Ya', 'Tidak'] } });
  expect(await shop.answer('2')).toMatchObject({ type: 'template', id: 'Tidak', title: 'Tidak' });
});

test('matches the newest sent message only, or the quoted one', async ({ shop }) => {
  const question = await shop.send({ body: { choices } });
  await shop.send({ type: 'reaction', body: { emoji: '👍' } });
  await shop.send({ isOnTheWay: false });
  await shop.send({ readyAt: new Date(Date.now() + 60_000), isOnTheWay: false });
  expect(await shop.answer('1')).toMatchObject({ id: 'id-1' });
  const later = await shop.send();
  expect(await shop.answer('1')).toBeUndefined();
  expect(await shop.answer('1', { quotes: later })).toBeUndefined();
  expect(await shop.answer('Tidak', { quotes: question })).toMatchObject({
    id: 'id-2',
    of: publicId('message', question),
  });
});

test('matches a question older than a day only when it is quoted', async ({ shop }) => {
  const old = idOf(new Date(Date.now() - 24 * 3_600_000 - 60_000));
  await shop.send({ id: old, body: { choices } });
  expect(await shop.answer('1')).toBeUndefined();
  expect(await shop.answer('1', { quotes: old })).toMatchObject({ id: 'id-1' });
  await shop.send({ id: idOf(new Date(Date.now() - 23 * 3_600_000)), body: { choices } });
  expect(await shop.answer('1')).toMatchObject({ id: 'id-1' });
});

test('ignores questions that were never sent', async ({ db, shop }) => {
  await shop.send({ body: { choices } });
  const failed = await shop.send();
  await dropDispatch(db.owner, failed);
  expect(await shop.answer('1')).toBeUndefined();
  await changeMessages(db.owner, { messageId: failed }, { status: 'failed' });
  expect(await shop.answer('1')).toMatchObject({ id: 'id-1' });
});

test('stores a repeated answer once, and skips long texts', async ({ sql, shop }) => {
  await shop.send({ body: { choices } });
  const providerId = newId();
  await shop.answer('1', { providerId });
  expect(await shop.answer('1', { providerId })).toMatchObject({ id: 'id-1' });
  const [count] = await sql<{ n: number }[]>`
    select count(*)::int as n from messages where direction = 'in'`;
  expect(count?.n).toBe(1);
  expect(await shop.answer('x'.repeat(200))).toBeUndefined();
});
