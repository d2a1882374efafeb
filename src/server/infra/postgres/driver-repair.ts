import type { Sql, Tx } from './database.ts';

/** The parts of the driver's query object that the repair touches. */
type Query = {
  executed: boolean;
  strings: readonly string[];
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
  cursorFn?: (rows: unknown) => unknown;
  handle: () => Promise<void>;
  /** Takes the query to its connection; every transaction has one of its own. */
  handler: (query: Query) => unknown;
  catch: (heard: () => void) => unknown;
};

/** A transaction, as long as it can be spoken to; then why not. */
type Life = { over?: { why: unknown } };

/** The statements of a pool: how many the driver may have at once, has, and does not have yet. */
type Turns = { readonly most: number; running: number; readonly waiting: (() => void)[] };

/** The driver's own `max_pipeline`, which its types do not tell. */
const PIPELINE_MAX = 100;

const repaired = new WeakSet<object>();
const lives = new WeakMap<Query['handler'], Life>();
const turns = new WeakMap<Query['handler'], Turns>();

/**
 * Mends four faults of postgres 3.4.9, the newest. Its connections cannot be reached from outside,
 * its queries can: they share a prototype.
 *
 * 1. The rows of a statement that fails after its first row are counted on: the next result on that
 *    connection begins with as many holes, and `const [row] = …` finds nothing where there is a row.
 *    A result is cleaned as it is handed over.
 * 2. A new connection first asks for the array types, and nobody waits for the answer: when it breaks
 *    just then, the rejection is unhandled and ends the process. It gets an empty answer instead;
 *    the statement that wanted the connection is rejected as it should be.
 * 3. A transaction whose connection has closed goes on: its next statement, its own `rollback` among
 *    them, is written to no socket, which ends the process (its issue 1208), or to the next connection,
 *    where it works outside of any transaction or ends somebody else's. It is rejected instead.
 * 4. A `begin` that fills a connection's pipeline (of 100) is sent, but its connection is not
 *    kept for it: the caller gets `UNSAFE_TRANSACTION`, and the next statements of anybody on that
 *    connection are done inside a transaction that nobody commits, so they are lost. The driver never
 *    has so many statements of a pool at once; the others wait their turn here. (A full socket is the
 *    other way there, which `houseSocket` closes.)
 */
export function repairDriver(sql: Sql): void {
  watchTransactions(sql);
  const { handler } = sql`` as unknown as Query;
  const own: Turns = { most: PIPELINE_MAX, running: 0, waiting: [] };
  turns.set(handler, own);
  endAfter(sql, own);
  const kind = Object.getPrototypeOf(sql``) as Query;
  if (repaired.has(kind)) return;
  repaired.add(kind);
  const { handle } = kind;
  kind.handle = function (this: Query) {
    if (!this.executed) {
      const { resolve, cursorFn } = this;
      this.resolve = (result) => resolve(withoutHoles(result));
      if (cursorFn) this.cursorFn = (found) => cursorFn(withoutHoles(found));
      if (asksForArrayTypes(this)) this.reject = () => resolve([]);
      const life = lives.get(this.handler);
      if (life) bindToLife(this, life);
      const pool = turns.get(this.handler);
      if (pool) takeTurn(this, pool);
    }
    return handle.call(this);
  };
}

/** Knows each transaction of a pool by the handler of its statements, and when it is over. */
function watchTransactions(sql: Sql): void {
  const begin = sql.begin.bind(sql) as (...given: unknown[]) => Promise<unknown>;
  const watched = (...given: unknown[]) => {
    const work = given.pop() as (tx: Tx) => unknown;
    const life: Life = {};
    const done = begin(...given, (tx: Tx) => {
      lives.set((tx`` as unknown as Query).handler, life);
      return work(tx);
    });
    done.catch((why: unknown) => (life.over ??= { why }));
    return done;
  };
  sql.begin = watched as typeof sql.begin;
}

/** Turns of the queue of promises in which a close is heard of: three, and some to spare. */
const HEARING_TURNS = 8;

function bindToLife(query: Query, life: Life): void {
  const { handler, reject } = query;
  query.reject = (why) => {
    if (endsConnection(why)) life.over ??= { why };
    reject(why);
  };
  query.handler = async () => {
    for (let turn = 0; turn < HEARING_TURNS; turn++) await Promise.resolve();
    if (!life.over) return handler(query);
    // Whoever waits for it hears it; that nobody does must not end the process.
    query.catch(() => undefined);
    return reject(life.over.why);
  };
}

/** Hands a statement to the driver when it has room, first come first served. */
function takeTurn(query: Query, pool: Turns): void {
  const { handler, resolve, reject } = query;
  let over = false;
  let running = false;
  const end = () => {
    over = true;
    if (!running) return;
    running = false;
    pool.running -= 1;
    if (pool.waiting.length > 0) queueMicrotask(() => giveTurns(pool));
  };
  query.resolve = (result) => (end(), resolve(result));
  query.reject = (why) => (end(), reject(why));
  query.handler = () => {
    pool.waiting.push(() => {
      if (over) return;
      running = true;
      pool.running += 1;
      handler(query);
    });
    giveTurns(pool);
  };
}

/** A pool ends when what waited for its turn has been handed over, as the driver ends after what it has. */
function endAfter(sql: Sql, pool: Turns): void {
  const end = sql.end.bind(sql);
  sql.end = async (options) => {
    if (pool.waiting.length > 0) {
      const { promise: over, resolve } = Promise.withResolvers<void>();
      pool.waiting.push(resolve);
      const timer =
        options?.timeout === undefined ? undefined : setTimeout(resolve, options.timeout * 1000);
      await over;
      clearTimeout(timer);
    }
    return end(options);
  };
}

function giveTurns(pool: Turns): void {
  while (pool.running < pool.most) {
    const start = pool.waiting.shift();
    if (!start) return;
    start();
  }
}

/** True for errors that leave no connection: the network's, the driver's own, and the server's last words. */
const endsConnection = (why: unknown): boolean =>
  why instanceof Error &&
  (('severity' in why && /^(FATAL|PANIC)$/.test(String(why.severity))) ||
    ('code' in why && /^(CONNECTION_|CONNECT_|E[A-Z])/.test(String(why.code))));

const asksForArrayTypes = ({ strings }: Query): boolean =>
  strings.length === 1 && /^\s*select b\.oid, b\.typarray\s/.test(strings[0] ?? '');

function withoutHoles(result: unknown): unknown {
  if (!Array.isArray(result) || result.length === 0 || 0 in result) return result;
  const first = result.findIndex((_, index) => index in result);
  result.splice(0, first === -1 ? result.length : first);
  return result;
}
