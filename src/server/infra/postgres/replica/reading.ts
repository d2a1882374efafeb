import { type Sql, createSql, isShared, runnerOf } from '#server/infra/postgres/database.ts';
import type { Transaction, TransactionOptions } from '#server/infra/postgres/driver/transaction.ts';
import type { Lsn } from './standing.ts';

/** Decides where something is read, and hears what became of it. */
export type Gate = {
  /** The replica's pool, while it may be read. */
  replica: () => Sql | undefined;
  /** What it must have replayed. */
  floor: () => Lsn;
  /** The replica broke off: away, restarted, or cancelled by what it replays. */
  failed: (error: unknown) => void;
  /** The replica has not what readers depend on: another server than before answers at its address. */
  isOld: () => void;
};

type Work<T> = (transaction: Transaction) => PromiseLike<T> | T;

/**
 * Statements and transactions that only read: on the replica, or where that fails once more on the primary. Work may
 * therefore run twice, and changes nothing but what it returns.
 */
export function createReadingSql(primary: Sql, gate: Gate): Sql {
  const transact = async <T>(work: Work<T>, options: TransactionOptions): Promise<T> => {
    const reading = { ...options, mode: readOnly(options.mode) };
    const replica = gate.replica();
    if (replica) {
      const read = await readFrom(replica, work, { gate, reading });
      if (read) return read.result;
    }
    return runnerOf(primary).transact(work, reading);
  };
  return createSql({
    place: primary.place,
    as: runnerOf(primary).as,
    run: (compiled) => transact((transaction) => transaction.run(compiled), {}),
    transact,
    // The pools beneath have figures of their own, and are closed by their opener.
    waitedSeconds: () => 0,
    end: async () => undefined,
  });
}

const readOnly = (mode: string | undefined): string =>
  mode?.includes('read only') ? mode : `${mode ?? ''} read only`.trim();

class Old extends Error {}

/** @returns `undefined` when the replica could not answer; what the work itself throws, it throws. */
async function readFrom<T>(
  replica: Sql,
  work: Work<T>,
  { gate, reading }: { gate: Gate; reading: TransactionOptions },
): Promise<{ result: T } | undefined> {
  try {
    const result = await runnerOf(replica).transact(async (transaction) => {
      // Travels with the first statement of the work.
      const look = transaction.run(hasReplayed(gate.floor()));
      const done = Promise.resolve(work(transaction)).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      const [row] = await look;
      const outcome = await done;
      // Before its own trouble: what is missing on a replica that is behind looks like any.
      if (row?.['done'] !== true) throw new Old();
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    }, reading);
    return { result };
  } catch (error) {
    if (error instanceof Old) gate.isOld();
    else if (isShared(error)) gate.failed(error);
    else throw error;
    return undefined;
  }
}

const hasReplayed = (lsn: Lsn) => ({
  text: 'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as done',
  name: 'k_has_replayed',
  types: [],
  values: [lsn],
});
