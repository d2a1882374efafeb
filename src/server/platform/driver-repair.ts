import type { Sql } from './database.ts';

/** The parts of the driver's query object that the repair touches. */
type Query = {
  executed: boolean;
  strings: readonly string[];
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
  cursorFn?: (rows: unknown) => unknown;
  handle: () => Promise<void>;
};

const repaired = new WeakSet<object>();

/**
 * Mends two faults of postgres 3.4.9, the newest. Its connections cannot be reached from outside,
 * its queries can: they share a prototype.
 *
 * 1. The rows of a statement that fails after its first row are counted on: the next result on that
 *    connection begins with as many holes, and `const [row] = …` finds nothing where there is a row.
 *    A result is cleaned as it is handed over.
 * 2. A new connection first asks for the array types, and nobody waits for the answer: when it breaks
 *    just then, the rejection is unhandled and ends the process. It gets an empty answer instead;
 *    the statement that wanted the connection is rejected as it should be.
 */
export function repairDriver(sql: Sql): void {
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
    }
    return handle.call(this);
  };
}

const asksForArrayTypes = ({ strings }: Query): boolean =>
  strings.length === 1 && /^\s*select b\.oid, b\.typarray\s/.test(strings[0] ?? '');

function withoutHoles(result: unknown): unknown {
  if (!Array.isArray(result) || result.length === 0 || 0 in result) return result;
  const first = result.findIndex((_, index) => index in result);
  result.splice(0, first === -1 ? result.length : first);
  return result;
}
