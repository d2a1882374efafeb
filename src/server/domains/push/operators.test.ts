import { expect } from 'vitest';
import { json } from '#server/infra/postgres/sql.ts';
import { test } from '#tests/push/push-app.ts';
import { queueNotice } from '#server/domains/push/delivery.ts';
import { changeUsers, makeOperators } from '#tests/support/people/people.ts';

const ANSWER = {
  title: 'Balasan dari layanan pelanggan',
  body: 'Buka percakapan untuk membacanya.',
  text: 'Saldo sudah kami kembalikan',
  url: '/customer-service',
  tag: 'support',
};

test('shows the text of a notice only to people who switched the text on', async ({ push }) => {
  const ani = await push.shopkeeper();
  const browser = await push.browser(ani);
  const { allAccountsSql } = push.deps;
  const shown = async () => {
    await allAccountsSql.begin((tx) => queueNotice(tx, { accountId: ani.accountId, ...ANSWER }));
    await push.sender.drain();
    const { body } = push.service.posts.at(-1) ?? { body: Buffer.alloc(0) };
    return browser.open(body).notification.body;
  };
  expect(await shown()).toBe(ANSWER.body);
  await changeUsers(allAccountsSql, ani, { settings: json({ push_text: true }) });
  expect(await shown()).toBe(ANSWER.text);
});

test('sends a notice for operators to those with one of its roles, and none of a message', async ({
  push,
}) => {
  const { allAccountsSql } = push.deps;
  const sari = await push.shopkeeper();
  await push.browser(sari);
  const setRoles = (roles: string[]) => makeOperators(allAccountsSql, sari, roles);
  const drained = async (roles?: ['support', 'admin']) => {
    await allAccountsSql.begin((tx) =>
      queueNotice(tx, { accountId: sari.accountId, ...ANSWER, ...(roles && { roles }) }),
    );
    await push.sender.drain();
    return push.outcomes.at(-1);
  };
  await setRoles(['money']);
  expect(await drained(['support', 'admin'])).toBe('unwanted');
  expect(await drained()).toBe('taken');
  await setRoles(['money', 'support']);
  expect(await drained(['support', 'admin'])).toBe('taken');
  await push.receive(sari);
  await push.sender.drain();
  expect(push.outcomes.at(-1)).toBe('unwanted');
});
