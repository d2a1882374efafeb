import type { CampaignDeps } from '#server/domains/campaigns/deps.ts';
import { countQueuedBulk, queuedBulk, cancelMessages } from '#server/domains/messages/messages.ts';
import { repeat } from '#server/infra/polling.ts';
import { newId } from '#server/infra/ids.ts';
import { isTransient } from '#server/infra/postgres/database.ts';
import { countMessages, uncountedAccounts } from './count.ts';
import { type Claimed, adoptAccepted, acceptNext } from './place.ts';
import { RECIPIENTS_MAX } from '#contract/campaigns.ts';
import { announce } from '#server/domains/campaigns/manage.ts';
import { positionOfRef, refsOf } from './refs.ts';

const TICK_MS = 250;
/** A worker that has not renewed a campaign for this long is dead, and another takes over. */
const LEASE_SECONDS = 10;
const AT_ONCE = 50;
/**
 * Seconds of a token's pace in its queue at most: other messages of the token never wait longer, and a pause takes back
 * no more.
 */
const QUEUED_SECONDS = 1;
const QUEUED_MIN = 10;
/** Queue limit without a pace: as much as a fast network takes until the next poll. */
const QUEUED_UNPACED = 250;
const COUNT_MS = 1_000;
const SWEEP_MS = 30_000;

export type CampaignWorker = {
  wake: () => void;
  add: (accountIds: Iterable<string>) => void;
  close: () => Promise<void>;
};

/**
 * Starts the worker that sends campaigns. Any number of processes may run one: a lease gives each campaign to one
 * worker, and work done twice takes effect once.
 */
export function startCampaignWorker(deps: CampaignDeps): CampaignWorker {
  const owner = newId();
  const paces = new Map<string, Pace>();
  const tick = async () => {
    const claimed = await claim(deps, owner);
    for (const id of paces.keys()) {
      if (!claimed.some((one) => paceKey(one) === id)) paces.delete(id);
    }
    await Promise.all(
      claimed.map((one) =>
        work(deps, one, paces).catch((error: unknown) => reportLasting(deps, error)),
      ),
    );
  };
  const counts = openCounts(deps);
  const placing = repeat(tick, TICK_MS, deps.report);
  return {
    wake: placing.wake,
    add: counts.add,
    close: async () => {
      await placing.close();
      await counts.close();
      // Other workers need not wait for the leases; without a database they end by themselves.
      await deps.allAccountsSql`update campaigns set owner = null where owner = ${owner}`.then(
        () => undefined,
        (error: unknown) => reportLasting(deps, error),
      );
    },
  };
}

function reportLasting({ report }: CampaignDeps, error: unknown): void {
  if (!isTransient(error)) report(error);
}

type Pace = { left: number; atMs: number };

/** Browsers choose campaign ids, so two accounts may have the same one. */
const paceKey = ({ accountId, campaignId }: Claimed): string => `${accountId} ${campaignId}`;

type Due = Claimed & { isNew: boolean };

async function claim({ allAccountsSql, now }: CampaignDeps, owner: string): Promise<Due[]> {
  const untilMs = performance.now() + LEASE_SECONDS * 1_000;
  const due = await allAccountsSql<Omit<Due, 'untilMs'>[]>`
    with due as (
      select account_id, campaign_id, owner is distinct from ${owner}::uuid as is_new from campaigns
      where (status = 'running' or becoming is not null)
        and (owner is null or owner = ${owner} or lease_until < clock_timestamp())
        and (becoming is not null or greatest(starts_at, rests_until, '-infinity') <= ${now()})
      order by lease_until nulls first limit ${AT_ONCE} for update skip locked
    )
    update campaigns c set owner = ${owner},
      lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from due where c.account_id = due.account_id and c.campaign_id = due.campaign_id
    returning c.account_id as "accountId", c.campaign_id as "campaignId", c.token_id as "tokenId",
      c.content, c.columns, c.becoming, c.pace, c.owner, due.is_new as "isNew"`;
  return due.map((one) => ({ ...one, untilMs }));
}

async function work(
  deps: CampaignDeps,
  { isNew, ...claimed }: Due,
  paces: Map<string, Pace>,
): Promise<void> {
  // Also if this worker failed to record messages: a pause must know which ones to take back.
  if (isNew || claimed.becoming !== null) await adoptAccepted(deps, claimed);
  if (claimed.becoming !== null) return finishBecoming(deps, claimed);
  const perSecond = deps.pacePerSecond();
  const queuedMax =
    perSecond === 0 ? QUEUED_UNPACED : Math.max(QUEUED_MIN, Math.ceil(perSecond * QUEUED_SECONDS));
  const queued = await countQueuedBulk(deps.allAccountsSql, claimed, queuedMax);
  const pace = paceNow(claimed, paces.get(paceKey(claimed)));
  const count = Math.min(queuedMax - queued, Math.floor(pace.left));
  const done = count > 0 ? await acceptNext(deps, claimed, count) : 0;
  paces.set(paceKey(claimed), { ...pace, left: pace.left - done });
}

/** Unused pace is saved for a second at most, so that no burst makes up for it. */
function paceNow({ pace }: Claimed, before: Pace | undefined): Pace {
  const atMs = performance.now();
  if (pace === null) return { left: Infinity, atMs };
  const perSecond = pace / 60;
  const most = Math.max(1, perSecond);
  if (!before) return { left: 1, atMs };
  return { left: Math.min(most, before.left + ((atMs - before.atMs) * perSecond) / 1_000), atMs };
}

function openCounts(deps: CampaignDeps) {
  const { allAccountsSql } = deps;
  let pending = new Set<string>();
  let sweptAt = -Infinity;
  const count = async () => {
    if (performance.now() - sweptAt > SWEEP_MS) {
      for (const id of await uncountedAccounts(allAccountsSql)) pending.add(id);
      sweptAt = performance.now();
    }
    if (pending.size === 0) return;
    const accounts = [...pending];
    pending = new Set();
    try {
      await countMessages(allAccountsSql, accounts);
    } catch (error) {
      sweptAt = -Infinity;
      throw error;
    }
  };
  const counting = repeat(count, COUNT_MS, deps.report);
  return {
    add: (accountIds: Iterable<string>) => {
      for (const id of accountIds) pending.add(id);
    },
    close: counting.close,
  };
}

/**
 * Pauses or ends a campaign as requested, and takes back messages that have not left. After a resume, those recipients
 * are sent to again under another reference; after an end, they and all that still wait get none.
 */
async function finishBecoming(deps: CampaignDeps, claimed: Claimed): Promise<void> {
  const { allAccountsSql, now, onStored } = deps;
  const { accountId, campaignId, owner, becoming } = claimed;
  if (becoming === null) return;
  await allAccountsSql.begin(async (tx) => {
    const [still] = await tx`
      select from campaigns
      where account_id = ${accountId} and campaign_id = ${campaignId} and owner = ${owner} for update`;
    if (!still) return;
    // In this transaction, so that a message is recorded as taken back or stays in the queue.
    const queued = await queuedBulk(tx, claimed, refsOf(campaignId));
    // Only its own: any API key of the account may have used such a reference.
    const places = queued.map(({ ref }) => positionOfRef(ref)).filter((at) => at <= RECIPIENTS_MAX);
    const own = await tx<{ id: string }[]>`
      select message_id as id from campaign_recipients
      where account_id = ${accountId} and campaign_id = ${campaignId} and state = 'placed'
        and place = any (${places}::int[]) and message_id = any (${queued.map(({ id }) => id)}::uuid[])`;
    const ids = own.map(({ id }) => id);
    const taken = ids.length === 0 ? [] : await cancelMessages(tx, accountId, ids);
    const state = becoming === 'paused' ? 'waiting' : 'cancelled';
    const { count: back } = await tx`
      update campaign_recipients set state = ${state}, taken_back = taken_back + 1,
        message_id = ${becoming === 'paused' ? null : tx`message_id`}
      where account_id = ${accountId} and campaign_id = ${campaignId} and state = 'placed'
        and place = any (${places}::int[]) and message_id = any (${[...taken]}::uuid[])`;
    const ended =
      becoming === 'paused'
        ? 0
        : (
            await tx`
              update campaign_recipients set state = 'cancelled'
              where account_id = ${accountId} and campaign_id = ${campaignId} and state = 'waiting'`
          ).count;
    await tx`
      update campaigns set becoming = null, owner = null, status = ${becoming}, rests_until = null,
        pause_reason = ${becoming === 'paused' ? 'wanted' : null},
        placed = placed - ${back}, taken_back = taken_back + ${back},
        waiting = waiting + ${becoming === 'paused' ? back : -ended},
        cancelled = cancelled + ${becoming === 'paused' ? 0 : back + ended},
        ended_at = ${becoming === 'paused' ? null : now()}
      where account_id = ${accountId} and campaign_id = ${campaignId}`;
    await announce(tx, claimed);
  });
  onStored();
}
