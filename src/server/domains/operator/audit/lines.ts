import { publicId, uuidOf } from '#contract/base/ids.ts';
import type { AuditLine } from '#contract/operator/audit.ts';
import { accountNames, namesOfPeople, systemAccount } from '#server/domains/accounts/accounts.ts';
import { NOBODY } from '#server/infra/acts/audit.ts';
import type { StoredLine } from '#server/infra/acts/chain/read.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Who is gone, and is not even a pseudonym. */
const UNKNOWN = 'Tidak dikenal';

/** Lines as operators see them: with the names that people and accounts have now. */
export async function withNames(sql: Sql, lines: readonly StoredLine[]): Promise<AuditLine[]> {
  const people = lines
    .flatMap(({ actor, facts }) => [actor, whomOf(facts) ?? ''])
    .filter((id) => UUID.test(id));
  const named = lines.flatMap(({ account_id, facts }) => [account_id, aboutOf(facts) ?? []].flat());
  const [names, accounts, ours] = await Promise.all([
    namesOfPeople(sql, people),
    accountNames(sql, [...new Set(named)]),
    systemAccount(sql),
  ]);
  return lines.map(({ account_id, audit_id, actor, facts, ...line }) => {
    const about = aboutOf(facts);
    return {
      ...line,
      id: publicId('audit', audit_id),
      account:
        account_id === NOBODY
          ? null
          : { ...account(accounts, account_id), ours: account_id === ours },
      person: person(names, actor),
      whom: person(names, whomOf(facts) ?? ''),
      about: about === undefined || about === account_id ? null : account(accounts, about),
      facts,
    };
  });
}

const account = (names: ReadonlyMap<string, string>, accountId: string) => ({
  account_id: publicId('account', accountId),
  name: names.get(accountId) ?? UNKNOWN,
});

const person = (names: ReadonlyMap<string, string>, userId: string) =>
  UUID.test(userId)
    ? { user_id: publicId('user', userId), name: names.get(userId) ?? UNKNOWN }
    : null;

/** The person that an act named. */
const whomOf = ({ user_id }: Readonly<Record<string, string>>): string | undefined =>
  user_id === undefined ? undefined : uuidOf('user', user_id);

/** The account that an act named. */
const aboutOf = ({ account_id }: Readonly<Record<string, string>>): string | undefined =>
  account_id === undefined ? undefined : uuidOf('account', account_id);
