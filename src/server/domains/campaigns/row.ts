import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type {
  Campaign,
  CampaignStatus,
  PauseReason,
  CampaignContent,
} from '#contract/campaigns.ts';
import { type StatusCounts, figuresOf } from '#contract/messages/counts.ts';
import { type NamedToken, namedTokens } from '#server/domains/tokens/tokens.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';

/** SQL condition: the campaign `c` is not over. */
export const isOpen = (tx: Tx): Fragment => tx`c.status not in ('done', 'cancelled')`;

/** Recipient states; each is a column of `campaigns` that counts them. */
export const recipientStates = [
  'waiting',
  'placed',
  'refused',
  'cancelled',
  'invalid',
  'duplicate',
  'opted_out',
  'incomplete',
] as const;

export type StoredCampaign = {
  account_id: string;
  campaign_id: string;
  token_id: string;
  token: NamedToken;
  name: string;
  status: CampaignStatus;
  becoming: 'paused' | 'cancelled' | null;
  pause_reason: PauseReason | null;
  rests_until: Date | null;
  content: CampaignContent | null;
  number_column: string;
  columns: string[];
  starts_at: Date | null;
  pace: number | null;
  /** Those taken back are among the cancelled ones. */
  messages: StatusCounts;
  taken_back: number;
  cost: number;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
} & Record<(typeof recipientStates)[number], number>;

export async function readCampaigns(
  sql: Sql | Tx,
  accountId: string,
  also: Fragment,
): Promise<StoredCampaign[]> {
  const rows = await sql<Omit<StoredCampaign, 'token'>[]>`
    select c.account_id, c.campaign_id, c.token_id, c.name, c.status, c.becoming, c.pause_reason,
      c.rests_until, c.content, c.number_column, c.columns, c.starts_at, c.pace, c.waiting, c.placed, c.refused,
      c.cancelled, c.invalid, c.duplicate, c.opted_out, c.incomplete, c.messages, c.taken_back, c.cost,
      c.created_at, c.started_at, c.ended_at
    from campaigns c where c.account_id = ${accountId} ${also}`;
  const tokens = await namedTokens(
    sql,
    accountId,
    rows.map(({ token_id }) => token_id),
  );
  return rows.map((row) => {
    const token = tokens.get(row.token_id);
    if (!token) throw new Error('a campaign has no token');
    return { ...row, token };
  });
}

export type CampaignRef = { accountId: string; campaignId: string };

/** @throws Refusal `not_found` */
export async function readCampaign(
  sql: Sql | Tx,
  { accountId, campaignId }: CampaignRef,
): Promise<StoredCampaign> {
  const [stored] = await readCampaigns(sql, accountId, sql`and c.campaign_id = ${campaignId}`);
  if (!stored) throw notFound();
  return stored;
}

export const notFound = () => new Refusal('not_found', { what: 'Kiriman' });

/** A campaign as its account sees it. @param tokenPace messages a minute; null without a limit */
export const campaignOf = (stored: StoredCampaign, tokenPace: number | null): Campaign => ({
  id: publicId('campaign', stored.campaign_id),
  name: stored.name,
  token: {
    id: publicId('token', stored.token_id),
    name: stored.token.name,
    channel: stored.token.channel,
    status: stored.token.isDeleted ? 'unlinked' : stored.token.status,
  },
  status: stored.status,
  becoming: stored.becoming,
  pause_reason: stored.pause_reason,
  rests_until: stored.rests_until,
  content: stored.content,
  number_column: stored.number_column,
  columns: stored.columns,
  starts_at: stored.starts_at,
  pace: stored.pace,
  token_pace: tokenPace,
  recipients: {
    total: recipientStates.reduce((sum, state) => sum + stored[state], 0),
    waiting: stored.waiting,
    placed: stored.placed,
    refused: stored.refused,
    cancelled: stored.cancelled,
    invalid: stored.invalid,
    duplicate: stored.duplicate,
    opted_out: stored.opted_out,
    incomplete: stored.incomplete,
  },
  messages: messagesOf(stored),
  cost: rupiah(stored.cost),
  created_at: stored.created_at,
  started_at: stored.started_at,
  ended_at: stored.ended_at,
});

/** Counts lag by up to a second: messages taken back may not be counted as cancelled yet. */
function messagesOf({ messages, taken_back }: StoredCampaign): Campaign['messages'] {
  const { scheduled, waiting, sent, delivered, read, failed, cancelled, expired } =
    figuresOf(messages);
  return {
    waiting: scheduled + waiting,
    sent,
    delivered,
    read,
    failed,
    cancelled: Math.max(0, cancelled - taken_back),
    expired,
  };
}
