import { createHash } from 'node:crypto';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { AttemptError } from '#contract/webhooks/deliveries.ts';
import { WEBHOOK_LIMITS } from '#contract/webhooks/webhook.ts';
import { phonesOf } from '#server/domains/accounts/accounts.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';

/** What became of a claimed delivery; what was no try has only its outcome. */
export type Result = {
  account: string;
  webhook: string;
  lane: string;
  claim: string;
  position: number | null;
  outcome: 'delivered' | 'failed' | 'gone' | 'skipped' | 'interrupted';
  at?: Date;
  ms?: number;
  status?: number | null;
  error?: AttemptError | null;
  headers?: Readonly<Record<string, string>>;
  answer?: string;
  /** When it is tried again, a webhook that is off not before it is on; null: not any more. */
  due?: Date | null;
  /** The end of the pause that the endpoint asked for. */
  asked?: Date;
};

type SwitchedOff = {
  o_account: string;
  o_webhook: string;
  o_token: string;
  o_reason: 'gone' | 'failing';
};
type Settled = SwitchedOff | { o_webhook: null; o_is_due: boolean };

/**
 * Stores results; whose webhook is switched off by them is told in the same transaction.
 *
 * @returns of each whether their webhooks have more to send now.
 */
export async function settleResults(
  deps: WebhookDeps,
  results: readonly Result[],
): Promise<boolean[]> {
  let isMoreDue = false;
  await deps.allAccountsSql.begin(async (tx) => {
    const rows = await tx<Settled[]>`
      select * from settle_webhook_deliveries(
        ${json(results)}, ${deps.now()}, make_interval(days => ${WEBHOOK_LIMITS.failingDays}))`;
    for (const one of rows) {
      if (one.o_webhook === null) isMoreDue = one.o_is_due;
      else await tellOff(tx, deps, one);
    }
  });
  for (const { outcome } of results) deps.onOutcome(outcome);
  return results.map(() => isMoreDue);
}

const causes: Readonly<Record<SwitchedOff['o_reason'], string>> = {
  gone: 'alamatnya menjawab 410 (tidak dipakai lagi)',
  failing: 'tiga hari tidak satu pun pengiriman berhasil',
};

/** Open pages and browsers learn of it at once; the message follows by `sendOffMessages`. */
async function tellOff(
  tx: Tx,
  { queueNotice }: WebhookDeps,
  { o_account: accountId, o_token, o_reason }: SwitchedOff,
): Promise<void> {
  const token = publicId('token', o_token);
  await appendEvent(tx, { accountId, kind: 'webhook.changed', data: { token_id: token } });
  await queueNotice(tx, {
    accountId,
    title: 'Webhook dimatikan',
    body: `Sebuah webhook dimatikan: ${causes[o_reason]}. Perbaiki lalu nyalakan lagi.`,
    url: `/token/webhook?token=${token}`,
    tag: 'webhook-mati',
  });
}

type Due = {
  account_id: string;
  webhook_id: string;
  off_reason: SwitchedOff['o_reason'];
  at: Date;
};

const MESSAGES_AT_ONCE = 20;

/** Sends the messages about webhooks that were switched off: each under a key of its own, so that none is sent twice. */
export async function sendOffMessages(deps: WebhookDeps): Promise<void> {
  const { allAccountsSql } = deps;
  const due = await allAccountsSql<Due[]>`
    select account_id, webhook_id, off_reason, changed_at as at from webhooks
    where notice_due order by changed_at limit ${MESSAGES_AT_ONCE}`;
  if (due.length === 0) return;
  const people = await phonesOf(
    allAccountsSql,
    due.map(({ account_id }) => account_id),
  );
  for (const one of due) {
    const own = people.filter(({ accountId }) => accountId === one.account_id);
    const sent = await Promise.allSettled(
      own.map(({ userId, phone }) => {
        const key = [one.webhook_id, one.at.getTime(), userId].join(':');
        return deps.sendSystemText(phone, textOf(one), keyOf(key));
      }),
    );
    const failures = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    for (const failure of failures) deps.report(failure);
    // A refusal is an answer; anything else may pass, and the next sweep sends what is missing.
    if (!failures.every((failure) => failure instanceof Refusal)) continue;
    await allAccountsSql`
      update webhooks set notice_due = false
      where webhook_id = ${one.webhook_id} and changed_at = ${one.at}`;
  }
}

const textOf = ({ off_reason }: Due): string =>
  `Webhook Kabari Anda dimatikan: ${causes[off_reason]}. Perbaiki alamatnya, lalu nyalakan lagi di halaman Token. ` +
  'Peristiwa selama webhook mati tetap dapat dibaca lewat GET /v1/events.';

/** A hash: the key outlives an account that is erased, and must not name it. */
const keyOf = (facts: string): string =>
  `webhook-off:${createHash('sha256').update(facts).digest('base64url')}`;
