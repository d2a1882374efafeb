import { isolated } from '#contract/base/names.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { ChannelName } from '#contract/tokens.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { beginIn } from '#server/infra/postgres/distribution/scope.ts';
import { type Secrets, sha256 } from '#server/infra/security/secrets.ts';
import {
  type LinkRef,
  QR_PERIOD_SECONDS,
  isCurrentQr,
  pairingCodeHash,
  readPairingCode,
  readQr,
} from './link-data.ts';
import { holderOfPhone, releasePhone, tokenOfPhone } from './phones.ts';
import type { TokenSubscribers } from '#server/domains/tokens/row.ts';

export type ConnectDeps = {
  allAccountsSql: Sql;
  secrets: Secrets;
  /** Sends a text through the installation's own token; rejections are reported, not thrown. */
  sendSystemText: (phone: string, text: string, shownText: string) => Promise<unknown>;
  report: (error: unknown) => void;
  subscribers: TokenSubscribers;
};

/** A link whose QR was scanned, or whose code was typed. */
export type ScannedLink = LinkRef & { tokenId: string; channel: ChannelName };

type OpenLink = ScannedLink & {
  state: string;
  phone: string | null;
  nonce_hash: Buffer | null;
  since_consent_s: number | null;
  is_over: boolean;
};

/**
 * A phone has scanned a QR, or its owner has typed the pairing code: the link changes from waiting to scanned, once. If
 * two phones scan the same QR, one wins.
 *
 * @param inTransaction runs in the same transaction, only if this phone won.
 * @throws Refusal `qr_stale` unless this QR or code was shown within the last minute, `link_gone` if its link was used
 * or is over, `phone_taken` if the phone belongs to another token.
 */
export async function scanQr(
  {
    allAccountsSql,
    secrets,
    subscribers,
  }: Pick<ConnectDeps, 'allAccountsSql' | 'secrets' | 'subscribers'>,
  text: string,
  phone: string,
  inTransaction?: (tx: Tx, link: ScannedLink) => Promise<void>,
): Promise<ScannedLink> {
  const ref = readQr(text) ?? (await refOfCode(allAccountsSql, secrets, text));
  if (!ref) throw new Refusal('qr_stale', {});
  const outcome = await beginIn(allAccountsSql, ref.accountId, async (tx) => {
    const link = await lockLink(tx, ref);
    if (!link) return new Refusal('qr_stale', {});
    if (link.state !== 'waiting' || link.is_over) return new Refusal('link_gone', {});
    if (readQr(text) && !isQrOfLink(secrets, link, text)) return new Refusal('qr_stale', {});
    const taken = await markScanned(tx, subscribers, link, { phone, qrHash: sha256(text) });
    if (taken) return taken;
    await inTransaction?.(tx, link);
    return link;
  });
  if (outcome instanceof Refusal) throw outcome;
  return outcome;
}

/**
 * A network reports that a phone has paired with a link whose QR the network created: the link changes from waiting to
 * scanned, once. Safe to repeat with the same phone.
 *
 * @param inTransaction runs in the same transaction, only if this phone won.
 * @throws Refusal `link_gone` if its link was used or is over, `phone_taken` if the phone belongs to another token.
 */
export async function scanByNetwork(
  { allAccountsSql, subscribers }: Pick<ConnectDeps, 'allAccountsSql' | 'subscribers'>,
  ref: LinkRef,
  phone: string,
  inTransaction: (tx: Tx, link: ScannedLink) => Promise<void>,
): Promise<void> {
  const outcome = await beginIn(allAccountsSql, ref.accountId, async (tx) => {
    const link = await lockLink(tx, ref);
    if (link?.state === 'scanned' && link.phone === phone) return undefined;
    const mayScan = link?.state === 'waiting' && link.since_consent_s !== null;
    if (!mayScan) return new Refusal('link_gone', {});
    const taken = await markScanned(tx, subscribers, link, { phone, qrHash: null });
    if (taken) return taken;
    await inTransaction(tx, link);
    return undefined;
  });
  if (outcome) throw outcome;
}

/** Marks the link as scanned by this phone, or ends it if the phone belongs to another token. */
async function markScanned(
  tx: Tx,
  subscribers: TokenSubscribers,
  link: OpenLink,
  { phone, qrHash }: { phone: string; qrHash: Buffer | null },
): Promise<Refusal<'phone_taken'> | undefined> {
  const holder = await holderOfPhone(tx, link.channel, phone);
  if (holder && holder.tokenId !== link.tokenId) {
    await endTakenLink(tx, link);
    await subscribers.tokenChanged(tx, link);
    return new Refusal('phone_taken', {});
  }
  await tx`
    update links set state = 'scanned', phone = ${phone}, qr_hash = ${qrHash},
      qr_expires_at = clock_timestamp()
    where account_id = ${link.accountId} and link_id = ${link.linkId}`;
  await subscribers.tokenChanged(tx, link);
  return undefined;
}

async function refOfCode(sql: Sql, secrets: Secrets, text: string): Promise<LinkRef | undefined> {
  const code = readPairingCode(text);
  if (code === undefined) return undefined;
  const [ref] = await sql<LinkRef[]>`
    select account_id as "accountId", link_id as "linkId" from link_codes
    where code_hash = ${pairingCodeHash(secrets, code)} and expires_at > clock_timestamp()`;
  return ref;
}

async function lockLink(tx: Tx, { accountId, linkId }: LinkRef): Promise<OpenLink | undefined> {
  const [link] = await tx<OpenLink[]>`
    select l.account_id as "accountId", l.link_id as "linkId", l.token_id as "tokenId", t.channel,
      l.state, l.phone, l.nonce_hash, l.expires_at <= clock_timestamp() as is_over,
      extract(epoch from clock_timestamp() - l.consent_at)::float8 as since_consent_s
    from links l
    join tokens t on t.account_id = l.account_id and t.token_id = l.token_id
    where l.account_id = ${accountId} and l.link_id = ${linkId} and t.deleted_at is null
      and t.status <> 'suspended'
    for no key update of l`;
  return link;
}

function isQrOfLink(secrets: Secrets, link: OpenLink, text: string): boolean {
  if (link.nonce_hash === null || link.since_consent_s === null) return false;
  const period = Math.floor(link.since_consent_s / QR_PERIOD_SECONDS);
  return isCurrentQr(secrets, { ...link, nonceHash: link.nonce_hash }, period, text);
}

/** Ends a link whose phone belongs to another token; its token can be linked anew. */
async function endTakenLink(tx: Tx, { accountId, linkId }: ScannedLink): Promise<void> {
  await tx`
    update links set state = 'failed', failure = 'phone_taken'
    where account_id = ${accountId} and link_id = ${linkId}`;
}

/**
 * The phone has agreed: the scanned link becomes the token's connection, and queued messages may leave. The phone is
 * notified of the token and how to undo the link.
 *
 * Safe to repeat: a connected link stays connected, and the notice is sent once.
 *
 * @throws Refusal `link_gone` if the link was ended meanwhile, `phone_taken` if the phone was linked elsewhere
 * meanwhile.
 */
export async function connectLink(deps: ConnectDeps, ref: LinkRef): Promise<void> {
  const outcome = await beginIn(deps.allAccountsSql, ref.accountId, async (tx) => {
    const link = await lockLink(tx, ref);
    if (!link) return new Refusal('link_gone', {});
    if (link.state === 'connected') return undefined;
    if (link.state !== 'scanned') return new Refusal('link_gone', {});
    const phone = await claimPhone(tx, link);
    if (phone === undefined) {
      await endTakenLink(tx, link);
      await deps.subscribers.tokenChanged(tx, link);
      return new Refusal('phone_taken', {});
    }
    await tx`
      update links set state = 'connected'
      where account_id = ${link.accountId} and link_id = ${link.linkId}`;
    const token = await tokenOfPhone(tx, link.channel, phone);
    if (!token) return undefined;
    await deps.subscribers.tokenLinked(tx, { ...link, name: token.tokenName, phone });
    await deps.subscribers.tokenChanged(tx, link);
    return { ...token, phone };
  });
  if (outcome instanceof Refusal) throw outcome;
  if (!outcome) return;
  await notifyPhone(
    deps,
    outcome.phone,
    `Nomor ini sekarang tersambung ke token "${isolated(outcome.tokenName)}" milik ${isolated(outcome.accountName)} di ` +
      'Kabari: mereka dapat mengirim dan menerima pesan dengan nomor Anda. ' +
      `Bukan Anda yang menyetujuinya? Balas ${UNDO_WORD} untuk memutusnya sekarang juga.`,
  );
}

/** Undefined if the phone belongs to another token. */
async function claimPhone(tx: Tx, link: ScannedLink): Promise<string | undefined> {
  await tx`
    delete from linked_phones
    where account_id = ${link.accountId} and token_id = ${link.tokenId} and channel = ${link.channel}`;
  const [claimed] = await tx<{ phone: string }[]>`
    insert into linked_phones (channel, phone, account_id, token_id)
    select ${link.channel}, phone, account_id, token_id from links
    where account_id = ${link.accountId} and link_id = ${link.linkId}
    on conflict (channel, phone) do nothing
    returning phone`;
  if (!claimed) return undefined;
  await tx`
    update tokens set status = 'linked', phone = ${claimed.phone}
    where account_id = ${link.accountId} and token_id = ${link.tokenId}`;
  return claimed.phone;
}

const UNDO_WORD = 'PUTUS';

/**
 * Handles a reply to the installation's own number: PUTUS unlinks the phone from its token, at once and without signing
 * in. Other texts, and replies to other tokens, are ignored.
 *
 * @returns true if the phone was unlinked.
 */
export async function handleUndo(
  deps: ConnectDeps,
  reply: { accountId: string; tokenId: string; from: string; text: string },
): Promise<boolean> {
  if (reply.text.trim().toUpperCase() !== UNDO_WORD) return false;
  const { allAccountsSql: sql } = deps;
  const [system] = await sql<{ channel: ChannelName }[]>`
    select channel from tokens
    where account_id = ${reply.accountId} and token_id = ${reply.tokenId} and is_system`;
  const holder = system && (await holderOfPhone(sql, system.channel, reply.from));
  if (!holder) return false;
  const unlinked = await beginIn(sql, holder.accountId, async (tx) => {
    const token = await tokenOfPhone(tx, system.channel, reply.from);
    if (!token || token.tokenId === reply.tokenId) return undefined;
    const released = await releasePhone(tx, token.accountId, token.tokenId);
    if (released) await deps.subscribers.tokenUnlinked(tx, released);
    await deps.subscribers.tokenChanged(tx, token);
    return token;
  });
  if (!unlinked) return false;
  await notifyPhone(
    deps,
    reply.from,
    `Nomor ${formatPhone(reply.from)} sudah diputus dari token "${isolated(unlinked.tokenName)}" milik ` +
      `${isolated(unlinked.accountName)}. Tidak ada lagi pesan yang dapat dikirim dengan nomor Anda.`,
  );
  return true;
}

/** The stored notice does not name the token's account, which may later be erased. */
const SHOWN_TEXT = 'Pemberitahuan tentang tautan nomor ini';

async function notifyPhone(
  { sendSystemText, report }: ConnectDeps,
  phone: string,
  text: string,
): Promise<void> {
  await sendSystemText(phone, text, SHOWN_TEXT).catch(report);
}
