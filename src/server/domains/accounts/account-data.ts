import { publicId } from '#contract/base/ids.ts';
import { forgetAnswers, eraseAudit, forgetHits, networkOf } from '#server/infra/acts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import {
  type AccountData,
  type ErasureRequest,
  type Row,
  atOnce,
  inPages,
} from '#server/infra/account-data.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { storeErasedPhones } from './privacy.ts';
import { deviceName } from './sessions/device-name.ts';

type Deps = {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all: sessions are looked up by hash. */
  allAccountsSql: Sql;
  /** The installation's: of an erased number only a hash under its key stays. */
  secrets: Secrets;
};

/**
 * Who an account's people are and what they did. Erased last: the other domains find their data by
 * these phone numbers.
 */
export const accountsAccountData = ({ sql, allAccountsSql, secrets }: Deps): AccountData => ({
  subjects: (accountId) => [
    { name: 'profil', rows: () => atOnce(() => peopleOf(sql, accountId)) },
    { name: 'persetujuan', rows: () => atOnce(() => consentsOf(sql, accountId)) },
    { name: 'nomor-sebelumnya', rows: () => atOnce(() => formerPhonesOf(sql, accountId)) },
    { name: 'sesi', rows: () => atOnce(() => sessionsOf(allAccountsSql, accountId)) },
    { name: 'peramban', rows: () => atOnce(() => devicesOf(sql, accountId)) },
    { name: 'faktor-kedua', rows: () => atOnce(() => secondFactorsFor(sql, accountId)) },
    { name: 'penangguhan', rows: () => atOnce(() => suspensionsOf(sql, accountId)) },
    { name: 'jejak-audit', rows: () => auditOf(sql, accountId) },
  ],
  erase: (erasure) => erase({ allAccountsSql, secrets }, erasure),
});

type Person = Row & { user_id: string; avatar: string | null };

const peopleOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(sql, accountId, async (tx) => {
    const people = await tx<Person[]>`
      select u.user_id, u.name, u.phone, u.email, u.role, u.timezone, u.settings,
        u.avatar_file as avatar, u.created_at, u.signed_in_at, a.name as account_name, a.status,
        a.created_at as account_created_at, a.cooling_since, a.cooling_cause, a.erase_at
      from users u join accounts a on a.account_id = u.account_id
      where u.account_id = ${accountId} order by u.user_id`;
    return people.map(({ user_id, avatar, ...facts }) => ({
      account: publicId('account', accountId),
      id: publicId('user', user_id),
      ...facts,
      avatar: avatar === null ? null : publicId('file', avatar),
    }));
  });

/** Registering requires consent; the consents of linked phones are exported with the links. */
const consentsOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select 'syarat layanan' as consent, name as person, created_at as given_at
      from users where account_id = ${accountId} order by user_id`,
  );

const formerPhonesOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select phone, left_at from former_phones where account_id = ${accountId} order by left_at`,
  );

async function sessionsOf(allAccountsSql: Sql, accountId: string): Promise<Row[]> {
  const found = await allAccountsSql<(Row & { session_id: string; agent: string })[]>`
    select session_id, agent, ip, created_at, last_used_at, revoked_at from sessions
    where account_id = ${accountId} order by created_at, session_id`;
  return found.map(({ session_id, agent, ...facts }) => ({
    id: publicId('session', session_id),
    device: deviceName(agent),
    agent,
    ...facts,
  }));
}

const devicesOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select seen_at from known_devices where account_id = ${accountId} order by seen_at`,
  );

const suspensionsOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select becomes, reason, at from account_suspensions
      where account_id = ${accountId} order by suspension_id`,
  );

/** What there is and when it was used; never what it is checked by. */
const secondFactorsFor = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select kind, name, created_at, used_at from second_factors where account_id = ${accountId}
      union all
      select 'recovery_code', '', created_at, used_at from recovery_codes
      where account_id = ${accountId}
      order by created_at, kind`,
  );

type AuditLine = Row & { audit_id: string; actor: string };

/** Without refused acts of operators: of what only they may know, the answer was that it is not there. */
async function* auditOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const entries = inPages<AuditLine>(
    { sql, accountId },
    (tx, last, limit) => tx<AuditLine[]>`
      select audit_id, at, actor, act, outcome, ip, request, facts from audit_log
      where account_id = ${accountId} and outcome <> 'act_unknown' ${last ? tx`and audit_id > ${last.audit_id}` : tx``}
      order by audit_id limit ${limit}`,
  );
  for await (const { audit_id: _, ...facts } of entries) yield facts;
}

/** Leaves a pseudonym: the ids of the account and its people, the ledger, and its numbers as keyed hashes. */
async function erase(
  { allAccountsSql, secrets }: Omit<Deps, 'sql'>,
  { accountId, phones }: ErasureRequest,
): Promise<void> {
  const people = await allAccountsSql<{ id: string }[]>`
    select user_id as id from users where account_id = ${accountId}`;
  const ids = people.map(({ id }) => id);
  const addresses = await allAccountsSql<{ ip: string }[]>`
    select ip from sessions where account_id = ${accountId}
    union select ip from audit_log where account_id = ${accountId} and ip <> ''`;
  const networks = addresses.flatMap(({ ip }) => [ip, networkOf(ip)]);
  await forgetHits(allAccountsSql, [accountId, ...ids, ...networks]);
  await forgetAnswers(allAccountsSql, ids);
  await eraseAudit(allAccountsSql, accountId);
  await allAccountsSql.begin(async (tx) => {
    await storeErasedPhones(tx, { secrets }, accountId);
    await pseudonymize(tx, { accountId, phones });
  });
}

const PSEUDONYM = 'Akun terhapus';

async function pseudonymize(tx: Tx, { accountId, phones }: ErasureRequest): Promise<void> {
  await tx`delete from sessions where account_id = ${accountId}`;
  await tx`delete from known_devices where account_id = ${accountId}`;
  await tx`delete from password_grants where account_id = ${accountId}`;
  await tx`delete from second_factor_challenges where account_id = ${accountId}`;
  await tx`delete from second_factors where account_id = ${accountId}`;
  await tx`delete from recovery_codes where account_id = ${accountId}`;
  await tx`
    delete from otp_challenges
    where account_id = ${accountId} or (account_id is null and phone = any(${[...phones]}::text[]))`;
  await tx`update account_suspensions set reason = '' where account_id = ${accountId}`;
  await tx`delete from user_phones where account_id = ${accountId}`;
  await tx`delete from former_phones where account_id = ${accountId}`;
  await tx`
    update users set name = ${PSEUDONYM}, phone = '', password_hash = '', email = null,
      avatar_file = null, settings = '{}', timezone = 'Asia/Jakarta', signed_in_at = null
    where account_id = ${accountId}`;
  await tx`
    update accounts set name = ${PSEUDONYM}, cooling_since = null, cooling_cause = null
    where account_id = ${accountId}`;
}
