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

const repaired = new WeakSet<object>();
const lives = new WeakMap<Query['handler'], Life>();

/**
 * Mends three faults of postgres 3.4.9, the newest. Its connections cannot be reached from outside,
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
 */
export function repairDriver(sql: Sql): void {
  watchTransactions(sql);
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
