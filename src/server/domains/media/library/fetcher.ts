import { join } from 'node:path';
import { Refusal, type RefusalCode } from '#contract/base/refusals.ts';
import { bytesMaxOfKind } from '#contract/media/kinds.ts';
import { StoreAway } from '#server/infra/file-store/file-store.ts';
import { FetchError, type FetchReason, type FileClient } from '#server/infra/net/outbound-file.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import {
  type ClaimedFetch,
  type FetchEnd,
  type MediaFailure,
  RENEW_MS,
  claimFetches,
  endFetch,
  postponeFetch,
  renewFetch,
} from './fetches.ts';
import { type IntakeDeps, takeMedia, withDraftFolder } from './intake.ts';

export type FetcherDeps = {
  allAccountsSql: Sql;
  intake: IntakeDeps;
  client: FileClient;
  /** What was fetched, or was not: messages that wait for it may go on. */
  onEnded: (fetched: { accountId: string; fetchId: string }) => Promise<void>;
  report: (error: unknown) => void;
};

export type Fetcher = {
  /** Something was queued. */
  wake: () => void;
  /** Gives back what is under way. */
  close: () => Promise<void>;
};

const AT_ONCE = 16;
const POLL_MS = 1_000;
/** After a try that may have better luck; one more than these, and it failed. */
const RETRY_SECONDS = [2, 8, 30];
/** While the store of files is away. */
const STORE_SECONDS = 15;
/** Nothing of ours, or of the host's, is as long in trouble as this. */
const TRIES_MAX = 8;

/** Fetches the links that messages wait for: some at once, each under a lease. */
export function startFetcher(deps: FetcherDeps): Fetcher {
  const { allAccountsSql, report } = deps;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  const look = async () => {
    do {
      lookAgain = false;
      const room = AT_ONCE - running.size;
      if (room <= 0 || closing.signal.aborted) return;
      const claimed = await claimFetches(allAccountsSql, room);
      for (const one of claimed) {
        const done = run(deps, one, closing.signal)
          .catch(report)
          .finally(() => {
            running.delete(done);
            wake();
          });
        running.add(done);
      }
    } while (lookAgain);
  };
  const wake = () => {
    if (closing.signal.aborted) return;
    lookAgain = true;
    looking ??= look()
      .catch(report)
      .finally(() => {
        looking = undefined;
      });
  };
  const timer = setInterval(wake, POLL_MS);
  wake();
  return {
    wake,
    close: async () => {
      clearInterval(timer);
      closing.abort();
      await looking;
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

type Later = { seconds: number; counts?: boolean };

/** One try; never throws. */
async function fetchOnce(
  { intake, client, report }: FetcherDeps,
  { accountId, fetchId, link, kind, tries }: ClaimedFetch,
  signal: AbortSignal,
): Promise<FetchEnd | Later> {
  if (tries > TRIES_MAX) return { failure: 'media_unreachable' };
  try {
    return await withDraftFolder(intake.dataFolder, async (folder) => {
      const path = join(folder, 'fetched');
      const said = await client.fetch({ url: link, path, bytesMax: bytesMaxOfKind(kind), signal });
      const bytes = { path };
      // Whoever takes the fetch over finds the file that this worker may have kept: there is one of each fetch.
      const media = { accountId, fileId: fetchId, said, bytes, source: 'link' as const, kind };
      const file = await takeMedia(intake, media);
      return { fileId: file.fileId };
    });
  } catch (error) {
    if (error instanceof FetchError) return afterFetchError(error.reason, tries);
    if (error instanceof Refusal) return afterRefusal(error.code, tries);
    if (error instanceof StoreAway) return { seconds: STORE_SECONDS, counts: false };
    // Ours: the disk, the database. The host had nothing to do with it.
    report(error);
    return later(tries, 'media_unreachable', TRIES_MAX);
  }
}

function afterFetchError(reason: FetchReason, tries: number): FetchEnd | Later {
  switch (reason) {
    case 'ended':
      return { seconds: 0, counts: false };
    case 'refused':
    case 'too_large':
      return { failure: 'media_refused' };
    case 'missing':
      return { failure: 'media_unreachable' };
    default:
      return later(tries, 'media_unreachable', RETRY_SECONDS.length);
  }
}

const passing: ReadonlySet<RefusalCode> = new Set(['busy', 'upload_unscanned']);

const afterRefusal = (code: RefusalCode, tries: number): FetchEnd | Later =>
  passing.has(code) ? later(tries, 'media_refused', TRIES_MAX) : { failure: 'media_refused' };

const later = (tries: number, failure: MediaFailure, triesMax: number): FetchEnd | Later =>
  tries >= triesMax
    ? { failure }
    : { seconds: RETRY_SECONDS[Math.min(tries, RETRY_SECONDS.length) - 1] ?? 0 };
