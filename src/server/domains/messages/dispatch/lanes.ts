import type { ChannelName, TokenStatus } from '#contract/tokens.ts';
import type { Channels } from '#server/domains/channels/channels.ts';
import { type Claim, receiptWaitMs } from './attempt.ts';
import { type LaneRun, runLane } from './lane.ts';
import { failWaiting } from './withdraw.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import type { Log } from '#server/infra/observability/log.ts';

/** Lanes with something to do that one worker runs at once. */
const LANES_MAX = 32;
/** With those that only wait for silent numbers. */
const LANES_OPEN_MAX = 512;
/** Running lanes are woken at most once in this long. */
const WAKE_MS = 20;
const LEASE = '15 seconds';
const RENEW_MS = 5_000;
/** How often lanes are polled for without a wake-up: the most that a lost one delays. */
const POLL_MS = 500;
/**
 * A lane whose phone is not linked is delayed a quarter of the time that its first message has been due,
 * within these. Linking the phone wakes it; this is the fallback.
 */
const AWAY_DELAY_MS = 5_000;
const AWAY_DELAY_MS_MAX = 60_000;
/** The time-out of a channel that this installation no longer has. */
const TIMEOUT_MS = 10_000;
/**
 * A lane in which all that is due waits for an unsure message to the same phone is delayed until that is
 * due, and at least this long: without it, it was claimed and released 500 times a second.
 */
const BLOCKED_DELAY_MS = 250;

export type Lanes = {
  /** There may be work: poll now. */
  wake: () => void;
  /** Lanes being run. */
  running: () => number;
  /** Stops claiming, waits for what is in flight, releases the lanes. */
  close: () => Promise<void>;
};

export type LanesDeps = {
  sql: Sql;
  channels: Channels;
  log: Log;
  /** Messages per second and lane, unless the token says otherwise; 0: no pacing. */
  pacePerSecond: number;
};

type Sender = {
  channel: ChannelName;
  status: TokenStatus;
  phone: string | null;
  pace: number | null;
  deleted: boolean;
  wakes: number;
};

/** A lane this worker owns; `run` while it sends. */
type OwnLane = { claim: Claim; wakes: number; run: LaneRun | undefined };

/** Starts the worker that runs lanes: claims those with work, one lease row each, fenced by epoch. */
export function startLanes(deps: LanesDeps): Lanes {
  const { sql, log } = deps;
  const owner = newId();
  const running = new Map<OwnLane, Promise<void>>();
  const closing = new AbortController();
  const wakeSome = throttle(WAKE_MS, () => wakeRuns(sql, [...running.keys()]));
  let polling = false;
  let pollAgain = false;

  const claimSome = async () => {
    const busy = [...running.keys()].filter(({ run }) => !run?.isQuiet()).length;
    const limit = Math.min(LANES_MAX - busy, LANES_OPEN_MAX - running.size);
    if (limit <= 0 || closing.signal.aborted) return;
    for (const claim of await claimLanes(sql, owner, limit)) {
      const lane: OwnLane = { claim, wakes: 0, run: undefined };
      const done = ownLane({ ...deps, running: () => running.size }, lane, closing.signal)
        .catch((error: unknown) =>
          log.warn({ err: error, token: claim.tokenId }, 'a lane stopped with an error'),
        )
        .finally(() => {
          running.delete(lane);
          wake();
        });
      running.set(lane, done);
    }
  };
  const poll = async () => {
    if (polling) {
      pollAgain = true;
      return;
    }
    polling = true;
    try {
      do {
        pollAgain = false;
        await Promise.all([claimSome(), wakeSome()]);
      } while (pollAgain && !closing.signal.aborted);
    } catch (error) {
      log.warn({ err: error }, 'lanes cannot be claimed');
    } finally {
      polling = false;
    }
  };
  const wake = () => void poll();
  const timer = setInterval(wake, POLL_MS);
  wake();
  return {
    wake,
    running: () => running.size,
    close: async () => {
      clearInterval(timer);
      closing.abort();
      await Promise.all(running.values());
    },
  };
}

/** Wakes running lanes whose work came since they were last woken. */
async function wakeRuns(sql: Sql, lanes: readonly OwnLane[]): Promise<void> {
  const sending = lanes.filter(({ run }) => run !== undefined);
  if (sending.length === 0) return;
  const woken = await sql<{ nth: number; wakes: number }[]>`
    select o.nth::int, l.wakes
    from unnest(
      ${sending.map(({ claim }) => claim.accountId)}::uuid[],
      ${sending.map(({ claim }) => claim.tokenId)}::uuid[],
      ${sending.map(({ wakes }) => wakes)}::bigint[]
    ) with ordinality as o(account_id, token_id, wakes, nth)
    join lanes l on l.account_id = o.account_id and l.token_id = o.token_id and l.wakes <> o.wakes`;
  for (const { nth, wakes } of woken) {
    const lane = sending[nth - 1];
    if (!lane) continue;
    // A run that has just ended was not woken: close_lane finds that more wakes came.
    if (lane.run?.wake()) lane.wakes = wakes;
  }
}

/** Runs `work` at most once per `ms`; calls in between run once, later. */
function throttle(ms: number, work: () => Promise<void>): () => Promise<void> {
  let last = -Infinity;
  let later: NodeJS.Timeout | undefined;
  const now = async () => {
    later = undefined;
    last = performance.now();
    await work();
  };
  return async () => {
    const wait = last + ms - performance.now();
    if (wait <= 0) await now();
    else later ??= setTimeout(() => void now().catch(() => undefined), wait);
  };
}

async function claimLanes(sql: Sql, owner: string, limit: number): Promise<Claim[]> {
  const claimed = await sql<{ o_account: string; o_token: string; o_epoch: number }[]>`
    select * from claim_lanes(${owner}, ${limit}, ${LEASE}::interval)`;
  return claimed.map((row) => ({
    accountId: row.o_account,
    tokenId: row.o_token,
    epoch: row.o_epoch,
  }));
}

/** With how many lanes this worker runs. */
type OwnDeps = LanesDeps & Pick<Lanes, 'running'>;

/** Runs one claimed lane under a renewed lease and releases it, whatever happens. */
async function ownLane(deps: OwnDeps, lane: OwnLane, closing: AbortSignal): Promise<void> {
  const { sql } = deps;
  const { claim } = lane;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    renew(sql, claim).then(
      (isOwner) => isOwner || lost.abort(),
      () => lost.abort(),
    );
  }, RENEW_MS);
  let state: CloseState = { delayMs: 0, isBlocked: false, wakes: null };
  try {
    state = await sendFrom(deps, lane, AbortSignal.any([closing, lost.signal]));
  } finally {
    clearInterval(renewal);
    lane.run = undefined;
    const { accountId, tokenId, epoch } = claim;
    await sql`select close_lane(
      ${accountId}, ${tokenId}, ${epoch}, ${state.delayMs}, ${state.isBlocked}, ${state.wakes}
    )`;
  }
}

/**
 * After how long a released lane is due again, and whether it waits for silent numbers only. It is due at
 * once when more wakes came than `wakes`; null: than there are when it is released.
 */
type CloseState = { delayMs: number; isBlocked: boolean; wakes: number | null };

/** Recovers what a dead owner was sending, then sends what is due, or fails it when the token is gone. */
async function sendFrom(deps: OwnDeps, lane: OwnLane, signal: AbortSignal): Promise<CloseState> {
  const { sql, log } = deps;
  const { claim } = lane;
  const { accountId, tokenId, epoch } = claim;
  const sender = await senderOf(sql, claim);
  const channel = deps.channels.get(sender.channel);
  await sql`select recover_lane(
    ${accountId}, ${tokenId}, ${epoch}, ${channel?.preallocates ?? false},
    ${receiptWaitMs(channel ?? { timeoutMs: TIMEOUT_MS })}
  )`;
  if (sender.deleted || sender.status === 'suspended') {
    await failWaiting(sql, { accountId, tokenId });
    return { delayMs: BLOCKED_DELAY_MS, isBlocked: false, wakes: null };
  }
  if (sender.status !== 'linked' || sender.phone === null) {
    return { delayMs: await awayDelayMs(sql, claim), isBlocked: false, wakes: sender.wakes };
  }
  if (!channel) throw new Error(`no channel ${sender.channel}`);
  const pace = sender.pace ?? deps.pacePerSecond;
  const context = {
    sql,
    log,
    channel,
    from: sender.phone,
    paceMs: pace > 0 ? 1000 / pace : 0,
    lanes: deps.running,
    signal,
  };
  lane.wakes = sender.wakes;
  lane.run = runLane(context, claim);
  const tries = await lane.run.done;
  lane.run = undefined;
  return tries === 0
    ? { delayMs: BLOCKED_DELAY_MS, isBlocked: true, wakes: lane.wakes }
    : { delayMs: 0, isBlocked: false, wakes: null };
}

/** The delay of a lane whose phone is not linked: the longer it has waited, the longer. */
async function awayDelayMs(sql: Sql, { accountId, tokenId }: Claim): Promise<number> {
  const [first] = await sql<{ due_ms: number | null }[]>`
    select extract(epoch from clock_timestamp() - min(ready_at))::float8 * 1000 as due_ms
    from dispatch where account_id = ${accountId} and token_id = ${tokenId}`;
  return Math.round(Math.min(AWAY_DELAY_MS_MAX, Math.max(AWAY_DELAY_MS, (first?.due_ms ?? 0) / 4)));
}

async function renew(sql: Sql, { accountId, tokenId, epoch }: Claim): Promise<boolean> {
  const renewed = await sql`
    update lanes set lease_until = clock_timestamp() + ${LEASE}::interval
    where account_id = ${accountId} and token_id = ${tokenId} and epoch = ${epoch}`;
  return renewed.count === 1;
}

async function senderOf(sql: Sql, { accountId, tokenId }: Claim): Promise<Sender> {
  const [sender] = await sql<Sender[]>`
    select t.channel, t.status, t.phone, t.pace, t.deleted_at is not null as deleted, l.wakes
    from tokens t join lanes l using (account_id, token_id)
    where t.account_id = ${accountId} and t.token_id = ${tokenId}`;
  if (!sender) throw new Error('a lane without its token');
  return sender;
}
