import type { Sql } from '#server/infra/postgres/database.ts';
import { gather } from '#server/infra/postgres/gather.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import { type Claim, type Dispatched, LaneLost } from './attempt.ts';

/** What a lane would send next. */
export type ClaimQuery = {
  claim: Claim;
  /** The phone that it sends from. */
  from: string;
  limit: number;
  /** Only one-time codes. */
  isUrgent: boolean;
};

export type ClaimedMessages = {
  due: readonly Dispatched[];
  /** Beside what is on its way nothing waits in the lane, also not for later. */
  isDrained: boolean;
  /** The token no longer sends from that phone. */
  isAway: boolean;
};

/**
 * Hands a lane its next messages, marked `sending`. The queries of a process's lanes are gathered.
 *
 * @throws LaneLost when another worker has taken the lane.
 */
export type ClaimMessages = (query: ClaimQuery) => Promise<ClaimedMessages>;

/** How long a lane's query waits for those of others. */
const GATHER = { waitMs: 2, busy: { perSecond: 50, waitMs: 30, enough: 16 } };
/** Lanes in one call. */
const LANES_MAX = 64;

type Row = { o_nth: number } & (
  | ({ o_state: null } & Dispatched)
  | { o_state: 'lost' | 'away' | 'drained' }
);

type ClaimDeps = {
  sql: Sql;
  tracing?: Tracing | undefined;
};

/** Opens the claiming of messages of a process. */
export function openClaimMessages({ sql, tracing }: ClaimDeps): ClaimMessages {
  const claimRows = async (queries: readonly Numbered[]) => {
    const began = performance.now();
    const rows = await claim(sql, queries);
    tracing?.did({ operation: 'claim', began, steps: rows.flatMap(stepOf) });
    return Map.groupBy(rows, ({ o_nth }) => o_nth);
  };
  const claimMessages = gather<ClaimQuery, ClaimedMessages | 'lost'>(
    async (queries) => {
      const numbered = queries.map((query, index) => ({ ...query, nth: index + 1 }));
      const byNth = await claimRows(numbered);
      return numbered.map(({ nth }) => claimedFrom(byNth.get(nth)));
    },
    { ...GATHER, sizeMax: LANES_MAX },
  );
  return async (query) => {
    const claimed = await claimMessages(query);
    if (claimed === 'lost') throw new LaneLost();
    return claimed;
  };
}

function claimedFrom(rows: readonly Row[] = []): ClaimedMessages | 'lost' {
  const states = new Set(rows.map(({ o_state }) => o_state));
  if (states.has('lost')) return 'lost';
  return {
    due: rows.filter((row) => row.o_state === null),
    isDrained: states.has('drained'),
    isAway: states.has('away'),
  };
}

type Numbered = ClaimQuery & { nth: number };

const stepOf = (row: Row) =>
  row.o_state === null ? [{ messageId: row.o_id, attempt: row.o_attempt }] : [];

/** What is known of each lane, by its `nth`. */
const claim = (sql: Sql, queries: readonly Numbered[]) => sql<Row[]>`
  select * from claim_messages(
    ${queries.map(({ nth }) => nth)}::int[],
    ${queries.map(({ claim }) => claim.accountId)}::uuid[],
    ${queries.map(({ claim }) => claim.tokenId)}::uuid[],
    ${queries.map(({ claim }) => claim.epoch)}::bigint[],
    ${queries.map(({ limit }) => limit)}::int[],
    ${queries.map(({ isUrgent }) => isUrgent)}::boolean[],
    ${queries.map(({ from }) => from)}::text[]
  )`;
