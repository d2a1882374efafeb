import type { Outgoing } from '#server/domains/channels/channels.ts';
import { eachByItself } from '#server/infra/postgres/batches.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import type { Plan } from './outcomes.ts';

type TakenPlan = Extract<Plan, { outcome: 'taken' }>;

/** What the phone did with a message. */
export type Written = 'taken' | 'blocked';

type Job = {
  message: Outgoing;
  plan: TakenPlan;
  resolve: (written: Written) => void;
  reject: (error: unknown) => void;
};

/** Messages in one statement, and statements under way at once. */
const BATCH_MAX = 500;
const UNDER_WAY_MAX = 2;
/** How much longer a slow phone takes for everything. */
const SLOW_TIMES = 10;

/**
 * Puts messages into phones, many per statement: what comes in one turn of the event loop, or while
 * two statements are under way, goes together. No timer, so a lone message leaves at once.
 */
export class LineWriter {
  readonly #house: Sql;
  readonly #onTaken: (firstDueMs: number) => void;
  #queue: Job[] = [];
  #underWay = 0;
  #listening = false;

  /** @param onTaken told after each statement in how many milliseconds its first receipt is due. */
  constructor(allAccountsSql: Sql, onTaken: (firstDueMs: number) => void) {
    this.#house = allAccountsSql;
    this.#onTaken = onTaken;
  }

  /** Answers when the message is in the phone, for good; rejects when the database does. */
  write(message: Outgoing, plan: TakenPlan): Promise<Written> {
    const { promise, resolve, reject } = Promise.withResolvers<Written>();
    this.#queue.push({ message, plan, resolve, reject });
    if (!this.#listening) {
      this.#listening = true;
      setImmediate(() => {
        this.#listening = false;
        this.#pump();
      });
    }
    return promise;
  }

  #pump() {
    while (this.#underWay < UNDER_WAY_MAX && this.#queue.length > 0) void this.#send(this.#take());
  }

  /** The next batch; a message that is in it already waits, because one statement takes an id once. */
  #take(): Job[] {
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
    this.#underWay += 1;
    try {
      const failed = await eachByItself(batch, (some) => this.#write(some));
      for (const { item, error } of failed) item.reject(error);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#underWay -= 1;
      this.#pump();
    }
  }

  async #write(batch: readonly Job[]) {
    const taken = await insertLines(this.#house, batch);
    this.#onTaken(Math.min(...batch.map(({ plan }) => plan.deliveredMs)));
    for (const { message, resolve } of batch) {
      resolve(taken.has(message.messageId) ? 'taken' : 'blocked');
    }
  }
}

/**
 * One statement: the lines, and what will come of them. An id that is there already counts one submit
 * more and brings nothing new. Phones that block are left out.
 *
 * @returns the ids that were taken.
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
        ${column(({ message }) => JSON.stringify(bodyOf(message)))}::text[]::jsonb[],
        ${column(({ message }) => (message.possibleDuplicate ? 't' : 'f'))}::text[]::boolean[],
        ${column(({ plan }) => plan.deliveredMs)}::int[],
        ${column(({ plan }) => plan.readMs)}::int[],
        ${column(({ plan }) => plan.reply?.afterMs ?? null)}::int[],
        ${column((job) => replyFacts(job))}::text[]::jsonb[]
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
      insert into sim_due (due_id, kind, due_at, phone, account_id, message_id, facts)
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

/** The text itself, also where the message's own row only shows a mask: the phone is where it is read. */
const bodyOf = ({ body, text }: Outgoing) => (text === undefined ? body : { text });

function replyFacts({ message, plan }: Job): string | null {
  if (!plan.reply) return null;
  return JSON.stringify({
    lineId: newId(),
    fileId: newId(),
    to: message.from,
    what: plan.reply.what,
  });
}
