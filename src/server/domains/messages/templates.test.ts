import { expect } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import { makeAccount } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import type { NetworkTemplate } from '#server/domains/channels/channels.ts';
import { noReview, syncTemplates } from './templates.ts';

const template = (name: string): NetworkTemplate => ({
  name,
  language: 'id',
  category: 'utility',
  status: 'approved',
  reason: null,
  header: null,
  headerFile: null,
  body: 'Halo',
  footer: null,
  buttons: [],
  buttonKinds: [],
  isLive: true,
  tokenIds: [],
  networkId: name,
});

test('keeps a newer template when a list that was read before it is stored', async ({ sql }) => {
  const accountId = await makeAccount(sql);
  const older = Promise.withResolvers<readonly NetworkTemplate[]>();
  const newer = [template('lama'), template('baru')];
  let reads = 0;
  const list = () => (++reads === 1 ? older.promise : Promise.resolve(newer));
  const review = { ...noReview, reviews: async () => true, list };
  const first = syncTemplates({ sql, review }, accountId);
  await waitFor(() => expect(reads).toBe(1));
  await syncTemplates({ sql, review }, accountId);
  older.resolve([template('lama')]);
  await first;
  const stored = await sql<{ name: string }[]>`
    select name from message_templates where account_id = ${accountId} order by name`;
  expect(stored.map(({ name }) => name)).toEqual(['baru', 'lama']);
});
