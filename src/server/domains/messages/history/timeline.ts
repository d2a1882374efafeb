import type { Language } from '#contract/language/language.ts';
import {
  correctedSentence,
  failureSentence,
  retrySentence,
  silenceSentence,
  waitSentence,
} from '#contract/messages/failures.ts';
import { Failure, MessageStatus, TimelineStep, statusRank } from '#contract/messages.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { formatDateTimeEnglish, formatDateTimeZone } from '#contract/base/time.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { type StoredMessage, readMessages } from './rows.ts';

/**
 * One message with its steps, oldest first; the last one is its present wait.
 *
 * @throws Refusal `not_found` when the account has no such message.
 */
export async function readWithTimeline(
  tx: Tx,
  { accountId, messageId }: { accountId: string; messageId: string },
  language: Language,
): Promise<{ stored: StoredMessage; timeline: TimelineStep[] }> {
  const [stored, steps, waiting] = await Promise.all([
    readOne(tx, accountId, messageId),
    timelineOf(tx, accountId, messageId),
    waitingOf(tx, { accountId, messageId }, language),
  ]);
  if (!stored) throw new Refusal('not_found', { what: 'Pesan' });
  const happened = wholeTimeline(stored, steps, language);
  const last = happened.at(-1)?.at ?? stored.created_at;
  // The wait comes after all past steps.
  const now = waiting.map((step) => ({ ...step, at: step.at > last ? step.at : last }));
  return { stored, timeline: [...happened, ...now] };
}

/** A try that is answered sooner is not shown: it would disappear before it could be read. */
const SILENT_AFTER = '1 second';

/**
 * The wait of a queued message: for the file behind its link, or for the network's answer to its own last try or to an
 * earlier message to the same phone.
 */
async function waitingOf(
  tx: Tx,
  { accountId, messageId }: { accountId: string; messageId: string },
  language: Language,
): Promise<TimelineStep[]> {
  const [fetched] = await tx<{ at: Date }[]>`
    select tried_at as at from dispatch
    where account_id = ${accountId} and message_id = ${messageId} and awaits is not null`;
  if (fetched) {
    return [{ kind: 'waiting', at: fetched.at, detail: silenceSentence('link', language) }];
  }
  const isSilent = tx`(t.state = 'unknown' or t.unsure_until > clock_timestamp()
    or (t.state = 'sending' and t.tried_at < clock_timestamp() - ${SILENT_AFTER}::interval))`;
  const [silent] = await tx<{ own: boolean; at: Date }[]>`
    select t.message_id = d.message_id as own, coalesce(t.tried_at, clock_timestamp()) as at
    from dispatch d
    join dispatch t on t.account_id = d.account_id and t.token_id = d.token_id and t.peer = d.peer
      and t.message_id <= d.message_id and t.priority <= d.priority
    where d.account_id = ${accountId} and d.message_id = ${messageId}
      and d.ready_at <= greatest(clock_timestamp(), d.unsure_until) and ${isSilent}
    order by own desc, t.message_id limit 1`;
  if (!silent) return [];
  const detail = silenceSentence(silent.own ? 'own' : 'earlier', language);
  return [{ kind: 'waiting', at: silent.at, detail }];
}

async function readOne(
  tx: Tx,
  accountId: string,
  messageId: string,
): Promise<StoredMessage | undefined> {
  const ids = tx`select ${messageId}::uuid as message_id`;
  const [stored] = await readMessages(tx, { accountId, ids, order: 'newest' });
  return stored;
}

type StoredStep = { kind: string; at: Date; detail: string | null };

const timelineOf = async (tx: Tx, accountId: string, messageId: string): Promise<StoredStep[]> =>
  inOrder(
    await tx<StoredStep[]>`
      select kind, at, detail from message_events
      where account_id = ${accountId} and message_id = ${messageId} order by at, n`,
  );

/**
 * All steps, oldest first. Steps that every message takes at once are not stored: it is accepted when its id is made,
 * and queued in the same statement unless it is scheduled.
 */
function wholeTimeline(
  stored: StoredMessage,
  later: readonly StoredStep[],
  language: Language,
): TimelineStep[] {
  const { direction, status, created_at: at } = stored;
  const visible = later.flatMap((step) => {
    const kind = TimelineStep().shape.kind.safeParse(step.kind);
    // Networks with whole seconds must not put a step before the acceptance.
    const stepAt = step.at < at ? at : step.at;
    return kind.success ? [{ kind: kind.data, at: stepAt, detail: detailOf(step, language) }] : [];
  });
  if (direction === 'in') {
    return visible.some(({ kind }) => kind === 'received')
      ? visible
      : [{ kind: 'received', at, detail: null }, ...visible];
  }
  const first: TimelineStep[] = [{ kind: 'accepted', at, detail: null }];
  const kinds = new Set(visible.map(({ kind }) => kind));
  if (status === 'scheduled' && !kinds.has('scheduled')) {
    first.push({ kind: 'scheduled', at, detail: null });
  } else if (status !== 'accepted' && !kinds.has('scheduled') && !kinds.has('queued')) {
    first.push({ kind: 'queued', at, detail: null });
  }
  return [...first, ...visible.filter(({ kind }) => kind !== 'accepted')];
}

/**
 * Steps in the order in which they happened: by time, then by rank, with sent before its consequences.
 */
export const inOrder = <Step extends { kind: string; at: Date | string }>(
  steps: readonly Step[],
): Step[] =>
  sentFirst(steps.toSorted((a, b) => timeOf(a) - timeOf(b) || rankOf(a.kind) - rankOf(b.kind)));

const timeOf = ({ at }: { at: Date | string }): number => new Date(at).getTime();

/**
 * Rank of a step: a try that is followed by another one comes before all ends, a correction after.
 */
function rankOf(kind: string): number {
  if (kind === 'corrected') return statusRank.read + 1;
  const status = MessageStatus().safeParse(kind);
  return statusRank[status.success ? status.data : 'sending'];
}

/**
 * A receipt may arrive before our own call returned, and some networks report whole seconds: a message is still sent
 * before it arrives or fails. A `sent` that proved a failure wrong comes after it.
 */
function sentFirst<Step extends { kind: string }>(steps: readonly Step[]): Step[] {
  const ends = new Set(['delivered', 'read']);
  if (!steps.some(({ kind }) => kind === 'corrected')) ends.add('failed');
  const sent = steps.findIndex(({ kind }) => kind === 'sent');
  const ended = steps.findIndex(({ kind }) => ends.has(kind));
  const [step] = steps.slice(sent, sent + 1);
  if (ended === -1 || sent < ended || !step) return [...steps];
  return steps.toSpliced(sent, 1).toSpliced(ended, 0, step);
}

/**
 * Detail as text: a failure's code as a sentence (the action needed; or, for a try that is retried, that none is
 * needed), a schedule as its time; others unchanged.
 */
function detailOf({ kind, detail }: StoredStep, language: Language): string | null {
  if (kind === 'corrected') return correctedSentence(language);
  if (kind === 'unknown') return waitSentence(language);
  if (detail === null) return null;
  if (kind === 'scheduled') {
    return language === 'en'
      ? `For ${formatDateTimeEnglish(detail)} WIB`
      : `Untuk ${formatDateTimeZone(detail)}`;
  }
  const failure = Failure().safeParse(detail);
  if (!failure.success) return detail;
  return kind === 'retrying'
    ? retrySentence(failure.data, language)
    : failureSentence(failure.data, language);
}
