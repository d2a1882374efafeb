import { shownPeer } from '#contract/messages/peer.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { ApiLink } from '#contract/rest/account.ts';
import type { Scan } from '#contract/tokens/scan.ts';
import { type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { qrPng } from '#server/infra/qr.ts';
import { readToken } from '#server/domains/tokens/row.ts';
import type { LinkRef } from './link-data.ts';
import { type OpenDeps, createLink, recordConsent, showLink } from './links.ts';

type Sender = { accountId: string; tokenId: string };

/** Two calls at the same moment end each other's link; after so many tries the later one waits. */
const TRIES = 3;

/**
 * Starts linking the token to a phone, or says how the linking that the API started goes on: asked again and
 * again, it shows the QR as it now is, until the phone is connected.
 *
 * @param agent what calls; recorded with the consent, which is the caller's
 * @throws Refusal `account_suspended` when the account or the token may not link, `request_in_flight` while
 *   another call starts it.
 */
export async function startLink(deps: OpenDeps, sender: Sender, agent: string): Promise<ApiLink> {
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

/** How things stand; undefined where nothing is linked and nothing was started. */
async function stateOf(deps: OpenDeps, tx: Tx, sender: Sender): Promise<Present | undefined> {
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

async function beginLink(deps: OpenDeps, sender: Sender, agent: string): Promise<void> {
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
