import { publicId } from '#contract/base/ids.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import {
  type AccountData,
  type AccountDataDeps,
  type Row,
  atOnce,
  eraseRows,
  inPages,
} from '#server/infra/account-data.ts';
import { releasePhone } from './links/phones.ts';

/** An account's tokens with their links and counts; of keys only their existence. */
export const tokensAccountData = ({ sql, allAccountsSql }: AccountDataDeps): AccountData => ({
  subjects: (accountId) => [
    { name: 'token', rows: () => atOnce(() => tokensOf(sql, accountId)) },
    { name: 'kunci-token', rows: () => atOnce(() => keysOf(allAccountsSql, accountId)) },
    { name: 'tautan', rows: () => linksOf(sql, accountId) },
    { name: 'panggilan-ditolak', rows: () => rejectedCallsOf(sql, accountId) },
    { name: 'nomor-tersambung', rows: () => atOnce(() => phonesOf(allAccountsSql, accountId)) },
  ],
  close: (accountId) => close(allAccountsSql, accountId),
  erase: ({ accountId }) => erase(allAccountsSql, accountId),
});

type Named = Row & { token_id: string };

const withId = ({ token_id, ...facts }: Named): Row => ({
  token: publicId('token', token_id),
  ...facts,
});

const tokensOf = async (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(sql, accountId, async (tx) => {
    const found = await tx<Named[]>`
      select token_id, name, channel, status, phone, daily_limit, last_used_at, created_at,
        confirmed_since, deleted_at,
        scopes, allowed_addresses, expires_on::text as expires_on, key_in_address
      from tokens where account_id = ${accountId} order by token_id`;
    return found.map(withId);
  });

async function keysOf(allAccountsSql: Sql, accountId: string): Promise<Row[]> {
  const found = await allAccountsSql<Named[]>`
    select token_id, created_at, expires_at, revoked_at from token_keys
    where account_id = ${accountId} order by token_id, created_at`;
  return found.map(withId);
}

async function phonesOf(allAccountsSql: Sql, accountId: string): Promise<Row[]> {
  const found = await allAccountsSql<Named[]>`
    select token_id, channel, phone, linked_at from linked_phones
    where account_id = ${accountId} order by token_id`;
  return found.map(withId);
}

async function* linksOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  type Link = Named & { link_id: string };
  const links = inPages<Link>(
    { sql, accountId },
    (tx, last, limit) => tx<Link[]>`
      select link_id, token_id, state, phone, consent_at, consent_agent, created_at, expires_at
      from links
      where account_id = ${accountId} ${last ? tx`and link_id > ${last.link_id}` : tx``}
      order by link_id limit ${limit}`,
  );
  for await (const { link_id, ...facts } of links) {
    yield { id: publicId('link', link_id), ...withId(facts) };
  }
}

async function* rejectedCallsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  type Call = Named & { hour: Date; fingerprint: string };
  const calls = inPages<Call>(
    { sql, accountId },
    (tx, last, limit) => tx<Call[]>`
      select token_id, hour, encode(fingerprint, 'hex') as fingerprint, dialect, method, path, code, status,
        address, facts, calls, first_at, last_at
      from rejected_calls
      where account_id = ${accountId}
        ${last ? tx`and (token_id, hour, fingerprint) > (${last.token_id}, ${last.hour}, decode(${last.fingerprint}, 'hex'))` : tx``}
      order by token_id, hour, fingerprint limit ${limit}`,
  );
  for await (const { hour: _, fingerprint: _f, ...facts } of calls) yield withId(facts);
}

/** Ends all tokens of a closed account: their keys, their phones and their open links. */
async function close(allAccountsSql: Sql, accountId: string): Promise<void> {
  await allAccountsSql.begin(async (tx) => {
    const tokens = await tx<{ id: string }[]>`
      select token_id as id from tokens where account_id = ${accountId} order by token_id`;
    for (const { id } of tokens) await releasePhone(tx, accountId, id);
    await tx`
      update tokens set deleted_at = clock_timestamp()
      where account_id = ${accountId} and deleted_at is null`;
    await tx`
      update token_keys set revoked_at = statement_timestamp()
      where account_id = ${accountId} and revoked_at is null`;
  });
}

async function erase(allAccountsSql: Sql, accountId: string): Promise<void> {
  for (const table of [
    'rejected_calls',
    'token_keys',
    'link_codes',
    'links',
    'linked_phones',
    'tokens',
  ] as const) {
    await eraseRows(allAccountsSql, table, accountId);
  }
}
