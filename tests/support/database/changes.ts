import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { type Tag, createTag, identifier } from '#server/infra/postgres/sql.ts';

const piece = createTag(() => Promise.reject(new Error('a piece of a statement')));

type Parameter = Parameters<Tag>[1];
/** A column's new value, or a function of its current value. */
type Value = Parameter | ((column: string) => Fragment);

/** A field's column, unless the builder of a table names another one. */
const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Creates the builder that changes rows of a table behind the application's back.
 * @param keys fields that select rows. Without them the builder changes every row.
 * @param columns of fields whose name differs from their column.
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
 * SQL that moves a row's time into the past by an interval. In UTC, independent of the session's zone, so that every
 * node of a cluster gets the same result.
 * @param by an interval, such as `5 minutes`.
 */
export const minusInterval = (column: string, by: string) => piece`
  (${identifier(column)} at time zone 'UTC' - ${by}::interval) at time zone 'UTC'`;

export const agedBy = (by: string) => (column: string) => minusInterval(column, by);

export const plus = (count: number) => (column: string) => piece`${identifier(column)} + ${count}`;

/** @param interval such as `5 minutes`. */
export const ago = (interval: string) => piece`statement_timestamp() - ${interval}::interval`;
export const inFuture = (interval: string) => piece`statement_timestamp() + ${interval}::interval`;
