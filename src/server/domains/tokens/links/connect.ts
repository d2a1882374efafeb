import { formatPhone } from '#contract/base/phone.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { ChannelName } from '#contract/tokens.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type Secrets, sha256 } from '#server/infra/security/secrets.ts';
import {
  type LinkName,
  QR_FRESH_SECONDS,
  isFreshQr,
  pairingCodeHash,
  readPairingCode,
  readQr,
} from './link-data.ts';
import { releasePhone, tokenOfPhone } from './phones.ts';
import type { TokenSubscribers } from '#server/domains/tokens/subscribers.ts';

export type ConnectDeps = {
  allAccountsSql: Sql;
  secrets: Secrets;
  /** Sends a notice of the house to a phone; what it rejects with is reported, not thrown. */
  tell: (phone: string, text: string, shown: string) => Promise<unknown>;
  report: (error: unknown) => void;
  subscribers: TokenSubscribers;
};

type ScanDeps = Pick<ConnectDeps, 'allAccountsSql' | 'secrets' | 'subscribers'>;

/** A link whose QR a phone has read, or whose code its owner has typed. */
export type ScannedLink = LinkName & { tokenId: string; channel: ChannelName };

type OpenLink = ScannedLink & {
  state: string;
  nonce_hash: Buffer | null;
  shown_s: number | null;
  over: boolean;
};

/**
 * A phone has read a QR, or its owner has typed the pairing code: the link goes from waiting to
 * scanned, once. When two phones read the same QR, one wins.
 *
 * @param also runs in the same transaction: whatever must happen if, and only if, this phone won.
 * @throws Refusal `qr_stale` when this is not a QR or code shown within the last minute, `link_gone`
 *   when its link was used or is over, `phone_taken` when the phone belongs to another token.
 */
export async function scanQr(
  { allAccountsSql, secrets, subscribers }: ScanDeps,
  text: string,
  phone: string,
  also?: (tx: Tx, link: ScannedLink) => Promise<void>,
): Promise<ScannedLink> {
  const done = await allAccountsSql.begin(async (tx) => {
    const name = readQr(text) ?? (await nameOfCode(tx, secrets, text));
    const link = name && (await lockLink(tx, name));
    if (!link) return new Refusal('qr_stale', {});
    if (link.state !== 'waiting' || link.over) return new Refusal('link_gone', {});
    if (readQr(text) && !isShown(secrets, link, text)) return new Refusal('qr_stale', {});
    const holder = await tokenOfPhone(tx, link.channel, phone);
    if (holder && holder.tokenId !== link.tokenId) {
      await endLink(tx, link);
      await subscribers.tokenChanged(tx, link);
      return new Refusal('phone_taken', {});
    }
    await tx`
      update links set state = 'scanned', phone = ${phone}, qr_hash = ${sha256(text)},
        qr_expires_at = clock_timestamp()
      where account_id = ${link.accountId} and link_id = ${link.linkId}`;
    await subscribers.tokenChanged(tx, link);
    await also?.(tx, link);
    return link;
  });
  if (done instanceof Refusal) throw done;
  return done;
}

async function nameOfCode(tx: Tx, secrets: Secrets, text: string): Promise<LinkName | undefined> {
  const code = readPairingCode(text);
  if (code === undefined) return undefined;
  const [name] = await tx<LinkName[]>`
    select account_id as "accountId", link_id as "linkId" from link_codes
    where code_hash = ${pairingCodeHash(secrets, code)} and expires_at > clock_timestamp()`;
  return name;
}

async function lockLink(tx: Tx, { accountId, linkId }: LinkName): Promise<OpenLink | undefined> {
  const [link] = await tx<OpenLink[]>`
    select l.account_id as "accountId", l.link_id as "linkId", l.token_id as "tokenId", t.channel,
      l.state, l.nonce_hash, l.expires_at <= clock_timestamp() as over,
      extract(epoch from clock_timestamp() - l.consent_at)::float8 as shown_s
    from links l
    join tokens t on t.account_id = l.account_id and t.token_id = l.token_id
    where l.account_id = ${accountId} and l.link_id = ${linkId} and t.deleted_at is null
      and t.status <> 'suspended'
    for no key update of l`;
  return link;
}

function isShown(secrets: Secrets, link: OpenLink, text: string): boolean {
  if (link.nonce_hash === null || link.shown_s === null) return false;
  const turn = Math.floor(link.shown_s / QR_FRESH_SECONDS);
  return isFreshQr(secrets, { ...link, nonceHash: link.nonce_hash }, turn, text);
}

/** A link that did not come to be; its token is free for another try. */
async function endLink(tx: Tx, { accountId, linkId }: ScannedLink): Promise<void> {
  await tx`
    update links set state = 'failed' where account_id = ${accountId} and link_id = ${linkId}`;
}

/**
 * The phone has agreed: the scanned link becomes the token's connection, and what waited for it may
 * leave. The phone is told what was linked and how to undo it.
 *
 * Safe to repeat: a link that is connected already stays so, and nobody is told twice.
 *
 * @throws Refusal `link_gone` when the link was ended meanwhile, `phone_taken` when the phone was
 *   linked elsewhere meanwhile.
 */
export async function connectLink(deps: ConnectDeps, name: LinkName): Promise<void> {
  const done = await deps.allAccountsSql.begin(async (tx) => {
    const link = await lockLink(tx, name);
    if (!link) return new Refusal('link_gone', {});
    if (link.state === 'connected') return undefined;
    if (link.state !== 'scanned') return new Refusal('link_gone', {});
    const phone = await takePhone(tx, link);
    if (phone === undefined) {
      await endLink(tx, link);
      await deps.subscribers.tokenChanged(tx, link);
      return new Refusal('phone_taken', {});
    }
    await tx`
      update links set state = 'connected'
      where account_id = ${link.accountId} and link_id = ${link.linkId}`;
    await deps.subscribers.tokenLinked(tx, link);
    await deps.subscribers.tokenChanged(tx, link);
    return tokenOfPhone(tx, link.channel, phone).then((token) => token && { ...token, phone });
  });
  if (done instanceof Refusal) throw done;
  if (!done) return;
  await tellPhone(
    deps,
    done.phone,
    `Nomor ini sekarang tersambung ke token "${done.tokenName}" milik ${done.accountName} di ` +
      'Kabari: mereka dapat mengirim dan menerima pesan dengan nomor Anda. ' +
      `Bukan Anda yang menyetujuinya? Balas ${UNDO_WORD} untuk memutusnya sekarang juga.`,
  );
}

/** The phone becomes this token's; undefined when it is another's. */
async function takePhone(tx: Tx, link: ScannedLink): Promise<string | undefined> {
  await tx`
    delete from linked_phones
    where account_id = ${link.accountId} and token_id = ${link.tokenId} and channel = ${link.channel}`;
  const [taken] = await tx<{ phone: string }[]>`
    insert into linked_phones (channel, phone, account_id, token_id)
    select ${link.channel}, phone, account_id, token_id from links
    where account_id = ${link.accountId} and link_id = ${link.linkId}
    on conflict (channel, phone) do nothing
    returning phone`;
  if (!taken) return undefined;
  await tx`
    update tokens set status = 'linked', phone = ${taken.phone}
    where account_id = ${link.accountId} and token_id = ${link.tokenId}`;
  return taken.phone;
}

const UNDO_WORD = 'PUTUS';

/**
 * Hears an answer to a notice of the house: PUTUS parts the phone from its token, at once and without
 * signing in. Everything else, and everything said to other tokens, is left alone.
 *
 * @returns true when the phone was parted.
 */
export async function handleUndo(
  deps: ConnectDeps,
  heard: { accountId: string; tokenId: string; from: string; text: string },
): Promise<boolean> {
  if (heard.text.trim().toUpperCase() !== UNDO_WORD) return false;
  const parted = await deps.allAccountsSql.begin(async (tx) => {
    const [system] = await tx<{ channel: ChannelName }[]>`
      select channel from tokens
      where account_id = ${heard.accountId} and token_id = ${heard.tokenId} and is_system`;
    const token = system && (await tokenOfPhone(tx, system.channel, heard.from));
    if (!token || token.tokenId === heard.tokenId) return undefined;
    await releasePhone(tx, token.accountId, token.tokenId);
    await deps.subscribers.tokenChanged(tx, token);
    return token;
  });
  if (!parted) return false;
  await tellPhone(
    deps,
    heard.from,
    `Nomor ${formatPhone(heard.from)} sudah diputus dari token "${parted.tokenName}" milik ` +
      `${parted.accountName}. Tidak ada lagi pesan yang dapat dikirim dengan nomor Anda.`,
  );
  return true;
}

/** At rest a notice does not say whose token it was about: that account may be erased one day. */
const SHOWN_AT_REST = 'Pemberitahuan tentang tautan nomor ini';

async function tellPhone(
  { tell, report }: ConnectDeps,
  phone: string,
  text: string,
): Promise<void> {
  await tell(phone, text, SHOWN_AT_REST).catch(report);
}
