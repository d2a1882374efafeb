import type { CampaignDeps } from '#server/domains/campaigns/deps.ts';
import { countQueuedBulk, queuedBulk, cancelMessages } from '#server/domains/messages/messages.ts';
import { repeat } from '#server/infra/jobs.ts';
import { newId } from '#server/infra/ids.ts';
import { isTransient } from '#server/infra/postgres/database.ts';
import { countMessages, uncountedAccounts } from './count.ts';
import { type Claimed, adoptPlaced, placeNext } from './place.ts';
import { RECIPIENTS_MAX } from '#contract/campaigns.ts';
import { announce } from '#server/domains/campaigns/manage.ts';
import { placeOfRef, refsOf } from './refs.ts';

/** How often campaigns are looked for that have something to do. */
const TICK_MS = 250;
/** A worker that has not looked after a campaign for so long is dead, and another one does. */
const LEASE_SECONDS = 10;
/** Campaigns that one worker looks after at once. */
const AT_ONCE = 50;
/**
 * So many seconds of a token's pace wait in its queue at most: others of the token never wait behind more, and that
 * much is taken back when the campaign is paused.
 */
const QUEUED_SECONDS = 1;
const QUEUED_MIN = 10;
/** Where no pace is set, so many: what a network that answers quickly takes until the next look. */
const QUEUED_UNPACED = 250;
const COUNT_MS = 1_000;
const SWEEP_MS = 30_000;

export type CampaignWorker = {
  /** Looks for work now. */
  wake: () => void;
  /** These accounts' events have grown. */
  add: (accountIds: Iterable<string>) => void;
  /** Ends what is under way, and takes nothing new. */
  close: () => Promise<void>;
};

/**
 * Starts the worker that places campaigns. Any number of processes may have one: each campaign is one's by a lease, and
 * what two do by mistake is done once.
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
      // Others need not wait for the leases; without a database they end by themselves.
      await deps.allAccountsSql`update campaigns set owner = null where owner = ${owner}`.then(
        () => undefined,
        (error: unknown) => reportLasting(deps, error),
      );
    },
  };
}

/** What passes by itself is tried again with the next look. */
function reportLasting({ report }: CampaignDeps, error: unknown): void {
  if (!isTransient(error)) report(error);
}

/** How much of its pace a campaign has left, in messages, as of a time. */
type Pace = { left: number; atMs: number };

/** Browsers choose the ids of campaigns: those of two accounts may be the same. */
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
  // Also of this worker, where writing down what it had placed failed: a pause would not know whose it takes back.
  if (isNew || claimed.becoming !== null) await adoptPlaced(deps, claimed);
  if (claimed.becoming !== null) return finishBecoming(deps, claimed);
  const perSecond = deps.pacePerSecond();
  const queuedMax =
    perSecond === 0 ? QUEUED_UNPACED : Math.max(QUEUED_MIN, Math.ceil(perSecond * QUEUED_SECONDS));
  const queued = await countQueuedBulk(deps.allAccountsSql, claimed, queuedMax);
  const pace = paceNow(claimed, paces.get(paceKey(claimed)));
  const count = Math.min(queuedMax - queued, Math.floor(pace.left));
  const done = count > 0 ? await placeNext(deps, claimed, count) : 0;
  paces.set(paceKey(claimed), { ...pace, left: pace.left - done });
}

/** A pace that was not used up is kept for a second at most, so that nothing is made up for in a rush. */
function paceNow({ pace }: Claimed, before: Pace | undefined): Pace {
  const atMs = performance.now();
  if (pace === null) return { left: Infinity, atMs };
  const perSecond = pace / 60;
  const most = Math.max(1, perSecond);
  if (!before) return { left: 1, atMs };
  return { left: Math.min(most, before.left + ((atMs - before.atMs) * perSecond) / 1_000), atMs };
}

/** Counts the messages of campaigns as their events come; every half minute what others left behind. */
function openCounts(deps: CampaignDeps) {
  const { allAccountsSql } = deps;
  let grown = new Set<string>();
  let sweptAt = -Infinity;
  const count = async () => {
    if (performance.now() - sweptAt > SWEEP_MS) {
      for (const id of await uncountedAccounts(allAccountsSql)) grown.add(id);
      sweptAt = performance.now();
    }
    if (grown.size === 0) return;
    const accounts = [...grown];
    grown = new Set();
    try {
      await countMessages(allAccountsSql, accounts);
    } catch (error) {
      // The next sweep finds them.
      sweptAt = -Infinity;
      throw error;
    }
  };
  const counting = repeat(count, COUNT_MS, deps.report);
  return {
    add: (accountIds: Iterable<string>) => {
      for (const id of accountIds) grown.add(id);
    },
    close: counting.close,
  };
}

/**
 * Has a campaign stand still, or end, as it was asked to: what has not left is taken back. When it goes on, those
 * recipients are placed anew, under another reference; when it ends, they get none, as all that still wait.
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
    // In this transaction: what is taken back is written down, or stays where it is.
    const queued = await queuedBulk(tx, claimed, refsOf(campaignId));
    // Its own alone: anybody with a key of the account may have placed another under such a reference.
    const places = queued.map(({ ref }) => placeOfRef(ref)).filter((at) => at <= RECIPIENTS_MAX);
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
