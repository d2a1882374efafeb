import type { MediaKind } from '#contract/media.ts';
import type { Inbound, MessageBody, Sinks } from '#server/domains/channels/channels.ts';
import type { CloudNumber } from '#server/domains/channels/cloud/numbers.ts';
import { takeInbound } from '#server/domains/channels/inbound-file.ts';
import type { Library } from '#server/domains/media/media.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import { idOfText } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { semaphore } from '#server/infra/semaphore.ts';

export type InboundFile = { mediaId: string; kind: MediaKind; name: string; mime: string };

/** A message whose file is not fetched yet; `body` is the rest of its content. */
export type WithFile = { inbound: Inbound; file: InboundFile };

export type InboundFilesDeps = {
  allAccountsSql: Sql;
  library: Pick<Library, 'take'>;
  sinks: Pick<Sinks, 'inbound'>;
  numberOf: (token: TokenRef) => Promise<CloudNumber | undefined>;
  /** The bytes of a file; undefined if Meta no longer has it. @throws temporary errors */
  download: (number: CloudNumber, mediaId: string) => Promise<Buffer | undefined>;
  completeInbound: (inbound: Inbound) => Promise<void>;
  now: () => Date;
  report: (error: unknown) => void;
};

export type InboundFiles = {
  /** Stores messages until their files are fetched, and starts fetching. Idempotent. */
  add(messages: readonly WithFile[]): Promise<void>;
  fetchDue(): Promise<void>;
  close(): Promise<void>;
};

const AT_ONCE = 8;
const AT_ONCE_EACH = 4;
const WAITING_MAX = 1_000;
const MINUTE_MS = 60_000;
const LEASE_MS = 5 * MINUTE_MS;
/** Delay after each try; the last repeats for as long as Meta keeps a file. */
const RETRY_MS = [1, 5, 15, 60, 360].map((minutes) => minutes * MINUTE_MS);
const KEPT_MS = 30 * 86_400_000;
const DUE_AT_ONCE = 200;

type Row = { accountId: string; tokenId: string; wamid: string };
type Claimed = Row & { item: WithFile; isStored: boolean; tries: number; receivedAt: Date };

/** Opens the fetching: each file by itself, so that one that does not come blocks no other. */
export function openInboundFiles(deps: InboundFilesDeps): InboundFiles {
  const { allAccountsSql: sql, report } = deps;
  const turn = semaphore(AT_ONCE, WAITING_MAX, { atOnceEach: AT_ONCE_EACH });
  const running = new Set<Promise<void>>();
  const begin = (row: Row) => {
    const run = turn(() => inAccount(row.accountId, () => fetchOne(deps, row)), {
      owner: row.accountId,
    })
      // The job finds files that failed, or that had no room in this process.
      .catch(report)
      .finally(() => running.delete(run));
    running.add(run);
    return run;
  };
  return {
    async add(messages) {
      for (const item of messages) {
        const { accountId, tokenId, providerId: wamid } = item.inbound;
        const added = await sql`
          insert into cloud_inbound (account_id, token_id, wamid, item)
          values (${accountId}, ${tokenId}, ${wamid}, ${json(item)})
          on conflict do nothing returning 1`;
        if (added.length > 0) void begin({ accountId, tokenId, wamid });
      }
    },
    async fetchDue() {
      const due = await sql<Row[]>`
        select account_id as "accountId", token_id as "tokenId", wamid from cloud_inbound
        where due_at <= ${deps.now()} order by due_at limit ${DUE_AT_ONCE}`;
      await Promise.all(due.map(begin));
    },
    async close() {
      await Promise.all(running);
    },
  };
}

/** Tries once to fetch a file. Without it, its message is stored now and completed later. */
async function fetchOne(deps: InboundFilesDeps, row: Row): Promise<void> {
  const claimed = await claim(deps, row);
  if (!claimed) return;
  const { item, isStored, receivedAt } = claimed;
  const body = await bodyOf(deps, row, item).catch((error: unknown) => {
    deps.report(error);
    return undefined;
  });
  const isOver = deps.now().getTime() - receivedAt.getTime() > KEPT_MS;
  const known = body ?? { missing: isOver ? 'expired' : 'fetching' };
  const inbound = inboundWith(item, known);
  if (!isStored) await deps.sinks.inbound(inbound);
  else if (body || isOver) await deps.completeInbound(inbound);
  await completeFetch(deps, claimed, body !== undefined || isOver);
}

const inboundWith = ({ inbound }: WithFile, body: MessageBody): Inbound => ({
  ...inbound,
  at: new Date(inbound.at),
  body: { ...inbound.body, ...body },
});

async function claim(
  { allAccountsSql: sql, now }: InboundFilesDeps,
  { accountId, tokenId, wamid }: Row,
): Promise<Claimed | undefined> {
  const until = new Date(now().getTime() + LEASE_MS);
  const [claimed] = await sql<Omit<Claimed, keyof Row>[]>`
    update cloud_inbound set tries = tries + 1, due_at = ${until}
    where account_id = ${accountId} and token_id = ${tokenId} and wamid = ${wamid}
      and (tries = 0 or due_at <= ${now()})
    returning item, is_stored as "isStored", tries, received_at as "receivedAt"`;
  return claimed && { accountId, tokenId, wamid, ...claimed };
}

async function completeFetch(
  { allAccountsSql: sql, now }: InboundFilesDeps,
  { accountId, tokenId, wamid, tries }: Claimed,
  isDone: boolean,
): Promise<void> {
  const mine = sql`account_id = ${accountId} and token_id = ${tokenId} and wamid = ${wamid}`;
  if (isDone) {
    await sql`delete from cloud_inbound where ${mine}`;
    return;
  }
  const afterMs = RETRY_MS[Math.min(tries, RETRY_MS.length) - 1] ?? MINUTE_MS;
  await sql`
    update cloud_inbound set is_stored = true, due_at = ${new Date(now().getTime() + afterMs)}
    where ${mine}`;
}

async function bodyOf(
  { library, numberOf, download }: InboundFilesDeps,
  { accountId, tokenId }: Row,
  { file: { mediaId, kind, name, mime } }: WithFile,
): Promise<MessageBody | undefined> {
  const number = await numberOf({ accountId, tokenId });
  if (!number) return undefined;
  const bytes = await download(number, mediaId);
  if (!bytes) return { missing: 'expired' };
  return takeInbound(library, {
    accountId,
    // The same for each fetch, so that two fetches store one file.
    fileId: idOfText(`cloud-media:${tokenId}:${mediaId}`),
    declared: { name, type: mime },
    bytes,
    kind,
  });
}
