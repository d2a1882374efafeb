import { publicId } from '#contract/base/ids.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import {
  type CampaignRef,
  type StoredCampaign,
  isOpen,
  notFound,
  readCampaign,
  readCampaigns,
} from '#server/domains/campaigns/row.ts';
import { type Tx, asAccount, type Sql } from '#server/infra/postgres/database.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { startCounting } from '#server/domains/campaigns/work/count.ts';
import type { CampaignDeps } from '#server/domains/campaigns/deps.ts';
import type { InputOf } from '#contract/base/act.ts';
import {
  OPEN_CAMPAIGNS_MAX,
  type createCampaign,
  type updateCampaign,
  type CampaignContent,
  type CampaignContentInput,
  contentVariables,
  variableKey,
} from '#contract/campaigns.ts';
import { messageTypeOfFile } from '#server/domains/messages/messages.ts';
import { requireToken } from '#server/domains/tokens/tokens.ts';
import { readList } from '#server/domains/campaigns/recipients/read-list.ts';
import {
  judgeRecipients,
  storeRecipients,
  swapNumberColumn,
  withKnownPeers,
} from '#server/domains/campaigns/recipients/store.ts';
import { json } from '#server/infra/postgres/sql.ts';

export type LockedCampaign = Pick<
  StoredCampaign,
  | 'token_id'
  | 'name'
  | 'status'
  | 'becoming'
  | 'content'
  | 'number_column'
  | 'columns'
  | 'starts_at'
  | 'pace'
  | 'waiting'
  | 'placed'
>;

/** Reads a campaign and locks it until the transaction ends. @throws Refusal `not_found` */
export async function lockCampaign(
  tx: Tx,
  { accountId, campaignId }: CampaignRef,
): Promise<LockedCampaign> {
  const [row] = await tx<LockedCampaign[]>`
    select token_id, name, status, becoming, content, number_column, columns, starts_at, pace,
      waiting, placed
    from campaigns where account_id = ${accountId} and campaign_id = ${campaignId} for update`;
  if (!row) throw notFound();
  return row;
}

export const announce = (tx: Tx, { accountId, campaignId }: CampaignRef): Promise<void> =>
  appendEvent(tx, {
    accountId,
    kind: 'campaign.changed',
    data: { campaign_id: publicId('campaign', campaignId) },
  });

/**
 * Starts a draft: the worker sends it from now on, or from its scheduled time.
 *
 * @throws Refusal `campaign_state` if it was started already; `campaign_incomplete`; `token_not_linked` while its token
 *   has no number to send with
 */
export const startDraft = (deps: CampaignDeps, ref: CampaignRef): Promise<StoredCampaign> =>
  changed(deps, ref, async (tx) => {
    const { accountId, campaignId } = ref;
    const draft = await lockCampaign(tx, ref);
    if (draft.status !== 'draft') throw new Refusal('campaign_state', {});
    if (draft.content === null) throw new Refusal('campaign_incomplete', { missing: 'content' });
    if (draft.waiting === 0) throw new Refusal('campaign_incomplete', { missing: 'recipients' });
    const { token } = await readCampaign(tx, ref);
    const isAble = token.status === 'linked' || token.status === 'disconnected';
    if (!isAble || token.isDeleted) throw new Refusal('token_not_linked', {});
    await startCounting(tx, accountId);
    await tx`
      update campaigns set status = 'running', started_at = ${deps.now()}
      where account_id = ${accountId} and campaign_id = ${campaignId}`;
  });

/** Pauses or cancels a campaign; the worker takes back messages that have not left. */
export const stopCampaign = (
  deps: CampaignDeps,
  ref: CampaignRef,
  becoming: 'paused' | 'cancelled',
): Promise<StoredCampaign> =>
  changed(deps, ref, async (tx) => {
    const { accountId, campaignId } = ref;
    const { status, becoming: already } = await lockCampaign(tx, ref);
    if (already === becoming || (already === 'cancelled' && becoming === 'paused')) return;
    const isUnderWay = status === 'running' || (status === 'paused' && becoming === 'cancelled');
    if (!isUnderWay) throw new Refusal('campaign_state', {});
    await tx`
      update campaigns set becoming = ${becoming}
      where account_id = ${accountId} and campaign_id = ${campaignId}`;
  });

export const resumeCampaignOf = (deps: CampaignDeps, ref: CampaignRef): Promise<StoredCampaign> =>
  changed(deps, ref, async (tx) => {
    const { accountId, campaignId } = ref;
    const { status, becoming } = await lockCampaign(tx, ref);
    if (status !== 'paused' || becoming !== null) throw new Refusal('campaign_state', {});
    await tx`
      update campaigns set status = 'running', pause_reason = null, rests_until = null
      where account_id = ${accountId} and campaign_id = ${campaignId}`;
  });

async function changed(
  { sql, onStored }: CampaignDeps,
  ref: CampaignRef,
  work: (tx: Tx) => Promise<void>,
): Promise<StoredCampaign> {
  const stored = await asAccount(sql, ref.accountId, async (tx) => {
    await work(tx);
    await announce(tx, ref);
    return readCampaign(tx, ref);
  });
  onStored();
  return stored;
}

type Person = { accountId: string; userId: string };

type NewDraft = InputOf<typeof createCampaign> & { campaignId: string };

/**
 * Creates a draft from an uploaded list and deletes the upload. A repeat with the same key, or with another key for the
 * same upload, returns the same draft.
 */
export async function createDraft(
  deps: CampaignDeps,
  person: Person,
  input: NewDraft,
): Promise<StoredCampaign> {
  const { accountId } = person;
  const findMade = async () =>
    (await asAccount(deps.sql, accountId, (tx) => draftsMade(tx, accountId, input)))[0];
  const made = (await findMade()) ?? (await storeDraft(deps, person, input, findMade));
  if (made.campaign_id === input.campaignId || made.status !== 'draft') return made;
  if (made.name === input.name && made.token_id === input.token_id) return made;
  const { name, token_id } = input;
  return changeDraft(deps, person, { campaign_id: made.campaign_id, name, token_id });
}

const draftsMade = (tx: Tx, accountId: string, { campaignId, upload }: NewDraft) =>
  readCampaigns(tx, accountId, tx`and (c.campaign_id = ${campaignId} or c.upload_id = ${upload})`);

async function storeDraft(
  deps: CampaignDeps,
  { accountId, userId }: Person,
  input: NewDraft,
  findMade: () => Promise<StoredCampaign | undefined>,
): Promise<StoredCampaign> {
  const owner = { accountId, userId };
  const { campaignId } = input;
  let bytes: Uint8Array;
  try {
    ({ bytes } = await deps.uploads.read(owner, input.upload, 'recipients'));
  } catch (error) {
    // A concurrent call may have just used the upload.
    const made = await findMade();
    if (made) return made;
    throw error;
  }
  const { numberColumn, columns, recipients } = await readList(bytes, accountId);
  const stored = await asAccount(deps.sql, accountId, async (tx) => {
    // One call at a time: two would both find room for the last draft, and create two drafts from one upload.
    await tx`select pg_advisory_xact_lock(hashtextextended('campaigns ' || ${accountId}::text, 0))`;
    const [made] = await draftsMade(tx, accountId, input);
    if (made) return made;
    await requireToken(tx, accountId, input.token_id);
    await requireRoom(tx, accountId);
    await tx`
      insert into campaigns (
        account_id, campaign_id, token_id, created_by, name, status, number_column, columns,
        upload_id, created_at
      ) values (
        ${accountId}, ${campaignId}, ${input.token_id}, ${userId}, ${input.name}, 'draft',
        ${numberColumn}, ${columns}, ${input.upload}, ${deps.now()}
      )`;
    const resolved = await withKnownPeers(tx, accountId, recipients);
    await storeRecipients(tx, { accountId, campaignId }, { recipients: resolved, columns });
    await judgeRecipients(tx, { accountId, campaignId, tokenId: input.token_id }, []);
    await announce(tx, { accountId, campaignId });
    return readCampaign(tx, { accountId, campaignId });
  });
  // The draft does not need this; leftovers are deleted within a day. A repeat may have reverted the upload already.
  await deps.uploads.revert(owner, input.upload).catch((error: unknown) => {
    if (!(error instanceof Refusal)) deps.report(error);
  });
  deps.onStored();
  return stored;
}

async function requireRoom(tx: Tx, accountId: string): Promise<void> {
  const [open] = await tx<{ n: number }[]>`
    select count(*)::int as n from campaigns c where account_id = ${accountId} and ${isOpen(tx)}`;
  if ((open?.n ?? 0) >= OPEN_CAMPAIGNS_MAX)
    throw new Refusal('campaigns_full', { limit: OPEN_CAMPAIGNS_MAX });
}

/** Changes a draft and judges its recipients again. @throws Refusal `campaign_state` if started */
export async function changeDraft(
  deps: CampaignDeps,
  person: Person,
  input: InputOf<typeof updateCampaign>,
): Promise<StoredCampaign> {
  const { accountId } = person;
  const ref = { accountId, campaignId: input.campaign_id };
  const { status: before } = await asAccount(deps.sql, accountId, (tx) => readCampaign(tx, ref));
  // Checked before adopting the upload, so that a caller who is too late keeps it.
  if (before !== 'draft') throw new Refusal('campaign_state', {});
  const file = await adoptedFile(deps, person, input.content);
  const changed = await asAccount(deps.sql, accountId, async (tx) => {
    // Another tab may have written meanwhile: fields that are left out keep their current values.
    const { status, ...draft } = await lockCampaign(tx, ref);
    if (status !== 'draft') throw new Refusal('campaign_state', {});
    const content =
      input.content === undefined
        ? draft.content
        : contentFrom(input.content, { file, before: draft.content });
    const list = await selectNumberColumn(tx, { ...ref, ...draft, content }, input.number_column);
    const needed = content === null ? [] : requiredColumns(content, list.columns);
    const tokenId = input.token_id ?? draft.token_id;
    if (input.token_id !== undefined) await requireToken(tx, accountId, input.token_id);
    await tx`
      update campaigns set token_id = ${tokenId}, name = ${input.name ?? draft.name},
        content = ${content && json(content)}, number_column = ${list.number_column},
        columns = ${list.columns}, starts_at = ${startsAt(input, draft)},
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

type DraftList = Pick<StoredCampaign, 'number_column' | 'columns'>;

async function selectNumberColumn(
  tx: Tx,
  draft: CampaignRef & DraftList & Pick<StoredCampaign, 'content'>,
  name: string | undefined,
): Promise<DraftList> {
  const { number_column: before, columns, content } = draft;
  if (name === undefined || name === before) return draft;
  const at = columns.indexOf(name);
  if (at === -1) throw invalidNumberColumn('Kolom ini tidak ada di daftar penerima.');
  const isUsed =
    content !== null && contentVariables(content).some(({ key }) => key === variableKey(name));
  if (isUsed)
    throw invalidNumberColumn(
      `Isi pesan memakai {${name}}. Hapus variabel itu dan simpan drafnya, lalu pilih kolom ini.`,
    );
  await swapNumberColumn(tx, draft, at + 1);
  return { number_column: name, columns: columns.with(at, before) };
}

const invalidNumberColumn = (sentence: string) =>
  new Refusal('input_invalid', { fields: { number_column: sentence } });

type ContentFile = Extract<CampaignContent, { type: 'file' }>['file'];

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

function contentFrom(
  given: CampaignContentInput,
  { file, before }: { file: ContentFile | undefined; before: CampaignContent | null },
): CampaignContent {
  if (given.type !== 'file') return given;
  const previous = given.keep === true && before?.type === 'file' ? before.file : undefined;
  const selected = file ?? previous;
  if (selected === undefined) throw invalidContent('Pilih berkasnya.');
  const caption =
    given.caption === undefined || given.caption === '' ? {} : { caption: given.caption };
  return { type: 'file', file: selected, ...caption };
}

/** Positions, from 1, of the columns that a content requires. */
function requiredColumns(content: CampaignContent, columns: readonly string[]): number[] {
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

/** Deletes a draft or an ended campaign, with its list. @throws Refusal `campaign_state` while it runs or is paused */
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

/**
 * Pauses all running campaigns of a restored database, which would repeat messages accepted since the backup. Accounts
 * resume them. @returns the number of paused campaigns
 */
export async function pauseRestored(owner: Sql): Promise<number> {
  const { count } = await owner`
    update campaigns set status = 'paused', pause_reason = 'restored', owner = null
    where status = 'running'`;
  return count;
}
