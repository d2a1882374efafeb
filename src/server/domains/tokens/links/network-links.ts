import type { ChannelName } from '#contract/tokens.ts';
import type { LinkFailure, Scan } from '#contract/tokens/scan.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { TokenSubscribers } from '#server/domains/tokens/subscribers.ts';
import type { LinkRef } from './link-data.ts';

/** A link whose QR the network makes, not we. */
export type NetworkLink = LinkRef & {
  tokenId: string;
  /** The number for which a pairing code is wanted, too. */
  pairingPhone: string | null;
};

/**
 * The QR and pairing code of a link as its network gave them last; null while there are none. Known by the
 * network's channel, which knows tokens and is not known by them.
 */
export type NetworkQr = (tx: Tx, link: LinkRef) => Promise<Scan['qr']>;

/** Links of a channel that wait for a phone, after the consent; the oldest first. */
export const waitingLinks = (
  allAccountsSql: Sql,
  channel: ChannelName,
  limit: number,
): Promise<NetworkLink[]> =>
  allAccountsSql<NetworkLink[]>`
    select l.account_id as "accountId", l.link_id as "linkId", l.token_id as "tokenId",
      l.pairing_phone as "pairingPhone"
    from links l
    join tokens t on t.account_id = l.account_id and t.token_id = l.token_id
    where l.state = 'waiting' and l.consent_at is not null and l.expires_at > clock_timestamp()
      and t.channel = ${channel} and t.deleted_at is null and t.status <> 'suspended'
      and not t.account_suspended
    order by l.consent_at limit ${limit}`;

/** A link under way did not come to be: its page says so, and its token is free for another try. */
export async function failLink(
  tx: Tx,
  subscribers: Pick<TokenSubscribers, 'tokenChanged'>,
  { accountId, linkId }: LinkRef,
  failure?: LinkFailure,
): Promise<void> {
  const [failed] = await tx<{ tokenId: string }[]>`
    update links set state = 'failed', failure = ${failure ?? null}
    where account_id = ${accountId} and link_id = ${linkId} and state in ('waiting', 'scanned')
    returning token_id as "tokenId"`;
  if (failed) await subscribers.tokenChanged(tx, { accountId, tokenId: failed.tokenId });
}
