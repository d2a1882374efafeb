import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type DueNotice, claimNotices, markPushed, markSent } from './outbox.ts';

/** Told in one go. */
const AT_ONCE = 50;

/** How people are told. */
export type DeliverDeps = {
  allAccountsSql: Sql;
  /** Queues a notice for the browsers of an account. */
  queueNotice: (
    tx: Tx,
    notice: { accountId: string; title: string; body: string; url: string; tag: string },
  ) => Promise<void>;
  sendSystemText: (phone: string, text: string) => Promise<void>;
  report: (trouble: unknown) => void;
};

/**
 * Tells what is due: a notice to browsers once, a message at least once. One that cannot be told holds up
 * no other, and is tried again.
 */
export async function deliverNotices(deps: DeliverDeps, at: Date): Promise<void> {
  for (;;) {
    const due = await claimNotices(deps.allAccountsSql, at, AT_ONCE);
    for (const notice of due) await deliver(deps, notice, at).catch(deps.report);
    if (due.length < AT_ONCE) return;
  }
}

async function deliver(
  { allAccountsSql, queueNotice, sendSystemText }: DeliverDeps,
  notice: DueNotice,
  at: Date,
): Promise<void> {
  const { account_id: accountId, title, body, phone } = notice;
  if (notice.pushed_at === null) {
    await allAccountsSql.begin(async (tx) => {
      if (!(await markPushed(tx, notice, at))) return;
      await queueNotice(tx, { accountId, title, body, url: '/billing', tag: 'billing' });
    });
  }
  if (phone !== null) await sendSystemText(phone, body);
  await markSent(allAccountsSql, notice, at);
}
