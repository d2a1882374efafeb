import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { type Tag, createTag, identifier } from '#server/infra/postgres/sql.ts';

const piece = createTag(() => Promise.reject(new Error('a piece of a statement')));

/** A value of a column: as it is, or made from the column's present value. */
export type Value = Parameters<Tag>[1] | ((column: string) => Fragment);
type Columns = Readonly<Record<string, string>>;

/** Values of columns, by the names that tests use for them. */
export type Fields<C extends Columns> = Partial<Record<keyof C, Value>>;

/**
 * Makes the builder that changes rows of a table behind the application's back. Tests name fields; only here
 * fields are columns.
 *
 * @param keys columns that choose rows. The builder changes every row without them.
 */
export const changeOf =
  <K extends Columns, C extends Columns>(table: string, keys: K, columns: C) =>
  (sql: Sql | Tx, of: Partial<Record<keyof K, Parameters<Tag>[1]>>, fields: Fields<C>) => {
    const chosen = Object.entries(keys).filter(([key]) => key in of);
    const where = chosen.map(([key, column]) => piece`${identifier(column)} = ${of[key] ?? null}`);
    const set = Object.entries(fields).map(([field, value]) => {
      const column = columns[field] ?? field;
      return piece`${identifier(column)} = ${typeof value === 'function' ? value(column) : (value ?? null)}`;
    });
    return sql`
      update ${identifier(table)} set ${set.reduce((all, one) => piece`${all}, ${one}`)}
      where ${where.reduce((all, one) => piece`${all} and ${one}`, piece`true`)}`;
  };

/**
 * SQL of a time in a row, so much sooner: as if that much had passed. In UTC, where it does not depend on the zone of a
 * session, so that every node of a cluster comes to the same.
 *
 * @param by an interval, such as `5 minutes`.
 */
export const sooner = (column: string, by: string) => piece`
  (${identifier(column)} at time zone 'UTC' - ${by}::interval) at time zone 'UTC'`;

/** The present time of a row, so much sooner. */
export const earlier = (by: string) => (column: string) => sooner(column, by);

/** The present number of a row, and so many more. */
export const plus = (count: number) => (column: string) => piece`${identifier(column)} + ${count}`;

export const now: Fragment = piece`statement_timestamp()`;
/** @param interval such as `5 minutes`. */
export const ago = (interval: string) => piece`statement_timestamp() - ${interval}::interval`;
export const inFuture = (interval: string) => piece`statement_timestamp() + ${interval}::interval`;
