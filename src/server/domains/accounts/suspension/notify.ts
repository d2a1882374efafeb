import { Refusal } from '#contract/base/refusals.ts';
import { phonesOf } from '#server/domains/accounts/people.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

type Deps = {
  allAccountsSql: Sql;
  /** Sends a text through the installation's own token; the same `key` sends it once. */
  sendSystemText: (phone: string, text: string, shownText: string, key: string) => Promise<void>;
  report: (trouble: unknown) => void;
  now: () => Date;
};

/** Nobody is written to about what is older: who was not reached by then reads it when signing in. */
const TELL_WITHIN_MS = 86_400_000;

/**
 * Writes to the people of accounts that were suspended or let go on, and were not told yet. Called after the
 * change, and by a job for what a crash or a broken channel left.
 */
export async function notifySuspensions(deps: Deps): Promise<void> {
  const { allAccountsSql: sql } = deps;
  const due = await sql<{ accountId: string; id: string; becomes: string; reason: string }[]>`
    select account_id as "accountId", suspension_id as id, becomes, reason from account_suspensions
    where notified_at is null and at > ${new Date(deps.now().getTime() - TELL_WITHIN_MS)}
    order by at limit 100`;
  for (const { accountId, id, becomes, reason } of due) {
    try {
      const text = becomes === 'suspended' ? suspended(reason) : reactivated(reason);
      for (const { userId, phone } of await phonesOf(sql, [accountId])) {
        await deps.sendSystemText(phone, text, text, `suspension:${id}:${userId}`);
      }
      await sql`
        update account_suspensions set notified_at = clock_timestamp()
        where account_id = ${accountId} and suspension_id = ${id}`;
    } catch (error) {
      // While the installation's own token takes nothing, the overview and the doctor say so.
      if (!(error instanceof Refusal)) deps.report(error);
    }
  }
}

const suspended = (reason: string): string =>
  `Akun Kabari Anda ditangguhkan. Alasannya: ${sentence(reason)} Pengiriman berhenti sementara dan pesan yang menunggu tetap tersimpan. Masuk ke portal untuk bertanya kepada layanan pelanggan.`;

const reactivated = (reason: string): string =>
  `Akun Kabari Anda aktif kembali. ${sentence(reason)} Pesan yang menunggu dilanjutkan dengan sendirinya.`;

/** A reason ends as a sentence does. */
const sentence = (reason: string): string => (/[.!?…]$/.test(reason) ? reason : `${reason}.`);
