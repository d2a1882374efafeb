import { type Sql, isTransient } from '#server/infra/postgres/database.ts';
import type { AccountData, ErasureRequest } from '#server/infra/account-data.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { tellGone } from '#server/domains/accounts/notices.ts';

export type EraseDeps = {
  allAccountsSql: Sql;
  sendOtp: AccountsDeps['sendOtp'];
  /** All that is held of accounts, in the order in which it may go; this domain's own last. */
  accountDataSources: readonly AccountData[];
  report: AccountsDeps['report'];
};

/** What was under way when an account was closed has come to its end after this: no act takes longer. */
const SETTLED_SECONDS = 60;

/**
 * Erases the accounts whose time has come: closes each, tells its owner for the last time, and a minute
 * later erases everything but the books. The house's job; any number of nodes may, and after a crash the
 * next turn goes on where the last one ended.
 */
export async function eraseDue(deps: EraseDeps): Promise<void> {
  const due = await deps.allAccountsSql<{ accountId: string }[]>`
    select account_id as "accountId" from accounts
    where erase_at <= clock_timestamp() and erased_at is null and not is_system order by erase_at`;
  for (const { accountId } of due) await eraseOne(deps, accountId).catch(deps.report);
}

async function eraseOne(deps: EraseDeps, accountId: string): Promise<void> {
  const { allAccountsSql, accountDataSources } = deps;
  await allAccountsSql`select close_account(${accountId})`;
  const [account] = await allAccountsSql<{ isSettled: boolean; isTold: boolean }[]>`
    select closed_at < clock_timestamp() - make_interval(secs => ${SETTLED_SECONDS}) as "isSettled",
      erasure_notified_at is not null as "isTold"
    from accounts where account_id = ${accountId} and closed_at is not null and erased_at is null`;
  if (!account) return;
  for (const { close } of accountDataSources) await close?.(accountId);
  if (!account.isTold) await sayFarewell(deps, accountId);
  if (!account.isSettled) return;

  const erasure = { accountId, phones: await phonesOf(allAccountsSql, accountId) };
  for (const { isReady } of accountDataSources) if (isReady && !(await isReady(erasure))) return;
  for (const { erase } of accountDataSources) await erase?.(erasure);
  await allAccountsSql`
    update accounts set erased_at = clock_timestamp()
    where account_id = ${accountId} and erased_at is null`;
}

/** Told before the number is forgotten. After a crash in between it is told once more, never not at all. */
async function sayFarewell(deps: EraseDeps, accountId: string): Promise<void> {
  const { allAccountsSql } = deps;
  const people = await allAccountsSql<{ phone: string }[]>`
    select phone from user_phones where account_id = ${accountId}`;
  for (const { phone } of people) {
    await tellGone(deps, phone).catch((error: unknown) => {
      if (isTransient(error)) throw error;
      // Who does not want to hear from us (STOP) is erased all the same.
      deps.report(error);
    });
  }
  await allAccountsSql`
    update accounts set erasure_notified_at = clock_timestamp() where account_id = ${accountId}`;
}

/** The numbers of its people; a former one that has become somebody else's is not among them. */
async function phonesOf(allAccountsSql: Sql, accountId: string): Promise<ErasureRequest['phones']> {
  const found = await allAccountsSql<{ phone: string }[]>`
    select phone from user_phones where account_id = ${accountId}
    union
    select f.phone from former_phones f
    where f.account_id = ${accountId} and not exists (
      select from user_phones u where u.phone = f.phone and u.account_id <> ${accountId}
    )`;
  return found.map(({ phone }) => phone);
}
