import type { Outgoing } from '#server/domains/channels/channels.ts';
import { eachByItself } from '#server/infra/postgres/batches.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';
import type { AnswerKind, Plan } from './outcomes.ts';

type AcceptedPlan = Extract<Plan, { outcome: 'accepted' }>;

export type Written = 'accepted' | 'blocked';

type Job = {
  message: Outgoing;
  plan: AcceptedPlan;
  resolve: (written: Written) => void;
  reject: (error: unknown) => void;
};

const BATCH_MAX = 500;
const IN_FLIGHT_MAX = 2;
const SLOW_TIMES = 10;

/**
 * Stores messages on phones, many per statement: those of one turn of the event loop, or queued while two statements
 * are in flight. No timer, so a single message leaves at once.
 */
export class LineWriter {
  readonly #allAccountsSql: Sql;
  readonly #onAccepted: (firstDueMs: number) => void;
  #queue: Job[] = [];
  #inFlight = 0;
  #isScheduled = false;

  /** @param onAccepted called after each statement with the milliseconds until its first receipt is due. */
  constructor(allAccountsSql: Sql, onAccepted: (firstDueMs: number) => void) {
    this.#allAccountsSql = allAccountsSql;
    this.#onAccepted = onAccepted;
  }

  write(message: Outgoing, plan: AcceptedPlan): Promise<Written> {
    const { promise, resolve, reject } = Promise.withResolvers<Written>();
    this.#queue.push({ message, plan, resolve, reject });
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#pump();
      });
    }
    return promise;
  }

  #pump() {
    while (this.#inFlight < IN_FLIGHT_MAX && this.#queue.length > 0)
      void this.#send(this.#nextBatch());
  }

  /** The next batch. A repeated id waits, because a statement may contain an id once. */
  #nextBatch(): Job[] {
    const ids = new Set<string>();
    const batch: Job[] = [];
    const rest: Job[] = [];
    for (const job of this.#queue) {
      if (batch.length < BATCH_MAX && !ids.has(job.message.messageId)) {
        ids.add(job.message.messageId);
        batch.push(job);
      } else rest.push(job);
    }
    this.#queue = rest;
    return batch;
  }

  async #send(batch: readonly Job[]) {
    this.#inFlight += 1;
    try {
      const failed = await eachByItself(batch, (some) => this.#write(some));
      for (const { item, error } of failed) item.reject(error);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#inFlight -= 1;
      this.#pump();
    }
  }

  async #write(batch: readonly Job[]) {
    const accepted = await insertLines(this.#allAccountsSql, batch);
    this.#onAccepted(Math.min(...batch.map(({ plan }) => plan.deliveredMs)));
    for (const { message, resolve } of batch) {
      resolve(accepted.has(message.messageId) ? 'accepted' : 'blocked');
    }
  }
}

/**
 * Inserts the lines, and the rows that become due for them, in one statement. A repeated id only adds to its count of
 * submits. Phones that block are left out.
 *
 * @returns the accepted ids
 */
async function insertLines(
  allAccountsSql: Sql,
  batch: readonly Job[],
): Promise<ReadonlySet<string>> {
  const column = <T>(pick: (job: Job) => T) => batch.map(pick);
  const rows = await allAccountsSql<{ id: string }[]>`
    with given as (
      select g.*, case when p.slow then ${SLOW_TIMES} else 1 end as times
      from unnest(
        ${column(({ message }) => message.messageId)}::uuid[],
        ${column(({ message }) => message.accountId)}::uuid[],
        ${column(({ message }) => message.to)}::text[],
        ${column(({ message }) => message.from)}::text[],
        ${column(({ message }) => message.type)}::text[],
        ${column(({ message }) => json(bodyOf(message)))}::jsonb[],
        ${column(({ message }) => message.possibleDuplicate)}::boolean[],
        ${column(({ plan }) => plan.deliveredMs)}::int[],
        ${column(({ plan }) => plan.readMs)}::int[],
        ${column(({ plan }) => plan.reply?.afterMs ?? null)}::int[],
        ${column(replyFacts)}::jsonb[]
      ) as g(id, account_id, phone, peer, type, body, unsure, delivered_ms, read_ms, reply_ms, reply)
      left join sim_phones p on p.phone = g.phone
      where p.blocked is not true
    ), line as (
      insert into sim_lines as l (
        phone, line_id, direction, peer, type, body, account_id, possible_duplicate
      )
      select phone, id, 'in', peer, type, body, account_id, unsure from given
      on conflict (phone, line_id) do update
        set submits = l.submits + 1,
          possible_duplicate = l.possible_duplicate or excluded.possible_duplicate
      returning line_id, submits
    ), due as (
      insert into sim_events (due_id, kind, due_at, phone, account_id, message_id, facts)
      select gen_random_uuid(), d.kind,
        clock_timestamp() + d.after_ms * g.times * interval '1 millisecond',
        g.phone, g.account_id, g.id, d.facts
      from line join given g on g.id = line.line_id
      cross join lateral (values
        ('delivered', g.delivered_ms, null::jsonb),
        ('read', g.read_ms, null),
        ('inbound', g.reply_ms, g.reply)
      ) as d(kind, after_ms, facts)
      where line.submits = 1 and d.after_ms is not null
    )
    select id from given`;
  return new Set(rows.map(({ id }) => id));
}

/** The real text, even if the message's own row only has a mask: the phone shows it in clear. */
const bodyOf = ({ body, text }: Outgoing) => (text === undefined ? body : { text });

const quoting: ReadonlySet<AnswerKind> = new Set(['quote', 'reaction']);

function replyFacts({ message, plan }: Job) {
  if (!plan.reply) return null;
  return json({
    lineId: newId(),
    fileId: newId(),
    to: message.from,
    what: plan.reply.what,
    ...(quoting.has(plan.reply.what) && { quotes: message.messageId }),
  });
}
