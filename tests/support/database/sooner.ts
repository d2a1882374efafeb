import { createTag, identifier } from '#server/infra/postgres/sql.ts';

const piece = createTag(() => Promise.reject(new Error('a piece of a statement')));

/**
 * SQL of a time in a row, so much sooner: as if that much had passed. In UTC, where it does not depend on the zone of a
 * session, so that every node of a cluster comes to the same.
 *
 * @param ago an interval, such as `5 minutes`.
 */
export const sooner = (column: string, ago: string) => piece`
  (${identifier(column)} at time zone 'UTC' - ${ago}::interval) at time zone 'UTC'`;
