import { Refusal } from '#contract/base/refusals.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { dropFiles } from '#server/domains/media/uploads/uploads.ts';
import {
  type LinkQuery,
  type LinkState,
  endedFetches,
  pruneFetches,
  stateOfLink,
} from './fetches.ts';
import { adoptUpload } from './adopt.ts';
import { type Fetcher, type FetcherDeps, startFetcher } from './fetcher.ts';
import {
  type IntakeDeps,
  type NewMedia,
  type TakeOnce,
  takeMedia,
  takeMediaOnce,
} from './intake.ts';
import { type MediaFacts, readMedia } from './row.ts';

/** The media of messages: however they come, they are one library for each account. */
export type Library = {
  /** Takes a file in. @throws Refusal as `inspect` does, and `storage_full` */
  take(media: NewMedia): Promise<MediaFacts>;
  /** Takes a finished upload of a person in; repeated, it is the same file. @throws Refusal `upload_gone`, `storage_full` */
  adopt(upload: { accountId: string; userId: string; uploadId: string }): Promise<MediaFacts>;
  /** The same, where `once` may know the bytes from an earlier call, by their hash as they came. */
  takeOnce<T>(media: NewMedia, once: TakeOnce<T>): Promise<T>;
  /** The files with these ids that the account has, by id; those of others are not found. */
  find(accountId: string, fileIds: readonly string[]): Promise<ReadonlyMap<string, MediaFacts>>;
  /**
   * The same for messages that leave at these times, by file: they are kept until then, and for as long after as
   * if they had just come. A time that is over is now.
   */
  findToSend(
    accountId: string,
    leaving: ReadonlyMap<string, Date>,
  ): Promise<ReadonlyMap<string, MediaFacts>>;
  /** Files are used by a message: they are kept for as long as if they had just come. */
  use(accountId: string, fileIds: readonly string[]): Promise<void>;
  /** Forgets a file. Messages that named it have none any more. @throws Refusal `not_found` */
  remove(accountId: string, fileId: string): Promise<void>;
  /** What is known of a link; a new one is queued to be fetched. */
  stateOf(link: LinkQuery): Promise<LinkState>;
  /** Those of some fetches that have ended. */
  endedOf(accountId: string, fetchIds: readonly string[]): Promise<string[]>;
  /** Starts to fetch what is queued. */
  startFetching(on: Pick<FetcherDeps, 'onEnded'>): Fetcher;
  /** Forgets what is kept no longer. */
  sweep(): Promise<void>;
  /** Forgets the library and the links of an account; the files go with the others. */
  eraseAll(accountId: string): Promise<void>;
};

export type LibraryDeps = Omit<IntakeDeps, 'keepUntil'> &
  Pick<FetcherDeps, 'client' | 'report'> & {
    now: () => Date;
    /** Days after its last use that a file is kept. */
    retentionDays: () => number;
  };

const DAY_MS = 86_400_000;
const ROWS_AT_ONCE = 200;
/** Plans reach into the year 9998; no file is kept for longer than a date can say. */
const KEPT_UNTIL_MAX = Date.UTC(9999, 11, 31);

/** Opens the library. */
export function openLibrary(deps: LibraryDeps): Library {
  const { sql, allAccountsSql, files, now, retentionDays } = deps;
  const keepFrom = (atMs: number) =>
    new Date(Math.min(KEPT_UNTIL_MAX, atMs + retentionDays() * DAY_MS));
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
      const kept = short.length === 0 ? [] : await keepLonger(sql, accountId, short);
      // Those that were forgotten in between are not found.
      const gone = new Set(short.map(({ fileId }) => fileId)).difference(new Set(kept));
      return new Map(
        found.filter(({ fileId }) => !gone.has(fileId)).map((file) => [file.fileId, file]),
      );
    },
    use: (accountId, fileIds) => use(deps, { accountId, fileIds, until: keepUntil() }),
    remove: (accountId, fileId) => remove(deps, accountId, fileId),
    stateOf: (link) => stateOfLink(allAccountsSql, link, () => wake()),
    endedOf: (accountId, fetchIds) => endedFetches(allAccountsSql, accountId, fetchIds),
    startFetching({ onEnded }) {
      const fetcher = startFetcher({ ...deps, intake, onEnded });
      wake = fetcher.wake;
      return fetcher;
    },
    async sweep() {
      for (;;) {
        const { gone, digests } = await forgetSome(allAccountsSql, now());
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

/** By a day at least: what is put off by less is left as it is. */
const isLater = (until: Date, expiresAt: Date): boolean =>
  until.getTime() - DAY_MS > expiresAt.getTime();

/** Keeps files until these times at least; answers those that are there. */
async function keepLonger(
  sql: Sql,
  accountId: string,
  files: readonly { fileId: string; until: Date }[],
): Promise<string[]> {
  const kept = await asAccount(
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
  return kept.map(({ file_id: fileId }) => fileId);
}

/** One that was put off today is left as it is: a picture sent to thousands has one row. */
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

type Gone = { account_id: string; file_id: string; preview_id: string | null };

/** The files that a row of the library named, and the small picture beside. */
const filesOf = (gone: readonly Gone[]) =>
  gone.flatMap(({ account_id, file_id, preview_id }) => [
    { account_id, file_id },
    { account_id, file_id: preview_id },
  ]);

async function remove({ sql, allAccountsSql, files }: LibraryDeps, accountId: string, id: string) {
  const digests = await asAccount(sql, accountId, async (tx) => {
    const gone = await tx<Gone[]>`
      delete from media_library where account_id = ${accountId} and file_id = ${id}
      returning account_id, file_id, preview_id`;
    if (gone.length === 0) throw new Refusal('not_found', { what: 'Media' });
    return dropFiles(tx, filesOf(gone));
  });
  await files.erase(allAccountsSql, digests);
}

/** Forgets some of what was used last long ago. */
const forgetSome = (all: Sql, now: Date): Promise<{ gone: number; digests: Buffer[] }> =>
  all.begin(async (tx) => {
    const gone = await tx<Gone[]>`
      delete from media_library where (account_id, file_id) in (
        select account_id, file_id from media_library where expires_at < ${now}
        limit ${ROWS_AT_ONCE} for update skip locked)
      returning account_id, file_id, preview_id`;
    return { gone: gone.length, digests: await dropFiles(tx, filesOf(gone)) };
  });
