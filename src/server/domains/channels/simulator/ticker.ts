import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { stay } from '#server/infra/postgres/distribution/scope.ts';

export type DueKind = 'delivered' | 'read' | 'inbound' | 'connect';

/** Something that is due in the network. */
export type Due = {
  dueId: string;
  kind: DueKind;
  phone: string;
  accountId: string | null;
  messageId: string | null;
  facts: unknown;
  tries: number;
  at: Date;
};

/** Handles what is due and returns what failed; that is retried later. */
export type DueHandler = (due: readonly Due[]) => Promise<ReadonlySet<Due>>;

const BATCH_MAX = 500;
/** How often to poll without being woken: rows may come from other processes. */
const POLL_MS = 500;
/** The least pause between two polls, unless there was more than one batch: phones are not that punctual. */
const PAUSE_MS = 50;
const ERROR_MS = 1_000;
/** With waits of up to 32 s: gives up after some 25 minutes. */
const TRIES_MAX = 50;
const waitSeconds = (tries: number): number => 2 ** Math.min(tries, 5);

/**
 * Handles what is due, by the database's clock; woken when something is known to be due sooner.
 *
 * A handled row is deleted in the transaction that claimed it, so a process that dies in between leaves it
 * for the next: everything is handled at least once.
 */
export class Ticker {
  readonly #allAccountsSql: Sql;
  readonly #handle: DueHandler;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #wakesAtMs = Infinity;
  #polledAtMs = -Infinity;
  #running: Promise<void> | undefined;
  #open = false;
  /** Whoever wakes it: what is due concerns all accounts. */
  readonly #run = stay(() => {
    this.#running = this.#poll();
  });

  constructor(allAccountsSql: Sql, handle: DueHandler, report: (error: unknown) => void) {
    this.#allAccountsSql = allAccountsSql;
    this.#handle = handle;
    this.#report = report;
  }

  start() {
    this.#open = true;
    this.wake(0);
  }

  /** Polls again in so many milliseconds, or sooner. */
  wake(afterMs: number) {
    const atMs = Math.max(performance.now() + afterMs, this.#polledAtMs + PAUSE_MS);
    if (!this.#open || atMs >= this.#wakesAtMs) return;
    this.#wakesAtMs = atMs;
    if (this.#running) return;
    this.#setTimer();
  }

  /** Waits for a running poll; nothing is handled after that. */
  async close() {
    this.#open = false;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #setTimer() {
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, this.#wakesAtMs - performance.now());
    this.#timer = setTimeout(this.#run, waitMs);
  }

  async #poll() {
    this.#wakesAtMs = Infinity;
    let nextMs: number;
    try {
      nextMs = await this.#processAll();
    } catch (error) {
      this.#report(error);
      nextMs = ERROR_MS;
    }
    this.#running = undefined;
    this.#polledAtMs = performance.now();
    if (!this.#open) return;
    this.#wakesAtMs = Math.min(this.#wakesAtMs, performance.now() + nextMs);
    this.#setTimer();
  }

  /** Handles batch after batch; returns in how many milliseconds to poll next. */
  async #processAll(): Promise<number> {
    let processed = BATCH_MAX;
    while (processed === BATCH_MAX && this.#open) processed = await this.#processBatch();
    const dueMs = await nextDueMs(this.#allAccountsSql);
    return Math.min(POLL_MS, Math.max(dueMs, PAUSE_MS));
  }

  #processBatch(): Promise<number> {
    return this.#allAccountsSql.begin(async (tx) => {
      const due = await claimDue(tx);
      if (due.length === 0) return 0;
      const failed = await this.#handle(due);
      await deleteDue(
        tx,
        due.filter((one) => !failed.has(one)),
      );
      await this.#postpone(tx, [...failed]);
      return due.length;
    });
  }

  async #postpone(tx: Tx, failed: readonly Due[]) {
    const abandoned = failed.filter(({ tries }) => tries >= TRIES_MAX);
    await deleteDue(tx, abandoned);
    for (const { kind } of abandoned)
      this.#report(new Error(`simulator: a ${kind} failed too often`));
    if (abandoned.length === failed.length) return;
    for (const [tries, some] of Map.groupBy(failed, (one) => one.tries)) {
      await tx`
        update sim_due
        set tries = tries + 1, due_at = statement_timestamp() + make_interval(secs => ${waitSeconds(tries)})
        where due_id = any (${some.map(({ dueId }) => dueId)}::uuid[])`;
    }
  }
}

/** Claims what is due and not locked by another process; nothing of phones that are offline. */
const claimDue = (tx: Tx) => tx<Due[]>`
  select due_id as "dueId", kind, phone, account_id as "accountId", message_id as "messageId", facts,
    tries, greatest(due_at, clock_timestamp() - interval '1 second') as at
  from sim_due d
  where due_at <= clock_timestamp()
    and not exists (select from sim_phones p where p.phone = d.phone and p.offline)
  order by due_at limit ${BATCH_MAX} for update skip locked`;

async function deleteDue(tx: Tx, due: readonly Due[]): Promise<void> {
  if (due.length === 0) return;
  await tx`delete from sim_due where due_id = any (${due.map(({ dueId }) => dueId)}::uuid[])`;
}

async function nextDueMs(allAccountsSql: Sql): Promise<number> {
  const [next] = await allAccountsSql<{ ms: number }[]>`
    select extract(epoch from due_at - clock_timestamp())::float8 * 1000 as ms
    from sim_due d
    where not exists (select from sim_phones p where p.phone = d.phone and p.offline)
    order by due_at limit 1`;
  return next?.ms ?? Infinity;
}
