import type { Sql, Tx } from '#server/infra/postgres/database.ts';

export type DueKind = 'delivered' | 'read' | 'inbound' | 'connect';

/** Something the network has to tell now. */
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

/** Tells what is due and answers what was not kept; those come again later. */
export type Teller = (due: readonly Due[]) => Promise<ReadonlySet<Due>>;

const BATCH_MAX = 500;
/** How often to look without being woken: rows may come from other processes. */
const LOOK_EVERY_MS = 500;
/** The least pause between two looks that found nothing, when others hold what is due. */
const REST_MS = 25;
const TROUBLE_MS = 1_000;
/** With waits of up to 32 s: gives up after some 25 minutes. */
const TRIES_MAX = 50;

/**
 * Brings what is due: looks by the database's clock, woken when something is known to be due sooner.
 *
 * What was told is erased in the transaction that claimed it, so a process that dies in between
 * leaves it for the next: everything is told at least once.
 */
export class Ticker {
  readonly #house: Sql;
  readonly #tell: Teller;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #wakesAtMs = Infinity;
  #running: Promise<void> | undefined;
  #open = false;

  constructor(allAccountsSql: Sql, tell: Teller, report: (error: unknown) => void) {
    this.#house = allAccountsSql;
    this.#tell = tell;
    this.#report = report;
  }

  start() {
    this.#open = true;
    this.wake(0);
  }

  /** Looks again in so many milliseconds, or sooner. */
  wake(afterMs: number) {
    const atMs = performance.now() + afterMs;
    if (!this.#open || atMs >= this.#wakesAtMs) return;
    this.#wakesAtMs = atMs;
    if (this.#running) return;
    this.#setTimer();
  }

  /** Lets a running look end; nothing is told after that. */
  async close() {
    this.#open = false;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #setTimer() {
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, this.#wakesAtMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#running = this.#look();
    }, waitMs);
  }

  async #look() {
    this.#wakesAtMs = Infinity;
    let nextMs: number;
    try {
      nextMs = await this.#bringAll();
    } catch (error) {
      this.#report(error);
      nextMs = TROUBLE_MS;
    }
    this.#running = undefined;
    if (!this.#open) return;
    this.#wakesAtMs = Math.min(this.#wakesAtMs, performance.now() + nextMs);
    this.#setTimer();
  }

  /** Brings batch after batch; answers in how many milliseconds the next look is worth it. */
  async #bringAll(): Promise<number> {
    let brought = BATCH_MAX;
    while (brought === BATCH_MAX && this.#open) brought = await this.#bring();
    const dueMs = await nextDueMs(this.#house);
    return Math.min(LOOK_EVERY_MS, Math.max(dueMs, brought === 0 ? REST_MS : 0));
  }

  #bring(): Promise<number> {
    return this.#house.begin(async (tx) => {
      const due = await claimDue(tx);
      if (due.length === 0) return 0;
      const left = await this.#tell(due);
      await forget(
        tx,
        due.filter((one) => !left.has(one)),
      );
      await this.#postpone(tx, [...left]);
      return due.length;
    });
  }

  async #postpone(tx: Tx, left: readonly Due[]) {
    const lost = left.filter(({ tries }) => tries >= TRIES_MAX);
    await forget(tx, lost);
    for (const { kind } of lost) this.#report(new Error(`simulator: nobody took a ${kind}`));
    if (lost.length === left.length) return;
    await tx`
      update sim_due
      set tries = tries + 1,
        due_at = clock_timestamp() + interval '1 second' * 2 ^ least(tries, 5)
      where due_id = any (${left.map(({ dueId }) => dueId)}::uuid[])`;
  }
}

/** What is due and not held by another process; nothing of phones that are offline. */
const claimDue = (tx: Tx) => tx<Due[]>`
  select due_id as "dueId", kind, phone, account_id as "accountId", message_id as "messageId", facts,
    tries, greatest(due_at, clock_timestamp() - interval '1 second') as at
  from sim_due d
  where due_at <= clock_timestamp()
    and not exists (select from sim_phones p where p.phone = d.phone and p.offline)
  order by due_at limit ${BATCH_MAX} for update skip locked`;

async function forget(tx: Tx, due: readonly Due[]): Promise<void> {
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
