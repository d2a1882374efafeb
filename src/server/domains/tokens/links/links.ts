import { randomBytes } from 'node:crypto';
import type { OutputOf } from '#contract/base/act.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { linkToken, type ChannelName } from '#contract/tokens.ts';
import {
  type LinkFailure,
  type LinkState,
  type Scan,
  consentScan,
  getScan,
} from '#contract/scan.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { type Secrets, sameBytes, sha256 } from '#server/infra/security/secrets.ts';
import { refuseSuspended } from '#server/domains/tokens/create.ts';
import {
  type LinkRef,
  QR_PERIOD_SECONDS,
  pairingCode,
  pairingCodeHash,
  qrText,
  readLink,
  signLink,
} from './link-data.ts';
import { closeLinks } from './phones.ts';
import { readToken, type TokenSubscribers, type TokensDeps } from '#server/domains/tokens/row.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import type { ApiLink } from '#contract/rest/account.ts';
import { qrPng } from '#server/infra/qr.ts';

/** To show a link, and to create one. */
export type LinkDeps = Pick<TokensDeps, 'sql' | 'secrets' | 'subscribers' | 'networkQr'>;

const LINK_MINUTES = 10;
/** Links older than this are refused without a query, despite clock differences. */
const STALE_MS = 3_600_000;

export const linkTokenHandler = (deps: LinkDeps) =>
  handle(linkToken, ({ caller }, input) => createLink(deps, caller.accountId, input.token_id));

/**
 * Creates the URL where a phone's owner scans the QR: for one token, for ten minutes, for one browser. An earlier URL
 * of the same token ends.
 *
 * @throws Refusal `account_suspended` if the account, or this token of it, may not link; `channel_other` of a token
 * whose channel has no QR.
 */
export function createLink(
  { sql, secrets, subscribers }: LinkDeps,
  accountId: string,
  tokenId: string,
  { byApi = false }: { byApi?: boolean } = {},
): Promise<OutputOf<typeof linkToken>> {
  const linkId = newId();
  return asAccount(sql, accountId, async (tx) => {
    await refuseSuspended(tx, accountId);
    const token = await readToken(tx, accountId, tokenId);
    if (token.channel === 'cloud') throw new Refusal('channel_other', {});
    if (token.status === 'suspended') throw new Refusal('account_suspended', {});
    await closeLinks(tx, accountId, tokenId);
    const [created] = await tx<{ expires_at: Date }[]>`
      insert into links (account_id, link_id, token_id, by_api, expires_at)
      values (${accountId}, ${linkId}, ${tokenId}, ${byApi},
        clock_timestamp() + ${`${LINK_MINUTES} minutes`}::interval)
      returning expires_at`;
    if (!created) throw new Error('a link was not created');
    await tx`
      update tokens set status = 'linking'
      where account_id = ${accountId} and token_id = ${tokenId} and status = 'unlinked'`;
    await subscribers.tokenChanged(tx, { accountId, tokenId });
    const data = signLink(secrets, { accountId, linkId }, created.expires_at);
    return { path: `/scan/${data}`, expires_at: created.expires_at };
  });
}

type LinkRow = {
  failure: LinkFailure | null;
  state: LinkState;
  nonce_hash: Buffer | null;
  phone: string | null;
  expires_at: Date;
  account_name: string;
  token_name: string;
  channel: Scan['channel'];
  /** Seconds since the consent, and whether the link is over: by the database's clock. */
  since_consent_s: number | null;
  now: Date;
  is_over: boolean;
};

const linkGone = () => new Refusal('link_gone', {});

export const getScanHandler = (deps: LinkDeps) =>
  handle(getScan, (_call, input) => readScan(deps, input.data, input.nonce));

/**
 * The data of the page `/scan/{data}`; changes nothing, even if called repeatedly.
 *
 * Before the consent: the token's owner. After it only the browser with the nonce sees more: the QR and the progress,
 * also after the link's expiry.
 *
 * @throws Refusal `link_gone` for everything else: altered, over, used, another browser.
 */
export async function readScan(deps: LinkDeps, data: string, nonce?: string): Promise<Scan> {
  const { sql, secrets } = deps;
  const link = verifyLink(secrets, data);
  return asAccount(sql, link.accountId, async (tx) => {
    const row = await findLink(tx, link);
    if (!row) throw linkGone();
    if (row.nonce_hash === null) {
      if (row.is_over || row.state !== 'waiting') throw linkGone();
    } else if (nonce === undefined || !sameBytes(row.nonce_hash, sha256(nonce))) {
      throw linkGone();
    }
    return scanFrom(deps, tx, link, row);
  });
}

/**
 * Shows a link that the API started to the holder of the token's key, whose call was the consent.
 *
 * @throws Refusal `link_gone` if there is no such link.
 */
export async function showLink(deps: LinkDeps, tx: Tx, link: LinkRef): Promise<Scan> {
  const row = await findLink(tx, link);
  if (!row) throw linkGone();
  return scanFrom(deps, tx, link, row);
}

function verifyLink(secrets: Secrets, data: string): LinkRef {
  const link = readLink(secrets, data);
  if (!link || Date.now() - link.expiresAt.getTime() > STALE_MS) throw linkGone();
  return link;
}

async function findLink(tx: Tx, { accountId, linkId }: LinkRef): Promise<LinkRow | undefined> {
  const [row] = await tx<LinkRow[]>`
    select l.state, l.failure, l.nonce_hash, l.phone, l.expires_at, t.name as token_name, t.channel,
      a.name as account_name,
      extract(epoch from clock_timestamp() - l.consent_at)::float8 as since_consent_s,
      clock_timestamp() as now, l.expires_at <= clock_timestamp() as is_over
    from links l
    join tokens t on t.account_id = l.account_id and t.token_id = l.token_id
    join accounts a on a.account_id = l.account_id
    where l.account_id = ${accountId} and l.link_id = ${linkId} and t.deleted_at is null`;
  return row;
}

async function scanFrom(deps: LinkDeps, tx: Tx, link: LinkRef, row: LinkRow): Promise<Scan> {
  const state = row.state === 'waiting' && row.is_over ? 'expired' : row.state;
  const ownQr = () => qrFrom(deps.secrets, link, row);
  const networksQr = async () => (row.nonce_hash && (await deps.networkQr?.(tx, link))) ?? null;
  return {
    state,
    failure: row.failure,
    account_name: row.account_name,
    token_name: row.token_name,
    channel: row.channel,
    qr: state === 'waiting' ? await (row.channel === 'simulator' ? ownQr() : networksQr()) : null,
    phone: state === 'connected' && row.phone !== null ? maskedPhone(row.phone) : null,
    expires_at: row.expires_at,
  };
}

function qrFrom(secrets: Secrets, link: LinkRef, row: LinkRow): Scan['qr'] {
  if (row.nonce_hash === null || row.since_consent_s === null) return null;
  const consented = { ...link, nonceHash: row.nonce_hash };
  const period = Math.floor(row.since_consent_s / QR_PERIOD_SECONDS);
  const leftMs = ((period + 1) * QR_PERIOD_SECONDS - row.since_consent_s) * 1000;
  return {
    text: qrText(secrets, consented, period),
    pairing_code: pairingCode(secrets, consented),
    expires_at: new Date(Math.min(row.now.getTime() + leftMs, row.expires_at.getTime())),
  };
}

/** `6281234567890` → `+62 812-••••-7890`: enough to recognise one's own number, not enough to call it. */
export function maskedPhone(phone: string): string {
  let position = 0;
  return formatPhone(phone).replace(/\d/g, (digit) => {
    position += 1;
    return position <= 5 || position > phone.length - 4 ? digit : '•';
  });
}

export const consentScanHandler = (deps: LinkDeps) =>
  handle(consentScan, (call, input) => recordConsent(deps, input.data, call.agent, input.phone));

/**
 * Records the consent of the phone's owner with the time and the browser, which from now on is the only one to see the
 * QR. A prefetch cannot do this, and it cannot be done twice.
 *
 * @param pairingPhone the number for a pairing code, if the network creates the codes.
 * @throws Refusal `link_gone` if the link is altered, over, or another browser agreed before.
 */
export async function recordConsent(
  { sql, secrets }: LinkDeps,
  data: string,
  agent: string,
  pairingPhone?: string,
): Promise<OutputOf<typeof consentScan>> {
  const link = verifyLink(secrets, data);
  const nonce = randomBytes(32).toString('base64url');
  const nonceHash = sha256(nonce);
  const code = pairingCodeHash(secrets, pairingCode(secrets, { ...link, nonceHash }));
  await asAccount(sql, link.accountId, async (tx) => {
    const [consented] = await tx<{ expires_at: Date }[]>`
      update links
      set nonce_hash = ${nonceHash}, consent_at = clock_timestamp(),
        consent_agent = ${agent.slice(0, 400)}, pairing_phone = ${pairingPhone ?? null}
      where account_id = ${link.accountId} and link_id = ${link.linkId} and state = 'waiting'
        and nonce_hash is null and expires_at > clock_timestamp()
      returning expires_at`;
    if (!consented) throw linkGone();
    await tx`
      insert into link_codes (code_hash, account_id, link_id, expires_at)
      values (${code}, ${link.accountId}, ${link.linkId}, ${consented.expires_at})
      on conflict (code_hash) do nothing`;
  });
  return { nonce };
}

type Sender = { accountId: string; tokenId: string };

/** Two simultaneous calls end each other's link; after this many tries the later one waits. */
const TRIES = 3;

/**
 * Starts linking the token to a phone, or returns the progress of a link that the API started: repeated calls return
 * the present QR, until the phone is connected.
 *
 * @param agent the caller, recorded with the consent
 * @throws Refusal `account_suspended` if the account or the token may not link, `request_in_flight` while another call
 * starts it.
 */
export async function startLink(deps: LinkDeps, sender: Sender, agent: string): Promise<ApiLink> {
  for (let tries = 0; tries < TRIES; tries++) {
    const present = await asAccount(deps.sql, sender.accountId, (tx) => stateOf(deps, tx, sender));
    if (present) return withPicture(present);
    await beginLink(deps, sender, agent);
  }
  throw new Refusal('request_in_flight', { seconds: 1 });
}

type Present = Omit<ApiLink, 'qr'> & {
  qr: Scan['qr'];
};

async function stateOf(deps: LinkDeps, tx: Tx, sender: Sender): Promise<Present | undefined> {
  const { accountId, tokenId } = sender;
  const { status, phone } = await readToken(tx, accountId, tokenId);
  if (status === 'suspended') throw new Refusal('account_suspended', {});
  if (status === 'linked')
    return { state: 'connected', qr: null, phone: phone && shownPeer(phone), expires_at: null };
  const ref = await openLinkOf(tx, sender);
  if (!ref) return undefined;
  const { state, qr, expires_at } = await showLink(deps, tx, ref);
  return { state, qr, phone: null, expires_at };
}

async function openLinkOf(tx: Tx, { accountId, tokenId }: Sender): Promise<LinkRef | undefined> {
  const [open] = await tx<{ linkId: string }[]>`
    select link_id as "linkId" from links
    where account_id = ${accountId} and token_id = ${tokenId} and by_api
      and nonce_hash is not null and state in ('waiting', 'scanned')
      and expires_at > clock_timestamp()
    order by link_id desc limit 1`;
  return open && { accountId, linkId: open.linkId };
}

async function beginLink(deps: LinkDeps, sender: Sender, agent: string): Promise<void> {
  const { path } = await createLink(deps, sender.accountId, sender.tokenId, { byApi: true });
  try {
    await recordConsent(deps, path.slice('/scan/'.length), `API ${agent}`);
  } catch (error) {
    // Ended by another call in between, whose link is shown next.
    if (!(error instanceof Refusal && error.code === 'link_gone')) throw error;
  }
}

const withPicture = ({ qr, ...link }: Present): ApiLink => ({
  ...link,
  qr: qr && { ...qr, image: pictureOf(qr.text) },
});

/** A QR in a `data:` address, for `<img src>`; 320 dots wide or a little more. */
const pictureOf = (text: string): string =>
  `data:image/png;base64,${qrPng(text, { quiet: 4, scale: { sideMin: 320 } }).toString('base64')}`;

export type NetworkLink = LinkRef & {
  tokenId: string;
  pairingPhone: string | null;
};

/** Links of a channel with consent that wait for a phone; the oldest first. */
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

/** Fails an open link: its page shows the failure, and its token can be linked anew. */
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
