import { expect } from 'vitest';
import type { TemplateStatus } from '#contract/messages/templates.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { NetworkTemplate } from '#server/domains/channels/channels.ts';
import { findNoMedia, lookUp } from './submit/place.ts';
import { asAccount, type Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { changeTokens, customerWith, makeToken } from '#tests/support/people/people.ts';
import { pageOfTemplates, syncTemplates, noReview } from './templates.ts';

/** Two business accounts of one customer, with a number each; their tokens. */
async function twoAccounts(sql: Sql) {
  const { accountId, tokenId: first } = await customerWith(sql);
  const branch = { name: 'Cabang', channel: 'cloud', phone: '628111000099' };
  const second = await makeToken(sql, accountId, branch);
  await changeTokens(sql, { tokenId: first }, { channel: 'cloud' });
  return { accountId, first, second };
}

const template = (name: string, tokenIds: string[], change: Partial<NetworkTemplate> = {}) => ({
  networkId: '17',
  name,
  language: 'id',
  category: 'utility' as const,
  status: 'approved' as TemplateStatus,
  isLive: true,
  reason: null,
  header: null,
  headerFile: null,
  body: 'Pesanan Anda siap.',
  footer: null,
  buttons: [],
  buttonKinds: [],
  tokenIds,
  ...change,
});

test('offers and sends with a number only the templates that its own business account has approved', async ({
  db,
  sql,
}) => {
  const { accountId, first, second } = await twoAccounts(sql);
  let known: readonly NetworkTemplate[] = [
    template('dua_duanya', [first]),
    template('dua_duanya', [second], { category: 'marketing' }),
    template('pusat_saja', [first]),
    template('cabang_menunggu', [first]),
    template('cabang_menunggu', [second], { status: 'pending', isLive: false }),
  ];
  const review = { ...noReview, reviews: async () => true, list: async () => known };
  const sync = () => syncTemplates({ sql: db.tenantSql, review }, accountId);
  const offered = async (tokenId: string) => {
    const input = { status: 'approved' as const, token_id: tokenId };
    const { rows } = await asAccount(db.tenantSql, accountId, (tx) =>
      pageOfTemplates(tx, accountId, input),
    );
    return rows.map(({ name }) => name);
  };
  const sends = async (tokenId: string, name: string) => {
    const deps = { sql: db.tenantSql, findMedia: findNoMedia, now: () => new Date() };
    const message = { to: '6281234567890', type: 'template', template: { name } } as const;
    const [found] = await lookUp(deps, { accountId, tokenId, channel: 'cloud' }, [message]);
    return found instanceof Refusal ? found.code : 'sent';
  };

  await sync();
  expect(await offered(first)).toEqual(['cabang_menunggu', 'dua_duanya', 'pusat_saja']);
  expect(await offered(second)).toEqual(['dua_duanya']);
  expect(await sends(first, 'cabang_menunggu')).toBe('sent');
  expect(await sends(second, 'dua_duanya')).toBe('sent');
  expect(await sends(second, 'cabang_menunggu')).toBe('template_not_approved');
  expect(await sends(second, 'pusat_saja')).toBe('template_not_approved');

  // It is approved there, too, and open pages are notified.
  const told = async () => (await sql`select from outbox where kind = 'template.changed'`).length;
  const before = await told();
  known = [...known.slice(0, 4), template('cabang_menunggu', [second])];
  await sync();
  expect(await offered(second)).toEqual(['cabang_menunggu', 'dua_duanya']);
  expect(await sends(second, 'cabang_menunggu')).toBe('sent');
  await sync();
  expect(await told()).toBe(before + 1);

  await changeTokens(sql, { tokenId: second }, { channel: 'web' });
  expect(await offered(second)).toEqual(['cabang_menunggu', 'dua_duanya', 'pusat_saja']);
});
