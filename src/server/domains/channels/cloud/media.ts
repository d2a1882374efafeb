import { buffer } from 'node:stream/consumers';
import type { MessageType } from '#contract/messages.ts';
import { type Files, jpegOf } from '#server/domains/media/media.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import { OutboundError } from '#server/infra/net/outbound.ts';
import { type Graph, type GraphAnswer, wordAt } from './graph.ts';
import type { CloudNumber } from './numbers.ts';

export type MediaDeps = {
  allAccountsSql: Sql;
  graph: Graph;
  files: Pick<Files, 'open'>;
  now: () => Date;
};

/** Meta keeps uploads for 30 days; we count on a little less. */
const KEPT_MS = 28 * 86_400_000;

/** Meta takes WebP only for stickers: as an image it would be refused after it was accepted. */
const isUnsupported = (type: MessageType, mime: string): boolean =>
  type !== 'sticker' && type !== 'document' && mime === 'image/webp';

/**
 * Meta's id of a file, which is uploaded if Meta does not have it: once per number, for any number of receivers.
 *
 * @returns Meta's answer if it refuses the file; undefined if the account no longer has the file
 */
export async function uploadFile(
  deps: MediaDeps,
  number: CloudNumber,
  { fileId, type, signal }: { fileId: string; type: MessageType; signal: AbortSignal },
): Promise<{ mediaId: string } | Exclude<GraphAnswer, { ok: true }> | undefined> {
  const { accountId, tokenId, phoneNumberId, accessToken } = number;
  const file = await deps.files.open(accountId, fileId);
  if (!file) return undefined;
  const bytes = await buffer(await file.stream());
  const isDrawn = isUnsupported(type, file.mime);
  const mime = isDrawn ? 'image/jpeg' : file.mime;
  const key = { accountId, tokenId, sha256: sha256(bytes), mime };
  const known = await knownMedia(deps, key);
  if (known !== undefined) return { mediaId: known };
  const taken = isDrawn
    ? await file.withFile((path) => jpegOf({ path, mime: 'image/webp', accountId }))
    : bytes;
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('type', mime);
  form.set('file', new Blob([new Uint8Array(taken)], { type: mime }), file.name || 'file');
  const path = `${phoneNumberId}/media`;
  const answer = await deps.graph.ask({ accessToken, method: 'POST', path, body: form, signal });
  if (!answer.ok) return answer;
  const mediaId = wordAt(answer, 'id');
  if (mediaId === undefined) throw new Error('the Cloud API took a file and named no id');
  await storeMedia(deps, key, mediaId);
  return { mediaId };
}

type MediaKey = TokenRef & { sha256: Buffer; mime: string };

async function knownMedia(
  { allAccountsSql, now }: MediaDeps,
  { accountId, tokenId, sha256: hash, mime }: MediaKey,
): Promise<string | undefined> {
  const [row] = await allAccountsSql<{ media_id: string }[]>`
    select media_id from cloud_media
    where account_id = ${accountId} and token_id = ${tokenId} and sha256 = ${hash}
      and mime = ${mime} and expires_at > ${now()}`;
  return row?.media_id;
}

const storeMedia = (
  { allAccountsSql, now }: MediaDeps,
  { accountId, tokenId, sha256: hash, mime }: MediaKey,
  mediaId: string,
): Promise<unknown> =>
  Promise.resolve(allAccountsSql`
    insert into cloud_media (account_id, token_id, sha256, mime, media_id, expires_at)
    values (${accountId}, ${tokenId}, ${hash}, ${mime}, ${mediaId},
      ${new Date(now().getTime() + KEPT_MS)})
    on conflict (account_id, token_id, sha256, mime) do update
      set media_id = excluded.media_id, expires_at = excluded.expires_at`);

/** Forgets a file that Meta no longer has: the next message uploads it again. */
export async function forgetMedia(
  { allAccountsSql }: Pick<MediaDeps, 'allAccountsSql'>,
  { accountId, tokenId }: TokenRef,
  mediaId: string,
): Promise<void> {
  await allAccountsSql`
    delete from cloud_media
    where account_id = ${accountId} and token_id = ${tokenId} and media_id = ${mediaId}`;
}

const BYTES_MAX = 100 * 1_048_576;

const isGone = ({ status, error }: Exclude<GraphAnswer, { ok: true }>): boolean =>
  status === 404 || error.code === 803 || (error.code === 100 && error.subcode === 33);

/**
 * The bytes of a customer's file; undefined if Meta reports that it no longer has it.
 *
 * @throws OutboundError while it cannot be fetched, for example with a refused access token
 */
export async function downloadFile(
  { graph }: Pick<MediaDeps, 'graph'>,
  { accessToken }: CloudNumber,
  mediaId: string,
): Promise<Buffer | undefined> {
  const answer = await graph.ask({ accessToken, path: encodeURIComponent(mediaId) });
  const url = wordAt(answer, 'url');
  if (url === undefined) {
    if (!answer.ok && isGone(answer)) return undefined;
    throw new OutboundError('unreachable', 'the Cloud API does not name a file now');
  }
  return graph.download({ accessToken, url, bytesMax: BYTES_MAX });
}
