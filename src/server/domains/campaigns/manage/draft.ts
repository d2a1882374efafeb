import { publicId } from '#contract/base/ids.ts';
import type { InputOf } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  OPEN_CAMPAIGNS_MAX,
  type createCampaign,
  type updateCampaign,
} from '#contract/campaigns/campaign.ts';
import {
  type CampaignContent,
  type CampaignContentInput,
  contentVariables,
} from '#contract/campaigns/content.ts';
import { variableKey } from '#contract/campaigns/variables.ts';
import { messageTypeOfFile } from '#server/domains/messages/messages.ts';
import { namedTokens } from '#server/domains/tokens/tokens.ts';
import type { CampaignDeps } from '#server/domains/campaigns/deps.ts';
import { readList } from '#server/domains/campaigns/recipients/read-list.ts';
import {
  judgeRecipients,
  storeRecipients,
  withKnownPeers,
} from '#server/domains/campaigns/recipients/store.ts';
import {
  type CampaignRef,
  type StoredCampaign,
  readCampaign,
  readCampaigns,
} from '#server/domains/campaigns/row.ts';
import { type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { announce, lockCampaign } from './lock.ts';

type Person = { accountId: string; userId: string };

/** Begins a draft with the list of an upload, whose file is forgotten: its numbers are in the draft. */
export async function createDraft(
  deps: CampaignDeps,
  { accountId, userId }: Person,
  { campaignId, ...input }: InputOf<typeof createCampaign> & { campaignId: string },
): Promise<StoredCampaign> {
  const owner = { accountId, userId };
  // The browser's retry of what was done finds the draft there.
  const [known] = await asAccount(deps.sql, accountId, (tx) =>
    readCampaigns(tx, accountId, tx`and c.campaign_id = ${campaignId}`),
  );
  if (known) return known;
  const { bytes } = await deps.uploads.read(owner, input.upload, 'recipients');
  const { columns, recipients } = await readList(bytes, accountId);
  const stored = await asAccount(deps.sql, accountId, async (tx) => {
    await requireToken(tx, accountId, input.token_id);
    await requireRoom(tx, accountId);
    await tx`
      insert into campaigns (
        account_id, campaign_id, token_id, created_by, name, status, columns, created_at
      ) values (
        ${accountId}, ${campaignId}, ${input.token_id}, ${userId}, ${input.name}, 'draft', ${columns},
        ${deps.now()}
      )`;
    const resolved = await withKnownPeers(tx, accountId, recipients);
    await storeRecipients(tx, { accountId, campaignId }, resolved);
    await judgeRecipients(tx, { accountId, campaignId, tokenId: input.token_id }, []);
    await announce(tx, { accountId, campaignId });
    return readCampaign(tx, { accountId, campaignId });
  });
  // A draft stands without it; what is left is forgotten within a day. Another tab may have made a draft of it as well.
  await deps.uploads.revert(owner, input.upload).catch((error: unknown) => {
    if (!(error instanceof Refusal)) deps.report(error);
  });
  deps.onStored();
  return stored;
}

async function requireToken(tx: Tx, accountId: string, tokenId: string): Promise<void> {
  const token = (await namedTokens(tx, accountId, [tokenId])).get(tokenId);
  if (!token || token.isDeleted) throw new Refusal('not_found', { what: 'Token' });
}

async function requireRoom(tx: Tx, accountId: string): Promise<void> {
  // One at a time: two that begin the last one would both find room.
  await tx`select pg_advisory_xact_lock(hashtextextended('campaigns ' || ${accountId}::text, 0))`;
  const [open] = await tx<{ n: number }[]>`
    select count(*)::int as n from campaigns
    where account_id = ${accountId} and status not in ('done', 'cancelled')`;
  if ((open?.n ?? 0) >= OPEN_CAMPAIGNS_MAX)
    throw new Refusal('campaigns_full', { limit: OPEN_CAMPAIGNS_MAX });
}

/** Changes a draft, and judges its recipients anew. @throws Refusal `campaign_state` once it is started */
export async function changeDraft(
  deps: CampaignDeps,
  person: Person,
  input: InputOf<typeof updateCampaign>,
): Promise<StoredCampaign> {
  const { accountId } = person;
  const ref = { accountId, campaignId: input.campaign_id };
  const { status: before } = await asAccount(deps.sql, accountId, (tx) => readCampaign(tx, ref));
  // The upload of who comes too late stays theirs.
  if (before !== 'draft') throw new Refusal('campaign_state', {});
  const file = await adoptedFile(deps, person, input.content);
  const changed = await asAccount(deps.sql, accountId, async (tx) => {
    // Another tab may have written meanwhile: what is left out stays as it is now.
    const { status, ...draft } = await lockCampaign(tx, ref);
    if (status !== 'draft') throw new Refusal('campaign_state', {});
    const content =
      input.content === undefined
        ? draft.content
        : contentFrom(input.content, { file, before: draft.content });
    const needed = content === null ? [] : placesNeeded(content, draft.columns);
    const tokenId = input.token_id ?? draft.token_id;
    if (input.token_id !== undefined) await requireToken(tx, accountId, input.token_id);
    await tx`
      update campaigns set token_id = ${tokenId}, name = ${input.name ?? draft.name},
        content = ${content && json(content)}, starts_at = ${startsAt(input, draft)},
        pace = ${paceOf(input, draft)}
      where account_id = ${accountId} and campaign_id = ${ref.campaignId}`;
    await judgeRecipients(tx, { ...ref, tokenId }, needed);
    await announce(tx, ref);
    return readCampaign(tx, ref);
  });
  deps.onStored();
  return changed;
}

type Update = InputOf<typeof updateCampaign>;
type Before = Pick<StoredCampaign, 'starts_at' | 'pace'>;

const startsAt = ({ starts_at: at }: Update, before: Before): Date | null =>
  at === undefined ? before.starts_at : at === 'now' ? null : new Date(at);

const paceOf = ({ pace }: Update, before: Before): number | null =>
  pace === undefined ? before.pace : pace === 'token' ? null : pace;

type ContentFile = Extract<CampaignContent, { type: 'file' }>['file'];

/** The file of the account's that the upload of a content becomes; undefined where it names none. */
async function adoptedFile(
  { adopt }: CampaignDeps,
  { accountId, userId }: Person,
  content: CampaignContentInput | undefined,
): Promise<ContentFile | undefined> {
  if (content?.type !== 'file' || content.upload === undefined) return undefined;
  const facts = await adopt({ accountId, userId, uploadId: content.upload });
  const { fileId, name, sizeBytes: size } = facts;
  return { id: publicId('media', fileId), as: messageTypeOfFile(facts), name, size };
}

/** A content as it is stored. @param file what its upload has become */
function contentFrom(
  given: CampaignContentInput,
  { file, before }: { file: ContentFile | undefined; before: CampaignContent | null },
): CampaignContent {
  if (given.type !== 'file') return given;
  const kept = given.keep === true && before?.type === 'file' ? before.file : undefined;
  const chosen = file ?? kept;
  if (chosen === undefined) throw invalidContent('Pilih berkasnya.');
  const caption =
    given.caption === undefined || given.caption === '' ? {} : { caption: given.caption };
  return { type: 'file', file: chosen, ...caption };
}

/** The columns, by their place from 1, that a content cannot do without. */
function placesNeeded(content: CampaignContent, columns: readonly string[]): number[] {
  const places = new Map(columns.map((name, index) => [variableKey(name), index + 1]));
  return contentVariables(content).flatMap(({ key, needed }) => {
    const place = places.get(key);
    if (place === undefined && needed)
      throw invalidContent(
        `Tidak ada kolom "${key}" di daftar penerima. Pakai salah satu kolomnya, atau beri pengganti: {${key}|…}.`,
      );
    return needed && place !== undefined ? [place] : [];
  });
}

const invalidContent = (sentence: string) =>
  new Refusal('input_invalid', { fields: { content: sentence } });

/** Deletes a draft, or what is over, with its list. @throws Refusal `campaign_state` while it is under way */
export async function deleteCampaignOf(
  { sql, onStored }: CampaignDeps,
  ref: CampaignRef,
): Promise<void> {
  const { accountId, campaignId } = ref;
  await asAccount(sql, accountId, async (tx) => {
    const { status } = await lockCampaign(tx, ref);
    if (status === 'running' || status === 'paused') throw new Refusal('campaign_state', {});
    await tx`
      delete from campaigns where account_id = ${accountId} and campaign_id = ${campaignId}`;
    await announce(tx, ref);
  });
  onStored();
}
