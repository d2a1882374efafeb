import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { StartError } from '#server/infra/start-error.ts';
import type { AccountOpened } from '#server/domains/accounts/deps.ts';
import { newPassword } from '#server/domains/accounts/operators.ts';
import { openAccount, systemAccount } from '#server/domains/accounts/people.ts';
import { newId } from '#server/infra/ids.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';

export type FirstOperator = { phone: string; password: string };

/**
 * Creates the installation's own account and its operator, once; of several nodes starting at the same time one does
 * it.
 *
 * @param opened runs in the same transaction, to set up the defaults of every account.
 * @param deliverPassword runs last before COMMIT: if it fails, no operator is created.
 * @returns the operator's credentials, shown once; `undefined` if the operator exists already.
 * @throws StartError if OPERATOR_PHONE belongs to a customer.
 */
export async function ensureOperator(
  allAccountsSql: Sql,
  { OPERATOR_PHONE: phone }: Pick<Config, 'OPERATOR_PHONE'>,
  onOpened: AccountOpened = async () => undefined,
  deliverPassword: (operator: FirstOperator) => Promise<void> = async () => undefined,
): Promise<FirstOperator | undefined> {
  if (await systemAccount(allAccountsSql)) return undefined;
  const password = newPassword();
  const passwordHash = await hashPassword(password);
  const open = async (tx: Tx, accountId: string): Promise<FirstOperator> => {
    const operator = await openAccount(tx, {
      accountId,
      name: 'Kabari',
      phone,
      passwordHash,
      role: 'operator',
      operatorRoles: ['admin'],
      isSystem: true,
    });
    if (!operator)
      throw new StartError('OPERATOR_PHONE belongs to a customer; choose another number.');
    await onOpened(tx, operator.accountId, true);
    await deliverPassword({ phone, password });
    return { phone, password };
  };
  return allAccountsSql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('first operator', 0))`;
    if (await systemAccount(tx)) return undefined;
    const accountId = newId();
    return inAccount(accountId, () => allAccountsSql.begin((own) => open(own, accountId)));
  });
}

/**
 * True once the operator from `ensureOperator` has signed in, or can no longer: other operators with their own
 * passwords do not count.
 */
export async function hasFirstOperatorSignedIn(allAccountsSql: Sql): Promise<boolean> {
  const [first] = await allAccountsSql<{ isOver: boolean }[]>`
    select u.signed_in_at is not null or u.removed_at is not null as "isOver"
    from users u join accounts a using (account_id)
    where a.is_system order by u.created_at, u.user_id limit 1`;
  return first?.isOver ?? false;
}
