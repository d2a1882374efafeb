import { publicId } from '#contract/base/ids.ts';
import { type HomeSummary, type MessageStatus, homeSummary } from '#contract/messages.ts';
import { type StatusCounts, countedStatuses, figuresOf } from '#contract/messages/counts.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { civilDate } from '#contract/base/time.ts';
import type { ChannelName, TokenStatus } from '#contract/tokens.ts';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { needsReview } from '#server/domains/tokens/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { unreadOf } from '#server/domains/messages/conversations.ts';
import { isOptInOutKeyword } from '#server/domains/messages/dispatch/inbound.ts';
import { allCounts, countsBySpan } from './counts.ts';
import { daysAfter, idsWhere, readAsAccount } from './pages.ts';
import { messageRow, readMessages } from './rows.ts';

type WebhookTroubles = (
  tx: Tx,
  accountId: string,
  now: Date,
) => Promise<readonly { token_id: string; why: 'unconfirmed' | 'gone' | 'failing' | 'erring' }[]>;

type PausedCampaigns = (
  tx: Tx,
  accountId: string,
) => Promise<readonly { campaign_id: string; name: string; waiting: number }[]>;

type UnpaidPlan = (tx: Tx, accountId: string) => Promise<HomeSummary['unpaid_plan']>;

/** The campaigns of messages, by the messages' references. */
type CampaignsOfRefs = (
  tx: Tx,
  accountId: string,
  refs: readonly string[],
) => Promise<ReadonlyMap<string, NonNullable<NewestRow['campaign']>>>;

type NewestRow = HomeSummary['newest'][number];

/** The reports of other domains on Beranda. */
type Reports = {
  webhookTroubles: WebhookTroubles;
  pausedCampaigns: PausedCampaigns;
  unpaidPlan: UnpaidPlan;
  campaignsOfRefs: CampaignsOfRefs;
};

export type HomeDeps = Reports & { sql: Sql; now: () => Date };

export const homeActs = ({ sql, now, ...reports }: HomeDeps): readonly ActHandler[] => [
  handle(homeSummary, ({ caller }) => summaryOf(sql, caller.accountId, now(), reports)),
];

const DAYS = 30;
/** A token needs attention when this share of its daily limit is used. */
const LIMIT_NEAR = 0.9;

/** All data of the home page, at one instant. A missing report is left out. */
export function summaryOf(
  sql: Sql,
  accountId: string,
  now: Date,
  {
    webhookTroubles = none,
    pausedCampaigns = none,
    unpaidPlan = async () => null,
    campaignsOfRefs = async () => new Map(),
  }: Partial<Reports> = {},
): Promise<HomeSummary> {
  const today = civilDate(now);
  return readAsAccount(sql, accountId, async (tx) => {
    const [
      saldo,
      welcome_bonus,
      checklist,
      unread,
      days,
      tokens,
      troubles,
      paused,
      unpaid_plan,
      newest,
    ] = await Promise.all([
      saldoOf(tx, accountId),
      bonusOf(tx, accountId),
      checklistOf(tx, accountId),
      unreadOf(tx, accountId),
      daysOf(tx, accountId, today),
      tokensOf(tx, accountId, today),
      webhookTroubles(tx, accountId, now),
      pausedCampaigns(tx, accountId),
      unpaidPlan(tx, accountId),
      newestOf(tx, accountId, campaignsOfRefs),
    ]);
    const first = tokens.find(({ status }) => status === 'linked') ?? tokens[0];
    const dayOf = (date: string) => {
      const { date: _, ...figures } = days.find((day) => day.date === date) ?? dayWith(date, {});
      return figures;
    };
    return {
      saldo,
      welcome_bonus,
      checklist,
      channel: first?.channel ?? null,
      unread,
      today: dayOf(today),
      yesterday: dayOf(daysAfter(today, -1)),
      days,
      attention: attentionOf(tokens, troubles, today),
      unpaid_plan,
      paused: paused.map(({ campaign_id, name, waiting }) => ({
        id: publicId('campaign', campaign_id),
        name,
        waiting,
      })),
      newest,
    };
  });
}

const none = async (): Promise<[]> => [];

async function saldoOf(tx: Tx, accountId: string): Promise<HomeSummary['saldo']> {
  const [wallet] = await tx<{ available: number; held: number }[]>`
    select available, held from wallets where account_id = ${accountId}`;
  return { available: rupiah(wallet?.available ?? 0), held: rupiah(wallet?.held ?? 0) };
}

async function bonusOf(tx: Tx, accountId: string): Promise<Rupiah> {
  const [given] = await tx<{ bonus: number }[]>`
    select coalesce(sum(d_available), 0)::bigint as bonus from wallet_entries
    where account_id = ${accountId} and kind = 'bonus'`;
  return rupiah(given?.bonus ?? 0);
}

/** Rows scanned for one page, which limits how many STOP replies and messages of one campaign are skipped. */
const SCAN_MAX = 5 * PAGE_SIZE;

async function newestOf(
  tx: Tx,
  accountId: string,
  campaignsOfRefs: CampaignsOfRefs,
): Promise<NewestRow[]> {
  const newest = { accountId, filter: {}, order: 'newest', offset: 0, limit: SCAN_MAX } as const;
  const ids = idsWhere(tx, newest, tx``);
  const found = await readMessages(tx, { accountId, ids, order: 'newest' });
  const refs = found.flatMap(({ ref }) => ref ?? []);
  const campaigns = await campaignsOfRefs(tx, accountId, refs);
  const shown = new Set<string>();
  return found
    .map((stored) => ({ ...messageRow(stored), campaign: campaigns.get(stored.ref ?? '') ?? null }))
    .filter(({ direction, type, excerpt, campaign }) => {
      if (campaign && shown.has(campaign.id)) return false;
      if (campaign) shown.add(campaign.id);
      return direction === 'out' || type !== 'text' || !isOptInOutKeyword(excerpt);
    })
    .slice(0, PAGE_SIZE);
}

async function checklistOf(tx: Tx, accountId: string): Promise<HomeSummary['checklist']> {
  const [done] = await tx<HomeSummary['checklist'][]>`
    select
      exists (
        select 1 from wallet_entries where account_id = ${accountId} and kind = 'topup'
      ) as topped_up,
      exists (
        select 1 from tokens
        where account_id = ${accountId} and not is_system and deleted_at is null
      ) as has_token,
      exists (
        select 1 from tokens
        where account_id = ${accountId} and not is_system
          and (status in ('linked', 'disconnected') or phone is not null)
      ) as linked,
      (
        select coalesce(sum(messages), 0) > 0 from ${allCounts(tx, accountId)} c
        where direction = 'out' and status = any(${[...countedStatuses.sent]}::text[])
      ) as sent`;
  return done ?? { topped_up: false, has_token: false, linked: false, sent: false };
}

type Day = HomeSummary['days'][number];

function dayWith(date: string, counts: StatusCounts): Day {
  const { accepted, waiting, sent, delivered, read, failed, received } = figuresOf(counts);
  return { date, accepted, waiting, sent, delivered, read, failed, received };
}

async function daysOf(tx: Tx, accountId: string, today: string): Promise<Day[]> {
  const first = daysAfter(today, 1 - DAYS);
  const counts = await tx<{ day: string; status: MessageStatus; messages: number }[]>`
    select since as day, status, sum(messages)::bigint as messages
    from ${countsBySpan(tx, 'day', { accountId, from: first, before: daysAfter(today, 1) })} c
    group by since, status`;
  const byDay = Map.groupBy(counts, ({ day }) => day);
  return Array.from({ length: DAYS }, (_, n) => {
    const date = daysAfter(first, n);
    const counted = byDay.get(date) ?? [];
    return dayWith(date, Object.fromEntries(counted.map((one) => [one.status, one.messages])));
  });
}

type StoredToken = {
  token_id: string;
  name: string;
  status: TokenStatus;
  channel: ChannelName;
  daily_limit: number;
  accepted: number;
  needs_review: boolean;
  expires_on: string | null;
};

const tokensOf = (tx: Tx, accountId: string, today: string): Promise<StoredToken[]> =>
  tx<StoredToken[]>`
    select t.token_id, t.name, t.status, t.channel, t.daily_limit, coalesce(l.accepted, 0) as accepted,
      coalesce(${needsReview(tx)}, false) as needs_review,
      to_char(t.expires_on, 'YYYY-MM-DD') as expires_on
    from tokens t
    join accounts a on a.account_id = t.account_id
    left join lanes l
      on l.account_id = t.account_id and l.token_id = t.token_id and l.day = ${today}
    where t.account_id = ${accountId} and not t.is_system and t.deleted_at is null
    order by t.token_id`;

function attentionOf(
  tokens: readonly StoredToken[],
  webhooks: Awaited<ReturnType<WebhookTroubles>>,
  today: string,
): HomeSummary['attention'] {
  const troubles = new Map(webhooks.map(({ token_id, why }) => [token_id, why]));
  return tokens.flatMap((token) => {
    const { token_id, name, status, channel } = token;
    const why = troubles.get(token_id);
    const reasons = [reasonOf(token, today), why && (`webhook_${why}` as const)];
    return reasons
      .filter((reason) => reason !== undefined)
      .map((reason) => ({ token_id: publicId('token', token_id), name, status, channel, reason }));
  });
}

type Reason = HomeSummary['attention'][number]['reason'];

const EXPIRES_SOON_DAYS = 7;

function reasonOf(
  { status, accepted, daily_limit, needs_review, expires_on }: StoredToken,
  today: string,
): Reason | undefined {
  if (needs_review) return 'under_review';
  if (expires_on !== null && expires_on < today) return 'expired';
  const soon = expires_on !== null && expires_on <= daysAfter(today, EXPIRES_SOON_DAYS);
  if (soon && status === 'linked') return 'expires_soon';
  switch (status) {
    case 'suspended':
    case 'disconnected':
      return status;
    case 'linked':
      return accepted >= daily_limit * LIMIT_NEAR ? 'limit_near' : undefined;
    default:
      return 'not_linked';
  }
}
