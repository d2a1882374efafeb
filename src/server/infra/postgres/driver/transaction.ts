import type { Connection } from './connection.ts';
import { skippedBecause } from './errors.ts';
import type { Pool } from './pool.ts';
import type { Compiled } from './compile.ts';
import type { Row, Rows } from './rows.ts';

const command = (text: string): Compiled => ({
  text,
  name: `k_${text.replaceAll(' ', '_')}`,
  types: [],
  values: [],
});
const BEGIN = command('begin');
const COMMIT = command('commit');
const ROLLBACK = command('rollback');

/**
 * Sets what holds in this transaction alone. As `SET LOCAL`, not by `set_config`: only that is handed on to
 * the other nodes of a distributed database, where the rows are.
 */
const setLocally = (settings: Readonly<Record<string, string>>): Compiled[] =>
  Object.entries(settings).map(([name, value]) => ({
    text: `set local ${name} = ${quoted(value)}`,
    name: '',
    types: [],
    values: [],
  }));

/** A value of a setting as a literal. @throws TypeError when it holds what a literal cannot. */
function quoted(value: string): string {
  if (!/^[\w .,:*-]*$/.test(value)) throw new TypeError('no value of a setting');
  return `'${value}'`;
}

export type TransactionOptions = {
  /** As `begin` takes it, such as `isolation level serializable`. */
  mode?: string | undefined;
  /** Settings that hold in this transaction alone. */
  settings?: Readonly<Record<string, string>>;
};

/**
 * Runs `work` in one transaction, on one connection of its own. `begin` and the settings travel with the
 * first statement of `work`, behind one `Sync`: when `begin` fails the server skips the rest.
 *
 * What fails within fails the whole, also when `work` has caught it: PostgreSQL would only roll back.
 *
 * @throws ConnectionLost `unknown` when the connection was lost during COMMIT, `not sent` when before.
 */
export async function runTransaction<T>(
  pool: Pool,
  work: (transaction: Transaction) => PromiseLike<T> | T,
  options: TransactionOptions = {},
): Promise<T> {
  const connection = await pool.acquire();
  try {
    return await new Transaction(connection, options).perform(work);
  } finally {
    connection.isReadOnly = false;
    pool.release(connection);
  }
}

export class Transaction {
  readonly #connection: Connection;
  readonly #options: TransactionOptions;
  #hasBegun = false;
  #isOver = false;
  #failure: { error: unknown } | undefined;
  /** Savepoints so far: no name is used twice. */
  #savepoints = 0;

  constructor(connection: Connection, options: TransactionOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  async perform<T>(work: (transaction: Transaction) => PromiseLike<T> | T): Promise<T> {
    let result: T;
    try {
      result = await this.#whole(() => work(this));
    } catch (error) {
      await this.#rollBack();
      throw error;
    }
    await this.#commit();
    return result;
  }

  run(compiled: Compiled): Promise<Rows<Row>> {
    if (this.#isOver) return Promise.reject(new Error('the transaction is over'));
    if (this.#failure) return Promise.reject(skippedBecause(this.#failure.error));
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const { mode, settings } = this.#options;
      this.#connection.isReadOnly = mode?.includes('read only') ?? false;
      void this.#execute(mode === undefined ? BEGIN : command(`begin ${mode}`));
      for (const one of setLocally(settings ?? {})) void this.#execute(one, false);
    }
    return this.#execute(compiled);
  }

  /**
   * Work that is undone alone when it fails; the transaction goes on. One at a time: of two at once the
   * second lies within the first, and when they end in another order the whole transaction fails.
   */
  async savepoint<T>(work: () => PromiseLike<T> | T): Promise<T> {
    if (this.#failure) throw skippedBecause(this.#failure.error);
    const name = `s${++this.#savepoints}`;
    try {
      // What it fails with, the work's first statement tells as well.
      this.run(command(`savepoint ${name}`)).catch(() => undefined);
      const result = await this.#whole(work);
      await this.run(command(`release savepoint ${name}`));
      return result;
    } catch (error) {
      await this.#connection.whenIdle();
      // Without a savepoint to go back to, what failed is the transaction itself.
      if (!this.#isOver && !this.#connection.isLost) {
        this.#failure = undefined;
        await this.run(command(`rollback to savepoint ${name}`));
      }
      throw error;
    }
  }

  /** The result of work, when nothing of it failed; the first failure explains those after it. */
  async #whole<T>(work: () => PromiseLike<T> | T): Promise<T> {
    try {
      const result = await work();
      await this.#connection.whenIdle();
      if (!this.#failure) return result;
    } catch (error) {
      if (!this.#failure || !isSkipped(error)) throw error;
    }
    throw this.#failure.error;
  }

  #execute(
    compiled: Compiled,
    isScript = compiled.name === '' && compiled.values.length === 0,
  ): Promise<Rows<Row>> {
    const result = this.#connection.execute(compiled, { isScript, whenLost: 'not sent' });
    result.catch((error: unknown) => (this.#failure ??= { error }));
    return result;
  }

  async #rollBack(): Promise<void> {
    this.#isOver = true;
    await this.#connection.whenIdle();
    if (!this.#hasBegun || this.#connection.isLost) return;
    // What is not rolled back by this is rolled back with the connection, which is then not kept.
    await this.#connection.execute(ROLLBACK).catch(() => undefined);
  }

  async #commit(): Promise<void> {
    this.#isOver = true;
    if (!this.#hasBegun) return;
    if (this.#connection.transactionStatus !== 'T' && !this.#connection.isLost) {
      throw new Error('the transaction ended before its work did');
    }
    try {
      const { command: done } = await this.#connection.execute(COMMIT);
      if (done !== 'COMMIT') throw new Error(`the transaction was not committed: ${done}`);
    } catch (error) {
      this.#connection.isDoubtful = true;
      throw error;
    }
  }
}

const isSkipped = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '25P02';
