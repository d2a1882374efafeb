import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

type Chat = TokenRef & { peer: string };

/** Whether the number has a chat with this peer, so that a message begins no new one. */
export async function isChatKnown(sql: Sql, { accountId, tokenId, peer }: Chat): Promise<boolean> {
  const known = await sql`
    select from web_chats
    where account_id = ${accountId} and token_id = ${tokenId} and peer = ${peer}`;
  return known.length > 0;
}

/** Begins a chat, at most `limit` in 24 hours. @returns ms until the next may begin; 0 if begun */
export async function beginChat(
  sql: Sql,
  { accountId, tokenId, peer }: Chat,
  limit: number,
): Promise<number> {
  const [row] = await sql<{ isBegun: boolean; wait_ms: number }[]>`
    with recent as (
      select count(*) as begun, min(begun_at) as first from (
        select begun_at from web_chats
        where account_id = ${accountId} and token_id = ${tokenId}
          and begun_at > clock_timestamp() - interval '1 day'
        order by begun_at desc limit ${limit}
      ) last
    ), begun as (
      insert into web_chats (account_id, token_id, peer, begun_at)
      select ${accountId}, ${tokenId}, ${peer}, clock_timestamp() from recent
      where recent.begun < ${limit}
      on conflict do nothing returning 1
    )
    select recent.begun < ${limit} as "isBegun",
      coalesce(extract(epoch from recent.first + interval '1 day' - clock_timestamp()), 0)::float8
        * 1000 as wait_ms
    from recent left join begun on true`;
  if (!row || row.isBegun) return 0;
  return Math.max(1_000, Math.ceil(row.wait_ms));
}

/** Deletes the chat whose first message the network refused. */
export async function forgetChat(sql: Sql, { accountId, tokenId, peer }: Chat): Promise<void> {
  await sql`
    delete from web_chats
    where account_id = ${accountId} and token_id = ${tokenId} and peer = ${peer}
      and first_received_at is null`;
}

export async function hiddenChats(sql: Sql, { accountId, tokenId }: TokenRef): Promise<string[]> {
  const found = await sql<{ peer: string }[]>`
    select peer from web_chats
    where account_id = ${accountId} and token_id = ${tokenId} and starts_with(peer, 'XL.')`;
  return found.map(({ peer }) => peer);
}

/** Continues the chat of a hidden peer under its number. */
export async function renameChat(
  sql: Sql,
  { accountId, tokenId }: TokenRef,
  { hidden, peer }: { hidden: string; peer: string },
): Promise<void> {
  await noteChats(sql, { accountId, tokenId }, [peer]);
  await sql`
    delete from web_chats
    where account_id = ${accountId} and token_id = ${tokenId} and peer = ${hidden}`;
}

/** Stores chats in which the peer, or the number's owner on the phone, has written. */
export async function noteChats(
  sql: Sql,
  { accountId, tokenId }: TokenRef,
  peers: readonly string[],
): Promise<void> {
  await sql`
    insert into web_chats as c (account_id, token_id, peer, first_received_at)
    select ${accountId}, ${tokenId}, peer, clock_timestamp()
    from unnest(${[...peers]}::text[]) as peer
    on conflict (account_id, token_id, peer) do update
      set first_received_at = clock_timestamp() where c.first_received_at is null`;
}
