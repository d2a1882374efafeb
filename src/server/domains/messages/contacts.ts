import { cleanedName } from '#contract/base/names.ts';
import { CONTACT_NAME_MAX, nameContact } from '#contract/messages/conversations.ts';
import { Peer } from '#contract/messages/peer.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type Fragment, type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';

/**
 * The account's name for a phone, as an expression; null without one. @param peer an expression, too.
 */
export const contactName = (sql: Sql | Tx, accountId: string, peer: Fragment): Fragment =>
  sql`(select k.name from contacts k where k.account_id = ${accountId} and k.peer = ${peer})`;

/**
 * The shown name of a peer: the account's name for it, else the peer's own of a conversation `c`, which may be missing.
 * The only definition of this rule.
 */
export const shownName = (sql: Sql | Tx, accountId: string, peer: Fragment): Fragment =>
  sql`coalesce(${contactName(sql, accountId, peer)}, c.peer_name)`;

/** A peer of a token; null where a row has none. */
export type TokenPeer = { tokenId: string | null; peer: string | null };

/** The shown names of peers, in their order; null without one. One query for all of them. */
export async function shownNamesOf(
  tx: Tx,
  accountId: string,
  peers: readonly TokenPeer[],
): Promise<(string | null)[]> {
  if (peers.every(({ peer }) => peer === null)) return peers.map(() => null);
  const found = await tx<{ name: string | null }[]>`
    select ${shownName(tx, accountId, tx`i.peer`)} as name
    from unnest(
      ${peers.map(({ tokenId }) => tokenId)}::uuid[], ${peers.map(({ peer }) => peer)}::text[]
    ) with ordinality as i(token_id, peer, n)
    left join conversations c
      on c.account_id = ${accountId} and c.token_id = i.token_id and c.peer = i.peer
    order by i.n`;
  return found.map(({ name }) => name);
}

/** Origins of stored names, the weakest first. The name that the network reports is stored with the conversation. */
const sources = ['received_card', 'sent_card', 'list', 'hand'] as const;

export type NameSource = Exclude<(typeof sources)[number], 'hand'>;

export type PeerName = { peer: string; name: string };

/**
 * Records names of numbers in one statement; of several for a number, the first. A name replaces one from the same or a
 * weaker source: what strangers send never replaces what the account wrote. Names without a letter and numbers that
 * cannot be peers are left out. Locks the contacts in peer order.
 */
export async function recordNames(
  tx: Tx,
  accountId: string,
  source: NameSource,
  names: readonly PeerName[],
): Promise<void> {
  const shown = new Map<string, string>();
  for (const { peer, name } of names) {
    const cleaned = cleanedName(name, CONTACT_NAME_MAX);
    const isName = cleaned !== undefined && /\p{L}/u.test(cleaned);
    if (isName && !shown.has(peer) && Peer().safeParse(peer).success) shown.set(peer, cleaned);
  }
  if (shown.size === 0) return;
  await tx`
    insert into contacts as k (account_id, peer, name, source)
    select ${accountId}, i.peer, i.name, ${source}
    from unnest(${[...shown.keys()]}::text[], ${[...shown.values()]}::text[]) as i(peer, name)
    order by i.peer
    on conflict (account_id, peer) do update
      set name = excluded.name, source = excluded.source, updated_at = excluded.updated_at
      where (k.name, k.source) <> (excluded.name, excluded.source)
        and k.source = any (${sources.slice(0, sources.indexOf(source) + 1)}::text[])`;
}

/** Gives the contact of a hidden number to its number; of two names the one from the stronger source, else the number's. */
export async function joinContacts(
  tx: Tx,
  { accountId, hidden, peer }: { accountId: string; hidden: string; peer: string },
): Promise<void> {
  const rank = (source: Fragment) => tx`array_position(${[...sources]}::text[], ${source})`;
  await tx`
    delete from contacts k using contacts h
    where k.account_id = ${accountId} and k.peer = ${peer}
      and h.account_id = ${accountId} and h.peer = ${hidden}
      and ${rank(tx`k.source`)} < ${rank(tx`h.source`)}`;
  await tx`
    update contacts set peer = ${peer}
    where account_id = ${accountId} and peer = ${hidden} and not exists (
      select from contacts where account_id = ${accountId} and peer = ${peer}
    )`;
  await tx`delete from contacts where account_id = ${accountId} and peer = ${hidden}`;
}

/** The numbers on a contact card with its name; none if it is no card. */
export function namesOnCard(type: string, body: object): PeerName[] {
  const { name, phone, phones }: { name?: unknown; phone?: unknown; phones?: unknown } = body;
  if (type !== 'contact' || typeof name !== 'string') return [];
  return [phone, ...(Array.isArray(phones) ? phones : [])].flatMap((one: unknown) =>
    typeof one === 'string' ? [{ peer: one, name }] : [],
  );
}

/** Records the names on the contact cards among messages that an account sends. Without cards, no query is made. */
export async function recordSentCards(
  sql: Sql,
  accountId: string,
  items: readonly { type: string; body: object }[],
): Promise<void> {
  const names = items.flatMap(({ type, body }) => namesOnCard(type, body));
  if (names.length === 0) return;
  await asAccount(sql, accountId, (tx) => recordNames(tx, accountId, 'sent_card', names));
}

/**
 * Selects the numbers that an account knows in exactly these digits: from a message, a conversation, a name given by
 * hand or an opt-out. A name from a list or a card does not count: a stranger's card must not change how the account's
 * numbers are read.
 *
 * @param numbers digits that `exactNumber` found.
 */
export async function knownNumbers(
  sql: Sql | Tx,
  accountId: string,
  numbers: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = await sql<{ peer: string }[]>`
    select n.peer from unnest(${[...numbers]}::text[]) as n(peer)
    where exists (
        select from conversations c where c.account_id = ${accountId} and c.peer = n.peer
      ) or exists (
        select from messages m where m.account_id = ${accountId} and m.peer = n.peer
      ) or exists (
        select from contacts k where k.account_id = ${accountId} and k.peer = n.peer and k.source = 'hand'
      ) or exists (
        select from tokens t
        join optouts o
          on o.account_id = t.account_id and o.token_id = t.token_id and o.peer = n.peer
        where t.account_id = ${accountId}
      )`;
  return new Set(known.map(({ peer }) => peer));
}

/**
 * The act that names a phone. The account must have a conversation with it, which bounds the number of names. Open
 * pages are notified.
 */
export const contactActs = (sql: Sql): readonly ActHandler[] => [
  handle(nameContact, ({ caller: { accountId } }, { peer, name }) =>
    asAccount(sql, accountId, async (tx) => {
      const [known] = await tx`
        select from conversations where account_id = ${accountId} and peer = ${peer} limit 1`;
      if (!known) throw new Refusal('not_found', { what: 'Percakapan' });
      await (name === ''
        ? tx`delete from contacts where account_id = ${accountId} and peer = ${peer}`
        : tx`
            insert into contacts (account_id, peer, name, source)
            values (${accountId}, ${peer}, ${name}, 'hand')
            on conflict (account_id, peer) do update
              set name = excluded.name, source = excluded.source, updated_at = excluded.updated_at`);
      await appendEvent(tx, { accountId, kind: 'conversation.changed', data: { peer } });
      return { peer, name: name === '' ? null : name };
    }),
  ),
];
