import { Refusal, type RefusalCode } from '#contract/base/refusals.ts';
import { type Sql, asAccount, type Tx } from '#server/infra/postgres/database.ts';
import { deleteFiles, claimUpload } from '#server/domains/media/uploads/uploads.ts';
import {
  type IntakeDeps,
  type NewMedia,
  type TakeOnce,
  takeMedia,
  takeMediaOnce,
  ANSWER_MS_MAX,
  describe,
  keep,
  withDraftFolder,
} from './intake.ts';
import { type MediaFacts, readMedia } from './row.ts';
import type { Owner } from '#server/domains/media/uploads/uploads-rows.ts';
import { join } from 'node:path';
import { bytesMaxOfKind, type MediaKind } from '#contract/media.ts';
import { StoreAway } from '#server/infra/file-store/file-store.ts';
import { FetchError, type FetchReason, type FileClient } from '#server/infra/net/outbound-file.ts';
import { createHash } from 'node:crypto';
import { untilNone } from '#server/infra/account-data.ts';
import { newId } from '#server/infra/ids.ts';
import { repeat } from '#server/infra/polling.ts';

/** The media of messages: one library per account, regardless of their origin. */
export type Library = {
  /** Adds a file. @throws Refusal as `inspect` does, and `storage_full` */
  take(media: NewMedia): Promise<MediaFacts>;
  /** Adds a finished upload of a user; idempotent. @throws Refusal `upload_gone`, `storage_full` */
  adopt(upload: { accountId: string; userId: string; uploadId: string }): Promise<MediaFacts>;
  /**
   * Like `take`, but `once` may return the file of an earlier call, by the hash of the received bytes.
   */
  takeOnce<T>(media: NewMedia, once: TakeOnce<T>): Promise<T>;
  find(accountId: string, fileIds: readonly string[]): Promise<ReadonlyMap<string, MediaFacts>>;
  /**
   * Like `find`, for messages that are sent at these times, by file: the files are kept until then, and for the
   * retention days after. A time in the past counts as now.
   */
  findToSend(
    accountId: string,
    leaving: ReadonlyMap<string, Date>,
  ): Promise<ReadonlyMap<string, MediaFacts>>;
  /** Extends the retention of files that a message uses, as if they had just come. */
  use(accountId: string, fileIds: readonly string[]): Promise<void>;
  /** Removes a file. Messages that named it have none any more. @throws Refusal `not_found` */
  remove(accountId: string, fileId: string): Promise<void>;
  stateOf(link: LinkQuery): Promise<LinkState>;
  endedOf(accountId: string, fetchIds: readonly string[]): Promise<string[]>;
  startFetching(on: Pick<FetcherDeps, 'onEnded'>): Fetcher;
  sweep(): Promise<void>;
  /** Removes the library and the links of an account; the files are erased with the others. */
  eraseAll(accountId: string): Promise<void>;
};

export type LibraryDeps = Omit<IntakeDeps, 'keepUntil'> &
  Pick<FetcherDeps, 'client' | 'report'> & {
    now: () => Date;
    retentionDays: () => number;
  };

const DAY_MS = 86_400_000;
const ROWS_AT_ONCE = 200;
/** Schedules reach into the year 9998; an expiry must remain a valid date. */
const EXPIRES_AT_MAX = Date.UTC(9999, 11, 31);

export function openLibrary(deps: LibraryDeps): Library {
  const { sql, allAccountsSql, files, now, retentionDays } = deps;
  const keepFrom = (atMs: number) =>
    new Date(Math.min(EXPIRES_AT_MAX, atMs + retentionDays() * DAY_MS));
  const keepUntil = () => keepFrom(now().getTime());
  const intake: IntakeDeps = { ...deps, keepUntil };
  let wake = () => undefined as void;
  return {
    take: (media) => takeMedia(intake, media),
    adopt: (upload) => adoptUpload(intake, upload),
    takeOnce: (media, once) => takeMediaOnce(intake, media, once),
    async find(accountId, fileIds) {
      const found = await asAccount(sql, accountId, (tx) => readMedia(tx, accountId, fileIds));
      return new Map(found.map((file) => [file.fileId, file]));
    },
    async findToSend(accountId, leaving) {
      const found = await asAccount(sql, accountId, (tx) =>
        readMedia(tx, accountId, [...leaving.keys()]),
      );
      const nowMs = now().getTime();
      const short = found.flatMap(({ fileId, expiresAt }) => {
        const until = keepFrom(Math.max(nowMs, leaving.get(fileId)?.getTime() ?? 0));
        return isLater(until, expiresAt) ? [{ fileId, until }] : [];
      });
      const extended = short.length === 0 ? [] : await extendRetention(sql, accountId, short);
      // Files that were removed in between are not found.
      const gone = new Set(short.map(({ fileId }) => fileId)).difference(new Set(extended));
      return new Map(
        found.filter(({ fileId }) => !gone.has(fileId)).map((file) => [file.fileId, file]),
      );
    },
    use: (accountId, fileIds) => use(deps, { accountId, fileIds, until: keepUntil() }),
    remove: (accountId, fileId) => remove(deps, accountId, fileId),
    stateOf: (link) => linkState(allAccountsSql, link, () => wake()),
    endedOf: (accountId, fetchIds) => endedFetches(allAccountsSql, accountId, fetchIds),
    startFetching({ onEnded }) {
      const fetcher = startFetcher({ ...deps, intake, onEnded });
      wake = fetcher.wake;
      return fetcher;
    },
    async sweep() {
      for (;;) {
        const { gone, digests } = await removeExpired(allAccountsSql, now());
        await files.erase(allAccountsSql, digests);
        if (gone < ROWS_AT_ONCE) break;
      }
      await pruneFetches(allAccountsSql);
    },
    async eraseAll(accountId) {
      await allAccountsSql`delete from media_fetches where account_id = ${accountId}`;
      await allAccountsSql`delete from media_library where account_id = ${accountId}`;
    },
  };
}

/** Later by at least a day: smaller extensions are skipped. */
const isLater = (until: Date, expiresAt: Date): boolean =>
  until.getTime() - DAY_MS > expiresAt.getTime();

async function extendRetention(
  sql: Sql,
  accountId: string,
  files: readonly { fileId: string; until: Date }[],
): Promise<string[]> {
  const extended = await asAccount(
    sql,
    accountId,
    (tx) => tx<{ file_id: string }[]>`
      update media_library l set expires_at = greatest(l.expires_at, k.until)
      from (
        select * from unnest(
          ${files.map(({ fileId }) => fileId)}::uuid[],
          ${files.map(({ until }) => until)}::timestamptz[]
        ) as given(file_id, until) order by file_id
      ) k
      where l.account_id = ${accountId} and l.file_id = k.file_id
      returning l.file_id`,
  );
  return extended.map(({ file_id: fileId }) => fileId);
}

/** A file extended today is skipped: a picture sent to thousands has one row. */
async function use(
  { sql }: LibraryDeps,
  { accountId, fileIds, until }: { accountId: string; fileIds: readonly string[]; until: Date },
): Promise<void> {
  await asAccount(
    sql,
    accountId,
    (tx) => tx`
      update media_library set expires_at = ${until}
      where account_id = ${accountId} and file_id = any(${[...fileIds]}::uuid[])
        and expires_at < ${new Date(until.getTime() - DAY_MS)}`,
  );
}

type RemovedRow = { account_id: string; file_id: string; preview_id: string | null };

const filesOf = (gone: readonly RemovedRow[]) =>
  gone.flatMap(({ account_id, file_id, preview_id }) => [
    { account_id, file_id },
    { account_id, file_id: preview_id },
  ]);

async function remove({ sql, allAccountsSql, files }: LibraryDeps, accountId: string, id: string) {
  const digests = await asAccount(sql, accountId, async (tx) => {
    const gone = await tx<RemovedRow[]>`
      delete from media_library where account_id = ${accountId} and file_id = ${id}
      returning account_id, file_id, preview_id`;
    if (gone.length === 0) throw new Refusal('not_found', { what: 'Media' });
    return deleteFiles(tx, filesOf(gone));
  });
  await files.erase(allAccountsSql, digests);
}

const removeExpired = (all: Sql, now: Date): Promise<{ gone: number; digests: Buffer[] }> =>
  all.begin(async (tx) => {
    const gone = await tx<RemovedRow[]>`
      delete from media_library where (account_id, file_id) in (
        select account_id, file_id from media_library where expires_at < ${now}
        limit ${ROWS_AT_ONCE} for update skip locked)
      returning account_id, file_id, preview_id`;
    return { gone: gone.length, digests: await deleteFiles(tx, filesOf(gone)) };
  });

/**
 * Adds a finished upload of a user to the library. Its bytes stay in place: they were inspected on upload. Idempotent,
 * also under concurrency: an upload is one file.
 *
 * @throws Refusal `upload_gone` when it is not this user's, has another purpose, is not finished, or its file was
 * removed since; `storage_full`.
 */
async function adoptUpload(
  deps: IntakeDeps,
  { accountId, userId, uploadId }: Owner & { uploadId: string },
): Promise<MediaFacts> {
  const { fileId, taken } = await findAdopted(deps, { accountId, userId, uploadId });
  if (taken) return taken;
  const stored = await deps.files.open(accountId, fileId);
  if (!stored) throw new Refusal('upload_gone', {});
  const answerBeforeMs = performance.now() + ANSWER_MS_MAX;
  const { name, mime } = stored;
  return withDraftFolder(deps.dataFolder, (folder) =>
    stored.withFile(async (path) => {
      const described = await describe({ path, name, mime, accountId }, folder, answerBeforeMs);
      const adopted = keep(deps, { accountId, fileId, source: 'portal' }, described, (tx) =>
        claimUpload(tx, { accountId, userId, uploadId, purpose: 'media' }),
      );
      return adopted.catch(async (error: unknown) => {
        if (!(error instanceof Refusal) || error.code !== 'upload_gone') throw error;
        const first = await findAdopted(deps, { accountId, userId, uploadId });
        if (!first.taken) throw error;
        return first.taken;
      });
    }),
  );
}

/** An upload's file, and its library row. @throws Refusal `upload_gone` */
function findAdopted(
  { sql }: IntakeDeps,
  { accountId, userId, uploadId }: Owner & { uploadId: string },
): Promise<{ fileId: string; taken: MediaFacts | undefined }> {
  return asAccount(sql, accountId, async (tx) => {
    const [upload] = await tx<{ fileId: string }[]>`
      select file_id as "fileId" from uploads
      where account_id = ${accountId} and upload_id = ${uploadId} and user_id = ${userId}
        and purpose = 'media' and state in ('finished', 'claimed')`;
    if (!upload) throw new Refusal('upload_gone', {});
    const [taken] = await readMedia(tx, accountId, [upload.fileId]);
    return { fileId: upload.fileId, taken };
  });
}

type FetcherDeps = {
  allAccountsSql: Sql;
  intake: IntakeDeps;
  client: FileClient;
  onEnded: (fetched: { accountId: string; fetchId: string }) => Promise<void>;
  report: (error: unknown) => void;
};

export type Fetcher = {
  wake: () => void;
  close: () => Promise<void>;
};

const AT_ONCE = 16;
const POLL_MS = 1_000;
/** Delays after retryable failures; the try after the last one is final. */
const RETRY_SECONDS = [2, 8, 30];
const STORE_SECONDS = 15;
/** Limit of tries through outages of ours or of the host. */
const TRIES_MAX = 8;

function startFetcher(deps: FetcherDeps): Fetcher {
  const { allAccountsSql, report } = deps;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const look = async () => {
    const room = AT_ONCE - running.size;
    if (room <= 0) return;
    for (const one of await claimFetches(allAccountsSql, room)) {
      const done = run(deps, one, closing.signal)
        .catch(report)
        .finally(() => {
          running.delete(done);
          looking.wake();
        });
      running.add(done);
    }
  };
  const looking = repeat(look, POLL_MS, report);
  looking.wake();
  return {
    wake: looking.wake,
    close: async () => {
      closing.abort();
      await looking.close();
      await Promise.all(running);
    },
  };
}

async function run(deps: FetcherDeps, claimed: ClaimedFetch, closing: AbortSignal): Promise<void> {
  const { allAccountsSql: all, report } = deps;
  const lost = new AbortController();
  const renewing = setInterval(() => {
    renewFetch(all, claimed).then((mine) => {
      if (!mine) lost.abort();
    }, report);
  }, RENEW_MS);
  try {
    const end = await fetchOnce(deps, claimed, AbortSignal.any([closing, lost.signal]));
    if (lost.signal.aborted) return;
    if ('seconds' in end) {
      await postponeFetch(all, claimed, end);
    } else if (await endFetch(all, claimed, end)) {
      await deps.onEnded(claimed);
    }
  } finally {
    clearInterval(renewing);
  }
}

type Retry = { seconds: number; counts?: boolean };

/** One try; never throws. */
async function fetchOnce(
  { intake, client, report }: FetcherDeps,
  { accountId, fetchId, link, kind, tries }: ClaimedFetch,
  signal: AbortSignal,
): Promise<FetchEnd | Retry> {
  if (tries > TRIES_MAX) return { failure: 'media_unreachable' };
  try {
    return await withDraftFolder(intake.dataFolder, async (folder) => {
      const path = join(folder, 'fetched');
      const declared = await client.fetch({
        url: link,
        path,
        bytesMax: bytesMaxOfKind(kind),
        signal,
      });
      const bytes = { path };
      // A worker that takes the fetch over finds the file that this one may have stored: there is one per fetch.
      const media = {
        accountId,
        fileId: fetchId,
        declared,
        bytes,
        source: 'link' as const,
        kind,
      };
      const file = await takeMedia(intake, media);
      return { fileId: file.fileId };
    });
  } catch (error) {
    if (error instanceof FetchError) return afterFetchError(error.reason, tries);
    if (error instanceof Refusal) return afterRefusal(error.code, tries);
    if (error instanceof StoreAway) return { seconds: STORE_SECONDS, counts: false };
    report(error);
    return retryOrFail(tries, 'media_unreachable', TRIES_MAX);
  }
}

function afterFetchError(reason: FetchReason, tries: number): FetchEnd | Retry {
  switch (reason) {
    case 'ended':
      return { seconds: 0, counts: false };
    case 'refused':
    case 'too_large':
      return { failure: 'media_refused' };
    case 'missing':
      return { failure: 'media_unreachable' };
    default:
      return retryOrFail(tries, 'media_unreachable', RETRY_SECONDS.length);
  }
}

const transientRefusals: ReadonlySet<RefusalCode> = new Set(['busy', 'upload_unscanned']);

const afterRefusal = (code: RefusalCode, tries: number): FetchEnd | Retry =>
  transientRefusals.has(code)
    ? retryOrFail(tries, 'media_refused', TRIES_MAX)
    : { failure: 'media_refused' };

const retryOrFail = (tries: number, failure: MediaFailure, triesMax: number): FetchEnd | Retry =>
  tries >= triesMax
    ? { failure }
    : { seconds: RETRY_SECONDS[Math.min(tries, RETRY_SECONDS.length) - 1] ?? 0 };

type MediaFailure = 'media_unreachable' | 'media_refused';

type LinkQuery = { accountId: string; link: string; kind: MediaKind };

type LinkState =
  | { state: 'done'; file: MediaFacts }
  | { state: 'failed'; failure: MediaFailure }
  | { state: 'waiting'; fetchId: string };

const DONE_MINUTES = 10;
const FAILED_MINUTES = 1;

type Row = {
  fetchId: string;
  state: LinkState['state'];
  fileId: string | null;
  failure: MediaFailure | null;
  isFresh: boolean;
};

/**
 * State of a link. An unknown one is queued, once for all calls of the next minutes. A new fetch has another id: what
 * the host returns then is another file.
 *
 * @param all a pool that sees all accounts.
 * @param wake called when a fetch was queued.
 */
async function linkState(
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

type ClaimedFetch = LinkQuery & { fetchId: string; tries: number };

/** After this long another worker takes over a dead worker's fetch. */
const LEASE_SECONDS = 20;
const RENEW_MS = 5_000;
/** Claims due fetches, a few of each account (`claim_media_fetches`). */
export const claimFetches = (all: Sql | Tx, limit: number): Promise<ClaimedFetch[]> =>
  all<ClaimedFetch[]>`
    select o_account as "accountId", o_fetch as "fetchId", o_link as link, o_kind as kind, o_tries as tries
    from claim_media_fetches(${limit}, make_interval(secs => ${LEASE_SECONDS}))`;

const ownsFetch = (all: Sql, { accountId, fetchId, tries }: ClaimedFetch) => all`
  account_id = ${accountId} and fetch_id = ${fetchId} and state = 'waiting' and tries = ${tries}`;

async function renewFetch(all: Sql, claimed: ClaimedFetch): Promise<boolean> {
  const mine = await all`
    update media_fetches
    set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where ${ownsFetch(all, claimed)} returning 1`;
  return mine.length > 0;
}

type FetchEnd = { fileId: string } | { failure: MediaFailure };

/** Stores the result of a fetch; false when another worker has it. */
export async function endFetch(all: Sql, claimed: ClaimedFetch, end: FetchEnd): Promise<boolean> {
  const [fileId, failure] = 'fileId' in end ? [end.fileId, null] : [null, end.failure];
  const mine = await all`
    update media_fetches
    set state = case when ${fileId}::uuid is null then 'failed' else 'done' end, file_id = ${fileId},
      failure = ${failure}, ended_at = clock_timestamp(), lease_until = null
    where ${ownsFetch(all, claimed)} returning 1`;
  return mine.length > 0;
}

/** Postpones a fetch; `counts` false if this does not count as a try. */
const postponeFetch = (
  all: Sql,
  claimed: ClaimedFetch,
  { seconds, counts = true }: { seconds: number; counts?: boolean },
): PromiseLike<unknown> => all`
  update media_fetches
  set due_at = clock_timestamp() + make_interval(secs => ${seconds}), lease_until = null,
    tries = tries - ${counts ? 0 : 1}
  where ${ownsFetch(all, claimed)}`;

async function endedFetches(
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

const ENDED_RETENTION_HOURS = 24;

const pruneFetches = (all: Sql): Promise<void> =>
  untilNone(async (limit) => {
    const { count } = await all`
      delete from media_fetches where ctid = any(array(
        select ctid from media_fetches
        where ended_at < clock_timestamp() - make_interval(hours => ${ENDED_RETENTION_HOURS}) limit ${limit}))`;
    return count;
  });
