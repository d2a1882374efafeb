import type { BenchDatabase } from './bench-database.ts';
import { table } from './results.ts';

const SHOWN = 25;
const TEXT_MAX = 110;

/** Resets the counts. The database must have been opened to count statements. */
export async function forgetStatements({ owner }: BenchDatabase): Promise<void> {
  await owner`select pg_stat_statements_reset(0, 0, 0, false)`;
}

/**
 * The statements that took the most time since then, including those inside functions, as a table. A function's time
 * contains that of its statements.
 *
 * @param messages the number of messages to divide the time by.
 */
export async function dearestStatements(
  { owner }: BenchDatabase,
  messages: number,
): Promise<string> {
  const found = await owner<Statement[]>`
    select regexp_replace(query, '\\s+', ' ', 'g') as text, toplevel as "isOutermost",
      sum(calls)::int as calls, sum(total_exec_time)::float8 as ms, sum(rows)::int as rows,
      sum(wal_bytes)::float8 as wal
    from pg_stat_statements group by 1, 2 order by ms desc limit ${SHOWN}`;
  const body = found.map(({ text, isOutermost, calls, ms, rows, wal }) => [
    `${isOutermost ? '' : '↳ '}\`${text.slice(0, TEXT_MAX).replaceAll('|', '\\|').replaceAll('`', '')}\``,
    (ms / messages).toFixed(3),
    (calls / messages).toFixed(3),
    (ms / calls).toFixed(3),
    (rows / calls).toFixed(1),
    (wal / messages).toFixed(0),
  ]);
  return table(
    [
      'statement',
      'ms a message',
      'calls a message',
      'ms a call',
      'rows a call',
      'WAL, bytes a message',
    ],
    body,
  );
}

type Statement = {
  text: string;
  isOutermost: boolean;
  calls: number;
  ms: number;
  rows: number;
  wal: number;
};
