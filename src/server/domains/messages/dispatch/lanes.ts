import type { ChannelName, TokenStatus } from '#contract/tokens.ts';
import type { Channel, Channels } from '#server/domains/channels/channels.ts';
import { type Claim, receiptWaitMs } from './attempt.ts';
import { type LaneRun, runLane, type ClaimMessages } from './lane.ts';
import type { MessageMedia } from '#server/domains/messages/media.ts';
import { type Settle, deferUnsure } from './settle.ts';
import { failWaiting } from './withdraw.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { noteWork, pollEvery } from '#server/infra/polling.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import type { TokenMove, TokenRef } from '#server/domains/tokens/tokens.ts';

const LANES_MAX = 32;
/** Including those that only wait for silent numbers. */
const LANES_OPEN_MAX = 512;
/** Polling interval without a wake-up: the longest delay after a lost one. */
const POLL_MS = 500;
/**
 * A lane whose phone is not linked, or whose account is suspended, is delayed by a quarter of the time that its first
 * message has been due, within these limits. Linking the phone, or ending the suspension, wakes it; this is the
 * fallback.
 */
const AWAY_DELAY_MS = 5_000;
const AWAY_DELAY_MS_MAX = 60_000;
/** The time-out of a channel that this installation no longer has. */
const TIMEOUT_MS = 10_000;
/**
 * A lane in which all due messages wait for an unsure message to the same phone is delayed until that is due, and at
 * least this long: without it, the lane was claimed and released 500 times a second.
 */
const BLOCKED_DELAY_MS = 250;

export type Lanes = {
  /** There may be work: in the lanes of these tokens, or, without them, anywhere. */
  wake: (tokenIds?: readonly string[]) => void;
  running: () => number;
  close: () => Promise<void>;
};

export type LanesDeps = {
  sql: Sql;
  channels: Channels;
  log: Log;
  /** Default messages per second and lane; 0: no pacing. */
  pacePerSecond: () => number;
  settle: Settle;
  claimMessages: ClaimMessages;
  media: MessageMedia;
  tracing?: Tracing | undefined;
};

type Sender = {
  channel: ChannelName;
  status: TokenStatus;
  phone: string | null;
  pace: number | null;
  deleted: boolean;
  accountSuspended: boolean;
  wakes: number;
};

/** A lane this worker owns; `run` while it sends. Aborting `lost` ends it. */
type OwnLane = LeasedLane & {
  wakes: number;
  run: LaneRun | undefined;
  /** For a number that belongs to one worker: whether it is still this one. */
  isHeld?: () => boolean;
};

/**
 * Starts the worker that runs lanes: claims those with work, one lease row each, fenced by epoch.
 */
export function startLanes(deps: LanesDeps): Lanes {
  const { sql, log } = deps;
  const owner = newId();
  const running = new Map<OwnLane, Promise<void>>();
  const byToken = new Map<string, OwnLane>();
  const closing = new AbortController();
  let polling = false;
  let pollRequested = false;

  const own = (claim: Claim) => {
    const lane: OwnLane = { ...newLease(claim), wakes: 0, run: undefined };
    const signal = AbortSignal.any([closing.signal, lane.lost.signal]);
    const done = ownLane({ ...deps, running: () => running.size }, lane, signal)
      .catch((error: unknown) =>
        log.warn({ err: error, token: claim.tokenId }, 'a lane stopped with an error'),
      )
      .finally(() => {
        running.delete(lane);
        if (byToken.get(claim.tokenId) === lane) byToken.delete(claim.tokenId);
        wake();
      });
    running.set(lane, done);
    byToken.set(claim.tokenId, lane);
  };
  const claimSome = async () => {
    const busy = [...running.keys()].filter(({ run }) => !run?.isQuiet()).length;
    const limit = Math.min(LANES_MAX - busy, LANES_OPEN_MAX - running.size);
    if (limit <= 0 || closing.signal.aborted) return;
    for (const claim of await claimLanes({ ...deps, owner }, limit)) own(claim);
  };
  const poll = async () => {
    if (polling) {
      pollRequested = true;
      return;
    }
    polling = true;
    try {
      do {
        pollRequested = false;
        await claimSome();
      } while (pollRequested && !closing.signal.aborted);
    } catch (error) {
      log.warn({ err: error }, 'lanes cannot be claimed');
    } finally {
      polling = false;
    }
  };
  const wake = (tokenIds?: readonly string[]) => {
    // A run that has just ended was not woken: close_lane detects the additional wakes.
    const unowned = tokenIds?.filter((tokenId) => !byToken.get(tokenId)?.run?.wake());
    if (unowned === undefined || unowned.length > 0) void poll();
  };
  const stops = [
    pollEvery(POLL_MS, () => {
      wake();
      wakeRuns(sql, [...running.keys()]).catch((error: unknown) =>
        log.warn({ err: error }, 'lanes cannot be woken'),
      );
    }),
    startRenewing(deps, () => running.keys()),
  ];
  wake();
  return {
    wake,
    running: () => running.size,
    close: async () => {
      closing.abort();
      await Promise.all(running.values());
      for (const stop of stops) stop();
    },
  };
}

/**
 * Wakes running lanes with work from elsewhere since their last wake-up. Drops a lane whose number this worker no
 * longer holds.
 */
async function wakeRuns(sql: Sql, lanes: readonly OwnLane[]): Promise<void> {
  for (const { isHeld, lost } of lanes) if (isHeld?.() === false) lost.abort();
  const sending = lanes.filter(({ run }) => run !== undefined);
  if (sending.length === 0) return;
  // Another process may add messages to an open lane.
  noteWork();
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
    if (lane?.run?.wake()) lane.wakes = wakes;
  }
}

/**
 * Claims due lanes: found first over all accounts, without a lock, then claimed account by account.
 */
async function claimLanes(
  { sql, channels, owner }: Pick<LanesDeps, 'sql' | 'channels'> & { owner: string },
  limit: number,
): Promise<Claim[]> {
  const due = await sql<{ account_id: string; token_id: string }[]>`
    select account_id, token_id from lanes
    where ready_at <= clock_timestamp()
      and (lease_until is null or lease_until < clock_timestamp())
      ${heldLanesOnly(sql, channels)}
    order by ready_at limit ${limit}`;
  const byAccount = [...Map.groupBy(due, ({ account_id }) => account_id)];
  const claimed = await Promise.all(
    byAccount.map(async ([accountId, lanes]) => {
      const rows = await sql<{ o_token: string; o_epoch: number }[]>`
        select * from claim_account_lanes(
          ${accountId}, ${lanes.map(({ token_id }) => token_id)}::uuid[], ${owner}, ${LEASE}::interval
        )`;
      return rows.map((row) => ({ accountId, tokenId: row.o_token, epoch: row.o_epoch }));
    }),
  );
  return claimed.flat();
}

/**
 * Excludes the lanes of numbers that this worker does not hold; empty if no channel has such numbers.
 */
function heldLanesOnly(sql: Sql, channels: Channels): Fragment {
  const holding = [...channels.values()].filter(({ numbers }) => numbers !== undefined);
  if (holding.length === 0) return sql``;
  return sql`and not exists (
    select from tokens t
    where t.account_id = lanes.account_id and t.token_id = lanes.token_id and t.status = 'linked'
      and t.channel = any(${holding.map(({ name }) => name)}::text[]) and not t.account_suspended
      and t.token_id <> all(${holding.flatMap(({ numbers }) => numbers?.held() ?? [])}::uuid[])
  )`;
}

type OwnDeps = LanesDeps & Pick<Lanes, 'running'>;

async function ownLane(deps: OwnDeps, lane: OwnLane, signal: AbortSignal): Promise<void> {
  let state: CloseState = { delayMs: 0, isBlocked: false, wakes: null };
  try {
    state = await sendFrom(deps, lane, signal);
  } finally {
    lane.run = undefined;
    const { accountId, tokenId, epoch } = lane.claim;
    await deps.sql`select close_lane(
      ${accountId}, ${tokenId}, ${epoch}, ${state.delayMs}, ${state.isBlocked}, ${state.wakes}
    )`;
  }
}

/**
 * Delay until a released lane is due again, and whether it waits for silent numbers only. It is due at once when it has
 * more wakes than `wakes`; null: than at its release.
 */
type CloseState = { delayMs: number; isBlocked: boolean; wakes: number | null };

/**
 * Recovers the messages that a dead owner was sending, then sends the due ones, or fails them when the token is
 * deleted.
 */
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
  // While its channel is switched off, messages wait until it is on again, or the token is moved.
  const isAway = sender.status !== 'linked' || sender.accountSuspended;
  if (!channel || isAway || sender.phone === null) {
    return { delayMs: await awayDelayMs(sql, claim), isBlocked: false, wakes: sender.wakes };
  }
  const pace = sender.pace ?? deps.pacePerSecond();
  const { numbers } = channel;
  const isHeld = numbers && (() => numbers.held().includes(tokenId));
  if (isHeld?.() === false) return { delayMs: BLOCKED_DELAY_MS, isBlocked: false, wakes: null };
  if (isHeld) lane.isHeld = isHeld;
  const still = await remainingPauseMs(channel, claim);
  if (still.ms > 0) return { delayMs: still.ms, isBlocked: false, wakes: sender.wakes };
  const context = {
    sql,
    log,
    settle: deps.settle,
    claimMessages: deps.claimMessages,
    media: deps.media,
    channel,
    from: sender.phone,
    isProbe: still.isOver,
    paceMs: Math.max(pace > 0 ? 1000 / pace : 0, numbers?.paceMs(tokenId) ?? 0),
    lanes: deps.running,
    tracing: deps.tracing,
    signal,
  };
  lane.wakes = sender.wakes;
  lane.run = runLane(context, claim);
  const tries = await lane.run.done;
  const stillMs = lane.run.stillMs();
  lane.run = undefined;
  if (stillMs > 0) {
    const { wakes } = lane;
    await deferUnsure(sql, claim, stillMs);
    return { delayMs: Math.round(stillMs), isBlocked: false, wakes };
  }
  return tries === 0
    ? { delayMs: BLOCKED_DELAY_MS, isBlocked: true, wakes: lane.wakes }
    : { delayMs: 0, isBlocked: false, wakes: null };
}

/**
 * Remaining pause of a number; after a pause the network is queried first, without sending a message.
 */
async function remainingPauseMs(
  { pauses }: Channel,
  claim: Claim,
): Promise<{ ms: number; isOver: boolean }> {
  const remainingMs = await pauses?.remainingMs(claim);
  if (!pauses || remainingMs === undefined) return { ms: 0, isOver: false };
  const ms = remainingMs > 0 ? remainingMs : await pauses.probe(claim);
  return { ms: Math.ceil(ms), isOver: true };
}

async function awayDelayMs(sql: Sql, { accountId, tokenId }: Claim): Promise<number> {
  const [first] = await sql<{ due_ms: number | null }[]>`
    select extract(epoch from clock_timestamp() - min(ready_at))::float8 * 1000 as due_ms
    from dispatch where account_id = ${accountId} and token_id = ${tokenId}`;
  return Math.round(Math.min(AWAY_DELAY_MS_MAX, Math.max(AWAY_DELAY_MS, (first?.due_ms ?? 0) / 4)));
}

async function senderOf(sql: Sql, { accountId, tokenId }: Claim): Promise<Sender> {
  const [sender] = await sql<Sender[]>`
    select t.channel, t.status, t.phone, t.pace, t.deleted_at is not null as deleted,
      t.account_suspended as "accountSuspended", l.wakes
    from tokens t join lanes l using (account_id, token_id)
    where t.account_id = ${accountId} and t.token_id = ${tokenId}`;
  if (!sender) throw new Error('a lane without its token');
  return sender;
}

const LEASE = '15 seconds';
const RENEW_MS = 5_000;
/**
 * A lane whose lease could not be renewed for this long is dropped, before another worker may take it.
 */
const RENEWED_MS_MAX = 10_000;

type LeasedLane = {
  claim: Claim;
  lost: AbortController;
  renewedAt: number;
};

export const newLease = (claim: Claim): LeasedLane => ({
  claim,
  lost: new AbortController(),
  renewedAt: performance.now(),
});

/**
 * Renews the leases of a worker's lanes every 5 s. An outage of the database ends no lane before its lease is nearly
 * over.
 */
function startRenewing(
  { sql, log }: { sql: Sql; log: Log },
  lanesNow: () => Iterable<LeasedLane>,
): () => void {
  let renewing = false;
  const renew = async () => {
    if (renewing) return;
    renewing = true;
    await renewLeases({ sql, log }, [...lanesNow()]);
    renewing = false;
  };
  const timer = setInterval(() => void renew(), RENEW_MS);
  return () => clearInterval(timer);
}

/**
 * Renews the leases of all these lanes in one call; drops those that another worker owns by now.
 */
export async function renewLeases(
  { sql, log }: { sql: Sql; log: Log },
  lanes: readonly LeasedLane[],
): Promise<void> {
  if (lanes.length === 0) return;
  const queriedAt = performance.now();
  try {
    const renewed = await sql<{ key: string }[]>`
      select unnest(renew_lanes(
        ${lanes.map(({ claim }) => claim.accountId)}::uuid[],
        ${lanes.map(({ claim }) => claim.tokenId)}::uuid[],
        ${lanes.map(({ claim }) => claim.epoch)}::bigint[],
        ${LEASE}::interval
      )) as key`;
    const owned = new Set(renewed.map(({ key }) => key));
    for (const lane of lanes) {
      if (owned.has(`${lane.claim.tokenId}.${lane.claim.epoch}`)) lane.renewedAt = queriedAt;
      else lane.lost.abort();
    }
  } catch (error) {
    log.warn({ err: error }, 'leases cannot be renewed');
    for (const { lost, renewedAt } of lanes) {
      if (queriedAt - renewedAt > RENEWED_MS_MAX) lost.abort();
    }
  }
}

/** Creates a token's empty lane, in the token's transaction. */
export async function createLane(tx: Tx, { accountId, tokenId }: TokenRef): Promise<void> {
  await tx`insert into lanes (account_id, token_id) values (${accountId}, ${tokenId})`;
}

export async function wakeLane(tx: Tx, { accountId, tokenId }: TokenRef): Promise<void> {
  await tx`
    update lanes set wakes = wakes + 1, ready_at = least(ready_at, clock_timestamp())
    where account_id = ${accountId} and token_id = ${tokenId}
      and exists (
        select from dispatch d where d.account_id = ${accountId} and d.token_id = ${tokenId}
      )`;
}

/** Longest time that a due lane may have no owner; normally a worker claims it within a second. */
const UNOWNED_SECONDS_MAX = 10;

/** @throws Error when lanes have been due for ten seconds and no worker took them. */
export async function checkLanes(allAccountsSql: Sql): Promise<void> {
  const [lag] = await laneLagSeconds(allAccountsSql);
  if ((lag?.value ?? 0) > UNOWNED_SECONDS_MAX) throw new Error('due lanes have no owner');
}

type Figure = { value: number };

export const countDispatch = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`select count(*) as value from dispatch`;

/**
 * Seconds for which the longest due lane has had no worker. An owned lane keeps the due time of its claim, however much
 * it has sent since: it does not count as waiting. One whose owner died waits from the end of the lease.
 */
export const laneLagSeconds = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`
    select coalesce(
      extract(epoch from clock_timestamp() - min(greatest(ready_at, lease_until))), 0
    )::float8 as value
    from lanes
    where ready_at <= clock_timestamp()
      and (lease_until is null or lease_until < clock_timestamp())`;

type ChannelHold = 'sending' | { templates: number };

/**
 * Takes a token's lane from its owner, so that waiting messages leave by another channel.
 *
 * @returns the reason why nothing was changed: messages in flight or with an unknown outcome, which only the old
 * channel can report; waiting templates, whose price the other channel does not have.
 */
export async function leaveChannel(
  tx: Tx,
  { accountId, tokenId, from, to }: TokenMove,
): Promise<ChannelHold | undefined> {
  const [sending] = await tx`
    select 1 from dispatch
    where account_id = ${accountId} and token_id = ${tokenId}
      and (state in ('sending', 'unknown') or unsure_until is not null) limit 1`;
  if (sending) return 'sending';
  if (from === 'cloud' || to === 'cloud') {
    const templates = await waitingTemplates(tx, { accountId, tokenId });
    if (templates > 0) return { templates };
  }
  await tx`
    update lanes
    set epoch = epoch + 1, owner = null, lease_until = null, ready_at = clock_timestamp()
    where account_id = ${accountId} and token_id = ${tokenId}`;
  return undefined;
}

/**
 * By the Cloud API a template has the price of its category, elsewhere that of a message; the price was frozen at
 * acceptance.
 */
async function waitingTemplates(tx: Tx, { accountId, tokenId }: TokenRef): Promise<number> {
  const [row] = await tx<{ waiting: number }[]>`
    select count(*)::int as waiting from dispatch d
    cross join lateral (
      select m.type, m.price, m.plan_round from messages m
      where m.account_id = d.account_id and m.message_id = d.message_id limit 1
    ) m
    where d.account_id = ${accountId} and d.token_id = ${tokenId}
      and m.type = 'template' and (m.price > 0 or m.plan_round is not null)`;
  return row?.waiting ?? 0;
}

/**
 * In a restored database, messages due between its backup and now may have left: they are sent marked as
 * `possible_duplicate`, and too old ones end as `no_answer`, which a receipt corrects
 * (docs/decisions/003-charging-and-uncertain-sends.md). Messages that were being sent are recovered as after a crash;
 * those due later have not left.
 *
 * @param owner a pool of the database's owner; no worker runs.
 * @returns the number of messages.
 */
export async function markPossibleDuplicates(owner: Sql): Promise<number> {
  const marked = await owner`
    update dispatch
    set unknowns = greatest(unknowns, 1), unsure_until = coalesce(unsure_until, clock_timestamp())
    where state <> 'sending' and outcome is null
      and (ready_at <= clock_timestamp() or expires_at <= clock_timestamp())
    returning 1`;
  return marked.length;
}
