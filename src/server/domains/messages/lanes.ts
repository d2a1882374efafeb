import type { ChannelName, TokenStatus } from '#contract/tokens.ts';
import type { Channels } from '#server/domains/channels/channels.ts';
import { type Claim, runLane } from './lane.ts';
import type { Sql } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import type { Log } from '#server/platform/log.ts';

/** Lanes one worker runs at once. */
const LANES_MAX = 32;
const LEASE = '15 seconds';
const RENEW_MS = 5_000;
/** How often lanes are looked for without a hint: what a lost hint may cost. */
const POLL_MS = 500;
/** A lane whose phone is away is looked at again after this long. */
const REST_MS = 5_000;
/**
 * One in which all that is due waits for an unsure message to the same phone: without a rest it was
 * claimed and given back 500 times a second.
 */
const BLOCKED_REST_MS = 250;

export type Lanes = {
  /** Work has come: look now. */
  poke: () => void;
  /** Lanes being run. */
  running: () => number;
  /** Stops claiming, lets what is on its way come back, gives the lanes back. */
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
};

/** Starts the worker that owns lanes: claims those with work, one lease row each, fenced by epoch. */
export function startLanes(deps: LanesDeps): Lanes {
  const { sql, log } = deps;
  const owner = newId();
  const running = new Set<Promise<void>>();
  const closing = new AbortController();
  let looking = false;
  let again = false;

  const look = async () => {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    try {
      do {
        again = false;
        const room = LANES_MAX - running.size;
        if (room === 0 || closing.signal.aborted) break;
        for (const claim of await claimLanes(sql, owner, room)) {
          const run = ownLane(deps, claim, closing.signal)
            .catch((error: unknown) =>
              log.warn({ err: error, token: claim.tokenId }, 'lane given up'),
            )
            .finally(() => {
              running.delete(run);
              poke();
            });
          running.add(run);
        }
      } while (again);
    } catch (error) {
      log.warn({ err: error }, 'lanes cannot be claimed');
    } finally {
      looking = false;
    }
  };
  const poke = () => void look();
  const timer = setInterval(poke, POLL_MS);
  poke();
  return {
    poke,
    running: () => running.size,
    close: async () => {
      clearInterval(timer);
      closing.abort();
      await Promise.all(running);
    },
  };
}

async function claimLanes(sql: Sql, owner: string, room: number): Promise<Claim[]> {
  const claimed = await sql<{ o_account: string; o_token: string; o_epoch: number }[]>`
    select * from claim_lanes(${owner}, ${room}, ${LEASE}::interval)`;
  return claimed.map((row) => ({
    accountId: row.o_account,
    tokenId: row.o_token,
    epoch: row.o_epoch,
  }));
}

/** Runs one claimed lane under a renewed lease and gives it back, whatever happens. */
async function ownLane(deps: LanesDeps, claim: Claim, closing: AbortSignal): Promise<void> {
  const { sql } = deps;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    renew(sql, claim).then(
      (ours) => ours || lost.abort(),
      () => lost.abort(),
    );
  }, RENEW_MS);
  let restMs = 0;
  try {
    const sender = await senderOf(sql, claim);
    if (sender.deleted || sender.status === 'suspended') await failAll(sql, claim);
    else if (sender.status !== 'linked' || sender.phone === null) restMs = REST_MS;
    else {
      const channel = deps.channels.get(sender.channel);
      if (!channel) throw new Error(`no channel ${sender.channel}`);
      const pace = sender.pace ?? deps.pacePerSecond;
      const tools = {
        sql,
        channel,
        from: sender.phone,
        paceMs: pace > 0 ? 1000 / pace : 0,
        signal: AbortSignal.any([closing, lost.signal]),
      };
      if ((await runLane(tools, claim)) === 0) restMs = BLOCKED_REST_MS;
    }
  } finally {
    clearInterval(renewal);
    await sql`select close_lane(${claim.accountId}, ${claim.tokenId}, ${claim.epoch}, ${restMs})`;
  }
}

async function renew(sql: Sql, { accountId, tokenId, epoch }: Claim): Promise<boolean> {
  const renewed = await sql`
    update lanes set lease_until = clock_timestamp() + ${LEASE}::interval
    where account_id = ${accountId} and token_id = ${tokenId} and epoch = ${epoch}`;
  return renewed.count === 1;
}

async function senderOf(sql: Sql, { accountId, tokenId }: Claim): Promise<Sender> {
  const [sender] = await sql<Sender[]>`
    select channel, status, phone, pace, deleted_at is not null as deleted
    from tokens where account_id = ${accountId} and token_id = ${tokenId}`;
  if (!sender) throw new Error('a lane without its token');
  return sender;
}

/** The token is gone: what still waits fails, and its price is given back. */
async function failAll(sql: Sql, { accountId, tokenId, epoch }: Claim): Promise<void> {
  for (;;) {
    const left = await sql<{ message_id: string }[]>`
      select message_id from dispatch
      where account_id = ${accountId} and token_id = ${tokenId} limit 200`;
    if (left.length === 0) return;
    const ids = left.map((row) => row.message_id);
    await sql`select count(*) from settle_batch(
      ${accountId}, ${tokenId}, ${epoch}, ${ids}::uuid[],
      ${ids.map(() => 'failed')}::text[], ${ids.map(() => 'not_linked')}::text[],
      ${ids.map(() => new Date().toISOString())}::text[]::timestamptz[],
      ${ids.map(() => 'f')}::text[]::boolean[]
    )`;
  }
}
