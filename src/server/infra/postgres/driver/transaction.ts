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
 * Sets settings for this transaction only. By `SET LOCAL` and not `set_config`, because only it propagates to the
 * other nodes of a distributed database, which have the rows.
 */
const setLocally = (settings: Readonly<Record<string, string>>): Compiled[] =>
  Object.entries(settings).map(([name, value]) => ({
    text: `set local ${name} = ${quoted(value)}`,
    name: '',
    types: [],
    values: [],
  }));

/** A setting's value as a literal. @throws TypeError if it has characters that are not allowed. */
function quoted(value: string): string {
  if (!/^[\w .,:*-]*$/.test(value)) throw new TypeError('no value of a setting');
  return `'${value}'`;
}

export type TransactionOptions = {
  mode?: string | undefined;
  settings?: Readonly<Record<string, string>>;
};

/**
 * `begin` and the settings are sent with the first statement of `work`, before one `Sync`: if `begin` fails, the
 * server skips the rest. Any failed statement fails the transaction, even if `work` caught the error.
 *
 * @throws ConnectionLost `unknown` if the connection was lost during COMMIT, `not sent` if before.
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
   * Work that is rolled back alone if it fails; the transaction goes on. One at a time: concurrent savepoints nest,
   * and the whole transaction fails if they end in another order.
   */
  async savepoint<T>(work: () => PromiseLike<T> | T): Promise<T> {
    if (this.#failure) throw skippedBecause(this.#failure.error);
    const name = `s${++this.#savepoints}`;
    try {
      // The work's first statement fails with the same error.
      this.run(command(`savepoint ${name}`)).catch(() => undefined);
      const result = await this.#whole(work);
      await this.run(command(`release savepoint ${name}`));
      return result;
    } catch (error) {
      await this.#connection.whenIdle();
      // Without a savepoint to roll back to, the transaction itself has failed.
      if (!this.#isOver && !this.#connection.isLost) {
        this.#failure = undefined;
        await this.run(command(`rollback to savepoint ${name}`));
      }
      throw error;
    }
  }

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
      this.#connection.mustClose = true;
      throw error;
    }
  }
}

const isSkipped = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '25P02';
