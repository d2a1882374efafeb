import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import type { NoticeText } from './texts.ts';

/** A step that people are told of, once. */
export type BillingNotice = NoticeText & {
  accountId: string;
  /** Names the step: the same one is told once. */
  subject: string;
  dueAt: Date;
};

/** Writes a notice in the transaction of what it tells; a second one of the same subject is none. */
export async function queueBillingNotice(tx: Tx, notice: BillingNotice): Promise<void> {
  const { accountId, subject, title, body, dueAt } = notice;
  await tx`
    insert into billing_notices (account_id, notice_id, subject, title, body, due_at)
    values (${accountId}, ${newId()}, ${subject}, ${title}, ${body}, ${dueAt})
    on conflict (account_id, subject) do nothing`;
}

/** What has not been told yet of a payment that is missing is not true any more. */
export async function dropPending(tx: Tx, accountId: string): Promise<void> {
  await tx`
    delete from billing_notices where account_id = ${accountId} and sent_at is null
      and pushed_at is null and subject ~ '^(h3|h1|past_due|still_due):'`;
}

/** A notice that is ours to tell for some minutes. */
export type DueNotice = {
  account_id: string;
  notice_id: string;
  title: string;
  body: string;
  pushed_at: Date | null;
  /** Whom the message goes to; null when nobody of the account is left. */
  phone: string | null;
};

/** A message that could not be sent is tried again after so many minutes, and so many times. */
const RETRY_MINUTES = 5;
const TRIES_MAX = 50;

/** Claims notices whose time has come; whoever does not tell them leaves them for later. */
export async function claimNotices(
  allAccountsSql: Sql,
  at: Date,
  limit: number,
): Promise<DueNotice[]> {
  const claimed = await allAccountsSql<Omit<DueNotice, 'phone'>[]>`
    with due as (
      select account_id, notice_id from billing_notices
      where sent_at is null and due_at <= ${at} and tries < ${TRIES_MAX}
      order by due_at limit ${limit} for update skip locked
    )
    update billing_notices n set tries = tries + 1,
      due_at = ${at}::timestamptz + make_interval(mins => ${RETRY_MINUTES})
    from due where n.account_id = due.account_id and n.notice_id = due.notice_id
    returning n.account_id, n.notice_id, n.title, n.body, n.pushed_at`;
  if (claimed.length === 0) return [];
  const people = await allAccountsSql<{ account_id: string; phone: string }[]>`
    select distinct on (account_id) account_id, phone from users
    where account_id = any(${claimed.map(({ account_id }) => account_id)}::uuid[])
      and role = 'customer'
    order by account_id, user_id`;
  const phones = new Map(people.map(({ account_id, phone }) => [account_id, phone]));
  return claimed.map((one) => ({ ...one, phone: phones.get(one.account_id) ?? null }));
}

type Which = Pick<DueNotice, 'account_id' | 'notice_id'>;

/** Browsers will be told. @returns false when they have been queued for already. */
export async function markPushed(
  tx: Tx,
  { account_id, notice_id }: Which,
  at: Date,
): Promise<boolean> {
  const { count } = await tx`
    update billing_notices set pushed_at = ${at}
    where account_id = ${account_id} and notice_id = ${notice_id} and pushed_at is null`;
  return count === 1;
}

/** The message was sent. */
export async function markSent(
  sql: Sql,
  { account_id, notice_id }: Which,
  at: Date,
): Promise<void> {
  await sql`
    update billing_notices set sent_at = ${at}
    where account_id = ${account_id} and notice_id = ${notice_id}`;
}

/** Notices stay for so long, so that no step is told twice. */
const KEPT_DAYS = 100;

/** Deletes what was told long ago; for the hourly clean-up. */
export async function pruneNotices(allAccountsSql: Sql, at: Date): Promise<void> {
  await allAccountsSql`
    delete from billing_notices
    where sent_at < ${at}::timestamptz - make_interval(days => ${KEPT_DAYS})`;
}
