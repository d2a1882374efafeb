import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import { idFloor } from '#contract/base/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { gather } from '#server/infra/postgres/gather.ts';

/** Meta's id of one of our messages. */
export type Ref = { accountId: string; messageId: string; wamid: string };

export type Refs = {
  add(ref: Ref): Promise<void>;
  /** The same from a callback: only for a message of that token, without a stored id. */
  addFromCallback(ref: Ref & TokenRef): Promise<void>;
  wamidOf(accountId: string, messageId: string): Promise<string | undefined>;
  messagesOf(accountId: string, wamids: readonly string[]): Promise<ReadonlyMap<string, string>>;
};

/** Calls are batched, because no caller waits long for them. */
const GATHER = { waitMs: 30, pauseMs: 8, enough: 50, sizeMax: 500 };

type RefsDeps = {
  allAccountsSql: Sql;
  tokensOfMessages: (refs: readonly Ref[]) => Promise<ReadonlyMap<string, string>>;
};

export function openRefs({ allAccountsSql, tokensOfMessages }: RefsDeps): Refs {
  const add = gather<Ref, void>(async (refs) => {
    await allAccountsSql`
      insert into cloud_refs (account_id, message_id, wamid)
      select distinct on (1, 2) * from unnest(
        ${refs.map(({ accountId }) => accountId)}::uuid[],
        ${refs.map(({ messageId }) => messageId)}::uuid[],
        ${refs.map(({ wamid }) => wamid)}::text[]
      )
      on conflict (account_id, message_id) do update set wamid = excluded.wamid
        where cloud_refs.wamid <> excluded.wamid`;
    return refs.map(() => undefined);
  }, GATHER);
  return {
    add,
    addFromCallback: gather<Ref & TokenRef, void>(async (refs) => {
      const known = await knownOf(allAccountsSql, refs);
      const unknown = refs.filter(({ messageId }) => !known.has(messageId));
      const tokens = await tokensOfMessages(unknown);
      const own = unknown.filter(({ messageId, tokenId }) => tokens.get(messageId) === tokenId);
      await Promise.all(own.map(add));
      return refs.map(() => undefined);
    }, GATHER),
    async wamidOf(accountId, messageId) {
      const [row] = await allAccountsSql<{ wamid: string }[]>`
        select wamid from cloud_refs
        where account_id = ${accountId} and message_id = ${messageId}`;
      return row?.wamid;
    },
    async messagesOf(accountId, wamids) {
      if (wamids.length === 0) return new Map();
      const rows = await allAccountsSql<{ wamid: string; message_id: string }[]>`
        select wamid, message_id from cloud_refs
        where account_id = ${accountId} and wamid = any (${[...wamids]}::text[])`;
      return new Map(rows.map(({ wamid, message_id }) => [wamid, message_id]));
    },
  };
}

async function knownOf(sql: Sql, refs: readonly Ref[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ message_id: string }[]>`
    select r.message_id from unnest(
      ${refs.map(({ accountId }) => accountId)}::uuid[],
      ${refs.map(({ messageId }) => messageId)}::uuid[]
    ) as given(account_id, message_id)
    join cloud_refs r using (account_id, message_id)`;
  return new Set(rows.map(({ message_id }) => message_id));
}

/** Days that ids are stored: longer than people answer a message by quoting it. */
const KEPT_DAYS = 90;

/** Deletes old ids, messages to groups, and files that Meta no longer has; for the clean-up job. */
export async function pruneCloud(allAccountsSql: Sql, now: Date): Promise<void> {
  const oldest = idFloor(now.getTime() - KEPT_DAYS * 86_400_000);
  await allAccountsSql`delete from cloud_refs where message_id < ${oldest}`;
  await allAccountsSql`delete from cloud_media where expires_at < ${now}`;
  const before = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  await allAccountsSql`delete from cloud_group_messages where received_at < ${before}`;
}
