import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { numberOf, storeNumber } from '#server/domains/channels/cloud/numbers.ts';
import { newId } from '#server/infra/ids.ts';
import { openIdempotencyStore } from '#server/infra/acts.ts';
import { readSecrets, reseal } from '#server/infra/security/secrets.ts';
import { test } from '#tests/support/database/database.ts';
import { changeTokens, customerWith } from '#tests/support/people/people.ts';
import { sealedColumns } from './jobs.ts';

const former = { SECRET_KEY: 'the former key' };
const next = { SECRET_KEY: 'the next key' };
const rotating = { ...next, SECRET_KEY_SECOND: 'the former key' };

/** The files that seal values, each with the tables it writes them to. */
const sealing = {
  'domains/accounts/secondfactor/acts.ts': ['second_factors'],
  'domains/accounts/secondfactor/challenges.ts': ['second_factor_challenges'],
  'domains/channels/cloud/numbers.ts': ['cloud_numbers'],
  'domains/channels/web/auth.ts': ['web_sessions', 'web_keys'],
  'domains/channels/web/web.ts': ['web_sessions'],
  'domains/channels/web/receiving.ts': ['web_inbox'],
  'domains/channels/web/sending/sent-storage.ts': ['web_sent'],
  'domains/push/subscriptions.ts': ['push_subscriptions'],
  'domains/webhooks/signature.ts': ['webhooks'],
  'infra/acts.ts': ['idempotent_responses'],
  'infra/security/secrets.ts': ['installation_secrets'],
};

test('lists the table of every file that seals', () => {
  const server = join(import.meta.dirname, '..');
  const found = globSync('**/*.ts', { cwd: server })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => /\bsecrets\.seal\(/.test(readFileSync(join(server, file), 'utf8')));
  expect(found.toSorted()).toEqual(Object.keys(sealing).toSorted());
  const tables = new Set(sealedColumns.map(({ table }) => table));
  expect([...tables].toSorted()).toEqual([...new Set(Object.values(sealing).flat())].toSorted());
});

test('names existing columns, and keys that identify a row', async ({ db }) => {
  for (const { table, column, key } of sealedColumns) {
    const [found] = await db.owner<{ type: string; isUnique: boolean }[]>`
      select format_type(a.atttypid, a.atttypmod) as type, exists (
        select from pg_index i
        where i.indrelid = a.attrelid and i.indisunique and i.indpred is null and (
          select bool_and(k.attname = any(${[...key]}::text[])) from pg_attribute k
          where k.attrelid = i.indrelid and k.attnum = any(i.indkey))
      ) as "isUnique"
      from pg_attribute a
      where a.attrelid = ${table}::regclass and a.attname = ${column} and not a.attisdropped`;
    expect([table, column, found]).toEqual([table, column, { type: 'bytea', isUnique: true }]);
  }
});

test('opens with the next key alone after a rotation', async ({ db }) => {
  const { allAccountsSql: sql } = db;
  const before = await readSecrets(sql, former);
  const number = {
    phoneNumberId: '106540352242922',
    wabaId: '102290129340398',
    accessToken: 'EAAG-access',
    appSecret: 'app-secret',
  };
  const customers = await Promise.all([customerWith(sql), customerWith(sql)]);
  for (const [at, { accountId, tokenId }] of customers.entries()) {
    const own = { ...number, phoneNumberId: `${number.phoneNumberId}${at}` };
    await sql.begin((tx) =>
      storeNumber(
        tx,
        { secrets: before },
        { accountId, tokenId, ...own, name: undefined, quality: undefined },
      ),
    );
    await changeTokens(sql, { tokenId }, { channel: 'cloud', phone: `62812000000${at}` });
  }
  const call = { person: 'p', key: newId(), act: 'token_create', input: '{}' };
  const answer = { status: 200, body: 'kbr_live_x', keep: true };
  const failed = (trouble: unknown) => expect(trouble).toBeUndefined();
  await openIdempotencyStore(sql, before, failed).once(call, async () => answer);

  const during = await readSecrets(sql, rotating);
  expect(await reseal(sql, during, sealedColumns)).toEqual({ resealed: 8, closed: 0 });
  expect(await reseal(sql, during, sealedColumns)).toEqual({ resealed: 0, closed: 0 });

  const after = await readSecrets(sql, next);
  for (const token of customers) {
    const stored = await numberOf({ allAccountsSql: sql, secrets: after }, token);
    expect(stored).toMatchObject({ accessToken: 'EAAG-access', appSecret: 'app-secret' });
  }
  const repeated = openIdempotencyStore(sql, after, failed).once(call, () =>
    Promise.reject(new Error('the act ran again')),
  );
  expect(await repeated).toEqual(answer);
});
