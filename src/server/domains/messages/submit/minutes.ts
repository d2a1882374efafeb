import type { Sql } from '#server/infra/postgres/database.ts';

/** How often what was counted is written: a process that dies loses so much of a figure. */
const WRITE_MS = 5_000;

export type MinuteCounts = {
  /** So many messages were accepted now. */
  add: (messages: number) => void;
  /** Writes what was counted, and stops. */
  close: () => Promise<void>;
};

type Deps = { sql: Sql; now: () => Date; report: (trouble: unknown) => void };

/** Counts accepted messages by the minute, in memory, and adds them to `message_minutes` every 5 s. */
export function openMinuteCounts({ sql, now, report }: Deps): MinuteCounts {
  let counts = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = () => {
    timer = undefined;
    const some = [...counts].sort(([a], [b]) => a - b);
    counts = new Map();
    if (some.length === 0) return;
    writing = writing.then(() => addMinutes(sql, some)).catch(report);
  };
  return {
    add(messages) {
      if (messages === 0) return;
      const minute = Math.floor(now().getTime() / 60_000);
      counts.set(minute, (counts.get(minute) ?? 0) + messages);
      timer ??= setTimeout(write, WRITE_MS).unref();
    },
    async close() {
      clearTimeout(timer);
      write();
      await writing;
    },
  };
}

async function addMinutes(sql: Sql, counts: readonly (readonly [number, number])[]): Promise<void> {
  await sql`
    insert into message_minutes as m (minute, messages)
    select to_timestamp(minute * 60), messages
    from unnest(
      ${counts.map(([minute]) => minute)}::bigint[], ${counts.map(([, n]) => n)}::bigint[]
    ) as c(minute, messages)
    order by minute on conflict (minute) do update set messages = m.messages + excluded.messages`;
}

/** Forgets counts of minutes after two days, and why messages failed after a month. */
export async function pruneCounts(allAccountsSql: Sql, now: Date): Promise<void> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
  await allAccountsSql`delete from message_minutes where minute < ${daysAgo(2)}`;
  await allAccountsSql`delete from failure_counts where hour < ${daysAgo(31)}`;
}
