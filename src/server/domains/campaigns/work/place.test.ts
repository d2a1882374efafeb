import { messageFor, type Claimed, acceptNext } from './place.ts';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import type { CampaignDeps } from '#server/domains/campaigns/deps.ts';
import { newId } from '#server/infra/ids.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';

test('sends nothing more when a worker stalls beyond its lease', async ({ db, sql }) => {
  const { accountId, userId, tokenId } = await customerWith(sql);
  const [campaignId, owner] = [newId(), newId()];
  const content = { type: 'text' as const, text: 'Halo {nama}' };
  await sql`
    insert into campaigns (
      account_id, campaign_id, token_id, created_by, name, status, content, columns, waiting,
      created_at, started_at, owner
    ) values (
      ${accountId}, ${campaignId}, ${tokenId}, ${userId}, 'Promo', 'running',
      ${json(content)}, ${['nama']}, 1, now(), now(), ${owner}
    )`;
  await sql`
    insert into campaign_recipients (account_id, campaign_id, place, written, peer, cells, state)
    values (${accountId}, ${campaignId}, 1, '081234567890', '6281234567890', ${['Budi']}, 'waiting')`;
  const sent: unknown[] = [];
  const deps = {
    allAccountsSql: db.allAccountsSql,
    now: () => new Date(),
    onStored: () => undefined,
    send: async ({ messages }: { messages: readonly unknown[] }) => {
      sent.push(...messages);
      return { results: messages.map(() => ({ id: publicId('message', newId()) })) };
    },
  } as unknown as CampaignDeps;
  const claimed: Claimed = {
    accountId,
    campaignId,
    tokenId,
    content,
    owner,
    columns: ['nama'],
    becoming: null,
    pace: null,
    untilMs: performance.now() - 1,
  };
  const states = async () =>
    (await sql<{ state: string }[]>`select state from campaign_recipients`).map((one) => one.state);

  expect(await acceptNext(deps, claimed, 10)).toBe(0);
  expect([sent.length, await states()]).toEqual([0, ['waiting']]);
  expect(await acceptNext(deps, { ...claimed, untilMs: Infinity }, 10)).toBe(1);
  expect([sent.length, await states()]).toEqual([1, ['placed']]);
});

test('folds line breaks and runs of spaces of a list in template variables only', () => {
  const list = [
    ['Nama'],
    { peer: '6281234567890', cells: [' Budi\n\tSantoso      S.E. '], ref: 'r' },
  ] as const;
  const template = {
    type: 'template' as const,
    name: 'siap',
    language: 'id',
    variables: ['Kak {Nama}'],
  };
  expect(messageFor(template, ...list)).toMatchObject({
    template: { variables: ['Kak Budi Santoso S.E.'] },
  });
  expect(messageFor({ type: 'text', text: 'Kak {Nama}' }, ...list)).toMatchObject({
    text: { body: 'Kak  Budi\n\tSantoso      S.E. ' },
  });
});
