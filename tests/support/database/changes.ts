import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { type Tag, createTag, identifier } from '#server/infra/postgres/sql.ts';

const piece = createTag(() => Promise.reject(new Error('a piece of a statement')));

type Parameter = Parameters<Tag>[1];
/** A value of a column: as it is, or made from the column's present value. */
type Value = Parameter | ((column: string) => Fragment);

/** The column of a field, unless the builder of a table names another one. */
const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Makes the builder that changes rows of a table behind the application's back.
 *
 * @param keys fields that choose rows. The builder changes every row without them.
 * @param columns of the fields that are not called as their column.
 */
export const changeOf =
  <K extends string>(table: string, keys: readonly K[], columns: Record<string, string> = {}) =>
  (sql: Sql | Tx, of: Partial<Record<K, Parameter>>, fields: Record<string, Value>) => {
    const name = (field: string) => columns[field] ?? columnOf(field);
    const where = keys
      .filter((key) => key in of)
      .map((key) => piece`${identifier(name(key))} = ${of[key] ?? null}`);
    const set = Object.entries(fields).map(([field, value]) => {
      const column = name(field);
      return piece`${identifier(column)} = ${typeof value === 'function' ? value(column) : value}`;
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

/** @param interval such as `5 minutes`. */
export const ago = (interval: string) => piece`statement_timestamp() - ${interval}::interval`;
export const inFuture = (interval: string) => piece`statement_timestamp() + ${interval}::interval`;
