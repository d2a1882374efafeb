import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { type Sql, isTransient } from '#server/infra/postgres/database.ts';
import type { AccountData, ErasureRequest } from '#server/infra/account-data.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { notifyErased } from '#server/domains/accounts/notices.ts';

export type EraseDeps = {
  allAccountsSql: Sql;
  sendSystemText: AccountsDeps['sendSystemText'];
  /** All data of accounts, in the order of erasure; this domain's own last. */
  accountDataSources: readonly AccountData[];
  report: AccountsDeps['report'];
};

/** So long after closing nothing of the account is in progress any more: no act takes longer. */
const QUIET_SECONDS = 60;

/**
 * Erases the accounts whose day has come: closes each, sends its owner a final notice, and a minute
 * later erases everything but the ledger. A job of the application; any number of nodes may run it, and
 * after a crash the next run continues where the last one ended.
 */
export async function eraseDue(deps: EraseDeps): Promise<void> {
  const due = await deps.allAccountsSql<{ accountId: string }[]>`
    select account_id as "accountId" from accounts
    where erase_at <= clock_timestamp() and erased_at is null and not is_system order by erase_at`;
  for (const { accountId } of due) {
    await inAccount(accountId, () => eraseOne(deps, accountId)).catch(deps.report);
  }
}

async function eraseOne(deps: EraseDeps, accountId: string): Promise<void> {
  const { allAccountsSql, accountDataSources } = deps;
  await allAccountsSql`select close_account(${accountId})`;
  const [account] = await allAccountsSql<{ isQuiet: boolean; isNotified: boolean }[]>`
    select closed_at < clock_timestamp() - make_interval(secs => ${QUIET_SECONDS}) as "isQuiet",
      erasure_notified_at is not null as "isNotified"
    from accounts where account_id = ${accountId} and closed_at is not null and erased_at is null`;
  if (!account) return;
  for (const { close } of accountDataSources) await close?.(accountId);
  if (!account.isNotified) await sendFinalNotice(deps, accountId);
  if (!account.isQuiet) return;

  const erasure = { accountId, phones: await phonesOf(allAccountsSql, accountId) };
  for (const { isReady } of accountDataSources) if (isReady && !(await isReady(erasure))) return;
  for (const { erase } of accountDataSources) await erase?.(erasure);
  await allAccountsSql`
    update accounts set erased_at = statement_timestamp()
    where account_id = ${accountId} and erased_at is null`;
}

/** Sent before the number is erased, at least once: after a crash in between it is sent again. */
async function sendFinalNotice(deps: EraseDeps, accountId: string): Promise<void> {
  const { allAccountsSql } = deps;
  const people = await allAccountsSql<{ phone: string }[]>`
    select phone from user_phones where account_id = ${accountId}`;
  for (const { phone } of people) {
    await notifyErased(deps, phone).catch((error: unknown) => {
      if (isTransient(error)) throw error;
      // A recipient who opted out (STOP) is erased all the same.
      deps.report(error);
    });
  }
  await allAccountsSql`
    update accounts set erasure_notified_at = statement_timestamp() where account_id = ${accountId}`;
}

/** The numbers of its people, without former ones that belong to somebody else now. */
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
