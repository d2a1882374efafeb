import { randomInt } from 'node:crypto';
import type { OperatorRole } from '#contract/base/act.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { StartError } from '#server/infra/start-error.ts';
import type { AccountOpened } from '#server/domains/accounts/deps.ts';
import { addUser, openAccount, systemAccount } from '#server/domains/accounts/people.ts';

/** No letters or digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_LENGTH = 5;

/** How the first operator signs in. */
export type FirstOperator = { phone: string; password: string };

/**
 * Makes the installation's own account and its operator, once; of several nodes starting at the
 * same time one does it.
 *
 * @param opened runs in the same transaction, for what every account needs.
 * @param deliverPassword runs last before COMMIT: when it fails, no operator is created.
 * @returns how the operator signs in, to be shown this once; `undefined` when they exist already.
 * @throws StartError when OPERATOR_PHONE belongs to a customer.
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
  return allAccountsSql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('first operator', 0))`;
    if (await systemAccount(tx)) return undefined;
    const operator = await openAccount(tx, {
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
  });
}

/**
 * Makes one operator more, beside the first: what is large takes two (docs/money.md#the-money-desk).
 *
 * @returns how they sign in, to be shown this once.
 * @throws StartError before the first start, and when the number is somebody's.
 */
export async function addOperator(
  allAccountsSql: Sql,
  { name, phone, roles }: { name: string; phone: string; roles: readonly OperatorRole[] },
): Promise<FirstOperator> {
  const password = newPassword();
  const passwordHash = await hashPassword(password);
  return allAccountsSql.begin(async (tx) => {
    const accountId = await systemAccount(tx);
    if (accountId === undefined) {
      throw new StartError('The first operator comes with the first start; run npm start.');
    }
    const role = { role: 'operator', operatorRoles: roles } as const;
    const added = await addUser(tx, accountId, { name, phone, passwordHash, ...role });
    if (!added) throw new StartError('That number belongs to somebody; choose another one.');
    return { phone, password };
  });
}

/** True once the installation's operator has signed in. */
export async function hasOperatorSignedIn(allAccountsSql: Sql): Promise<boolean> {
  const [used] = await allAccountsSql`
    select from users u join accounts a using (account_id)
    where a.is_system and u.role = 'operator' and u.signed_in_at is not null`;
  return used !== undefined;
}

/** 99 bits of chance, in four groups that can be read aloud. */
function newPassword(): string {
  const letter = () => ALPHABET[randomInt(ALPHABET.length)] ?? '';
  const group = () => Array.from({ length: GROUP_LENGTH }, letter).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}
