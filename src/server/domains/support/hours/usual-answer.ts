import type { Sql } from '#server/infra/postgres/database.ts';

/** How soon questions were answered lately, in seconds of opening hours; null while too few were. */
export type UsualAnswer = () => Promise<number | null>;

const DAYS = 30;
const ANSWERS_MIN = 5;
const CACHE_TTL_MS = 60_000;

/**
 * The median of the last 30 days, over all accounts: a figure, and nothing of anybody. Asked of the
 * database once a minute at most.
 */
export function openUsualAnswer(allAccountsSql: Sql, now: () => Date): UsualAnswer {
  let cached: { seconds: Promise<number | null>; until: number } | undefined;
  return () => {
    if (cached && performance.now() < cached.until) return cached.seconds;
    const seconds = medianOf(allAccountsSql, now());
    cached = { seconds, until: performance.now() + CACHE_TTL_MS };
    seconds.catch(() => {
      cached = undefined;
    });
    return seconds;
  };
}

async function medianOf(allAccountsSql: Sql, at: Date): Promise<number | null> {
  const since = new Date(at.getTime() - DAYS * 86_400_000);
  const [found] = await allAccountsSql<{ answers: number; seconds: number | null }[]>`
    select count(*) as answers,
      percentile_cont(0.5) within group (order by answer_seconds)::float8 as seconds
    from support_messages where answer_seconds is not null and at >= ${since}`;
  if (!found || found.seconds === null || found.answers < ANSWERS_MIN) return null;
  return Math.round(found.seconds);
}
