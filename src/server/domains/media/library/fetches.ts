import { createHash } from 'node:crypto';
import type { MediaKind } from '#contract/media/kinds.ts';
import { untilNone } from '#server/infra/account-data.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type MediaFacts, readMedia } from './row.ts';

/** Why a link became no file. */
export type MediaFailure = 'media_unreachable' | 'media_refused';

/** A link that a message names. */
export type LinkQuery = { accountId: string; link: string; kind: MediaKind };

/** What became of a link: its file, why there is none, or that it is being fetched. */
export type LinkState =
  | { state: 'done'; file: MediaFacts }
  | { state: 'failed'; failure: MediaFailure }
  | { state: 'waiting'; fetchId: string };

/** The file of a link is its file for so long; then the host is asked anew. */
const DONE_MINUTES = 10;
/** A link that failed is not tried again for so long. */
const FAILED_MINUTES = 1;

type Row = {
  fetchId: string;
  state: LinkState['state'];
  fileId: string | null;
  failure: MediaFailure | null;
  isFresh: boolean;
};

/**
 * What is known of a link. One that nobody knows is queued to be fetched, once for all who ask in the next
 * minutes. Fetched anew it has another id: what the host gives then is another file.
 *
 * @param all a pool that sees all accounts.
 * @param wake called when something was queued.
 */
export async function stateOfLink(
  all: Sql,
  { accountId, link, kind }: LinkQuery,
  wake: () => void,
): Promise<LinkState> {
  const hash = createHash('sha256').update(link).digest();
  const [known] = await all<Row[]>`
    select fetch_id as "fetchId", state, file_id as "fileId", failure,
      coalesce(ended_at > clock_timestamp() - make_interval(
        mins => case state when 'done' then ${DONE_MINUTES}::int else ${FAILED_MINUTES}::int end),
        true) as "isFresh"
    from media_fetches
    where account_id = ${accountId} and link_hash = ${hash} and kind = ${kind}`;
  if (known?.isFresh) {
    if (known.state === 'waiting') return { state: 'waiting', fetchId: known.fetchId };
    if (known.failure !== null) return { state: 'failed', failure: known.failure };
    const [file] = await readMedia(all, accountId, known.fileId === null ? [] : [known.fileId]);
    if (file) return { state: 'done', file };
  }
  const [queued] = await all<{ fetchId: string }[]>`
    insert into media_fetches as f (account_id, fetch_id, link, link_hash, kind)
    values (${accountId}, ${newId()}, ${link}, ${hash}, ${kind})
    on conflict (account_id, link_hash, kind) do update
      set fetch_id = case when f.state = 'waiting' then f.fetch_id else excluded.fetch_id end,
        state = 'waiting', tries = case when f.state = 'waiting' then f.tries else 0 end,
        due_at = case when f.state = 'waiting' then f.due_at else clock_timestamp() end,
        lease_until = case when f.state = 'waiting' then f.lease_until end,
        file_id = null, failure = null, ended_at = null
    returning f.fetch_id as "fetchId"`;
  if (!queued) throw new Error('a link was not queued');
  wake();
  return { state: 'waiting', fetchId: queued.fetchId };
}

/** A fetch that is ours until its lease ends. */
export type ClaimedFetch = LinkQuery & { fetchId: string; tries: number };

/** A dead worker's fetch is taken over after this long. */
const LEASE_SECONDS = 20;
export const RENEW_MS = 5_000;
/** Takes what is due, a few of each account (`claim_media_fetches`). */
export const claimFetches = (all: Sql | Tx, limit: number): Promise<ClaimedFetch[]> =>
  all<ClaimedFetch[]>`
    select o_account as "accountId", o_fetch as "fetchId", o_link as link, o_kind as kind, o_tries as tries
    from claim_media_fetches(${limit}, make_interval(secs => ${LEASE_SECONDS}))`;

const isMine = (all: Sql, { accountId, fetchId, tries }: ClaimedFetch) => all`
  account_id = ${accountId} and fetch_id = ${fetchId} and state = 'waiting' and tries = ${tries}`;

/** Goes on owning a fetch; false when another worker has it. */
export async function renewFetch(all: Sql, claimed: ClaimedFetch): Promise<boolean> {
  const mine = await all`
    update media_fetches
    set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where ${isMine(all, claimed)} returning 1`;
  return mine.length > 0;
}

/** How a fetch ended. */
export type FetchEnd = { fileId: string } | { failure: MediaFailure };

/** Writes down how a fetch ended; false when another worker has it. */
export async function endFetch(all: Sql, claimed: ClaimedFetch, end: FetchEnd): Promise<boolean> {
  const [fileId, failure] = 'fileId' in end ? [end.fileId, null] : [null, end.failure];
  const mine = await all`
    update media_fetches
    set state = case when ${fileId}::uuid is null then 'failed' else 'done' end, file_id = ${fileId},
      failure = ${failure}, ended_at = clock_timestamp(), lease_until = null
    where ${isMine(all, claimed)} returning 1`;
  return mine.length > 0;
}

/** Puts a fetch back, to be tried again after a time; `counts` false when this try was none. */
export const postponeFetch = (
  all: Sql,
  claimed: ClaimedFetch,
  { seconds, counts = true }: { seconds: number; counts?: boolean },
): PromiseLike<unknown> => all`
  update media_fetches
  set due_at = clock_timestamp() + make_interval(secs => ${seconds}), lease_until = null,
    tries = tries - ${counts ? 0 : 1}
  where ${isMine(all, claimed)}`;

/** Those of some fetches that have ended. */
export async function endedFetches(
  all: Sql,
  accountId: string,
  fetchIds: readonly string[],
): Promise<string[]> {
  const ended = await all<{ fetchId: string }[]>`
    select fetch_id as "fetchId" from media_fetches
    where account_id = ${accountId} and fetch_id = any(${[...fetchIds]}::uuid[])
      and state <> 'waiting'`;
  return ended.map(({ fetchId }) => fetchId);
}

const KEPT_HOURS = 24;

/** Forgets links that ended a day ago. Their files stay. */
export const pruneFetches = (all: Sql): Promise<void> =>
  untilNone(async (limit) => {
    const { count } = await all`
      delete from media_fetches where ctid = any(array(
        select ctid from media_fetches
        where ended_at < clock_timestamp() - make_interval(hours => ${KEPT_HOURS}) limit ${limit}))`;
    return count;
  });
