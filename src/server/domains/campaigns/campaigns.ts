import { PAGE_SIZE, type InputOf, type PageOf } from '#contract/base/act.ts';
import * as contract from '#contract/campaigns.ts';
import type { Campaign, CampaignStatus } from '#contract/campaigns.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type Fragment, type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import type { CampaignDeps } from './deps.ts';
import {
  resumeCampaignOf,
  startDraft,
  stopCampaign,
  changeDraft,
  createDraft,
  deleteCampaignOf,
} from './manage.ts';
import { recipientsPage } from './recipients/page.ts';
import { type StoredCampaign, campaignOf, isOpen, readCampaign, readCampaigns } from './row.ts';
import { REF_PREFIX, campaignOfRef } from './work/refs.ts';
import { type CampaignWorker, startCampaignWorker } from './work/worker.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import {
  type AccountData,
  type AccountDataDeps,
  eraseRows,
  inPages,
} from '#server/infra/account-data.ts';

export const campaignsAccountData = ({ sql, allAccountsSql }: AccountDataDeps): AccountData => ({
  subjects: (accountId) => [
    { name: 'kiriman-massal', rows: () => campaignsOf(sql, accountId) },
    { name: 'penerima-kiriman-massal', rows: () => recipientsOf(sql, accountId) },
  ],
  erase: async ({ accountId }) => {
    await eraseRows(allAccountsSql, 'campaign_recipients', accountId);
    await eraseRows(allAccountsSql, 'campaigns', accountId);
    await eraseRows(allAccountsSql, 'campaign_cursors', accountId);
  },
});

/** The newest campaigns that paused by themselves and wait to be resumed. */
export const pausedCampaigns = (
  tx: Tx,
  accountId: string,
): Promise<{ campaign_id: string; name: string; waiting: number }[]> =>
  tx<{ campaign_id: string; name: string; waiting: number }[]>`
    select campaign_id, name, waiting from campaigns
    where account_id = ${accountId} and status = 'paused' and becoming is null
      and pause_reason <> 'wanted'
    order by created_at desc, campaign_id desc limit 3`;

/** The campaigns whose messages have these references, by their public ids; `messages` were accepted. */
export async function campaignsOfRefs(
  tx: Tx,
  accountId: string,
  refs: readonly string[],
): Promise<ReadonlyMap<string, { id: string; name: string; messages: number }>> {
  const publicIds = new Set(refs.filter((ref) => ref.startsWith(REF_PREFIX)).map(campaignOfRef));
  const ids = [...publicIds].map((id) => uuidOf('campaign', id)).filter((id) => id !== undefined);
  if (ids.length === 0) return new Map();
  const found = await tx<{ campaign_id: string; name: string; messages: number }[]>`
    select campaign_id, name, placed as messages from campaigns
    where account_id = ${accountId} and campaign_id = any(${ids}::uuid[])`;
  const campaigns = found.map(({ campaign_id, ...rest }) => ({
    id: publicId('campaign', campaign_id),
    ...rest,
  }));
  const byId = new Map(campaigns.map((one) => [one.id, one]));
  const byRef = new Map<string, (typeof campaigns)[number]>();
  for (const ref of refs) {
    const campaign = byId.get(campaignOfRef(ref));
    if (campaign) byRef.set(ref, campaign);
  }
  return byRef;
}

type CampaignRow = { campaign_id: string; name: string; status: string; content: unknown };

async function* campaignsOf(sql: Sql, accountId: string) {
  const rows = inPages<CampaignRow>(
    { sql, accountId },
    (tx, last, limit) => tx<CampaignRow[]>`
      select campaign_id, name, status, content, number_column, columns, starts_at, pace, waiting, placed, refused,
        cancelled, created_at, started_at, ended_at
      from campaigns
      where account_id = ${accountId}
        and campaign_id > ${last?.campaign_id ?? '00000000-0000-0000-0000-000000000000'}
      order by campaign_id limit ${limit}`,
  );
  for await (const { campaign_id, ...row } of rows) {
    yield { id: publicId('campaign', campaign_id), ...row };
  }
}

type RecipientRow = {
  campaign_id: string;
  place: number;
  peer: string | null;
  message_id: string | null;
};

async function* recipientsOf(sql: Sql, accountId: string) {
  const rows = inPages<RecipientRow>(
    { sql, accountId },
    (tx, last, limit) => tx<RecipientRow[]>`
      select campaign_id, place, written, peer, cells, state, message_id
      from campaign_recipients
      where account_id = ${accountId} and (campaign_id, place) > (
        ${last?.campaign_id ?? '00000000-0000-0000-0000-000000000000'}::uuid, ${last?.place ?? 0}
      )
      order by campaign_id, place limit ${limit}`,
  );
  for await (const { campaign_id, message_id, peer, ...row } of rows) {
    yield {
      campaign: publicId('campaign', campaign_id),
      ...row,
      peer: peer && shownPeer(peer),
      message: message_id && publicId('message', message_id),
    };
  }
}

export type { CampaignDeps } from './deps.ts';
export { pauseRestored } from './manage.ts';
export { campaignResults } from './recipients/results.ts';
export type { CampaignWorker } from './work/worker.ts';

export type Campaigns = {
  acts: readonly ActHandler[];
  /** Calls a listener after each COMMIT that wrote to the outbox. */
  onNews: (listener: () => void) => void;
  start: () => CampaignWorker;
};

/** Opens campaigns: drafts with their lists, and the worker that sends started ones. */
export function openCampaigns(given: Omit<CampaignDeps, 'onStored'>): Campaigns {
  let wake = () => undefined as void;
  const listeners: (() => void)[] = [];
  const onStored = () => {
    for (const listener of listeners) listener();
  };
  const deps: CampaignDeps = { ...given, onStored };
  const shown = (stored: StoredCampaign) => campaignOf(stored, perMinute(deps.pacePerSecond()));
  const changeAndWake = async (change: Promise<StoredCampaign>) => {
    const stored = await change;
    wake();
    return shown(stored);
  };
  return {
    acts: [
      handle(contract.listCampaigns, ({ caller }, input) =>
        campaignsPage(deps.sql, { accountId: caller.accountId, shown }, input),
      ),
      handle(contract.getCampaign, async ({ caller: { accountId } }, { campaign_id: campaignId }) =>
        shown(
          await asAccount(deps.sql, accountId, (tx) => readCampaign(tx, { accountId, campaignId })),
        ),
      ),
      handle(contract.listRecipients, ({ caller }, input) =>
        recipientsPage(deps.sql, caller.accountId, input),
      ),
      handle(contract.createCampaign, async ({ caller, key }, input) =>
        shown(await createDraft(deps, caller, { ...input, campaignId: key })),
      ),
      handle(contract.updateCampaign, async ({ caller }, input) =>
        shown(await changeDraft(deps, caller, input)),
      ),
      handle(contract.startCampaign, ({ caller: { accountId } }, { campaign_id: campaignId }) =>
        changeAndWake(startDraft(deps, { accountId, campaignId })),
      ),
      handle(contract.pauseCampaign, ({ caller: { accountId } }, { campaign_id: campaignId }) =>
        changeAndWake(stopCampaign(deps, { accountId, campaignId }, 'paused')),
      ),
      handle(contract.resumeCampaign, ({ caller: { accountId } }, { campaign_id: campaignId }) =>
        changeAndWake(resumeCampaignOf(deps, { accountId, campaignId })),
      ),
      handle(contract.cancelCampaign, ({ caller: { accountId } }, { campaign_id: campaignId }) =>
        changeAndWake(stopCampaign(deps, { accountId, campaignId }, 'cancelled')),
      ),
      handle(
        contract.deleteCampaign,
        async ({ caller: { accountId } }, { campaign_id: campaignId }) => {
          await deleteCampaignOf(deps, { accountId, campaignId });
          return {};
        },
      ),
    ],
    onNews: (listener) => void listeners.push(listener),
    start: () => {
      const worker = startCampaignWorker(deps);
      wake = worker.wake;
      return worker;
    },
  };
}

const perMinute = (perSecond: number): number | null =>
  perSecond === 0 ? null : Math.max(1, Math.floor(perSecond * 60));

type Asking = { accountId: string; shown: (stored: StoredCampaign) => Campaign };

const hasStatus = (tx: Tx, status: CampaignStatus | 'open'): Fragment =>
  status === 'open' ? isOpen(tx) : tx`c.status = ${status}`;

function campaignsPage(
  sql: Sql,
  { accountId, shown }: Asking,
  { page = 0, sort_type, status }: InputOf<typeof contract.listCampaigns>,
): Promise<PageOf<Campaign>> {
  return asAccount(sql, accountId, async (tx) => {
    const stateFilter = status === undefined ? tx`` : tx`and ${hasStatus(tx, status)}`;
    const [counted] = await tx<{ total: number }[]>`
      select count(*)::int as total from campaigns c where c.account_id = ${accountId} ${stateFilter}`;
    const order = sort_type === 'asc' ? tx`asc` : tx`desc`;
    const stored = await readCampaigns(
      tx,
      accountId,
      tx`${stateFilter} order by c.created_at ${order}, c.campaign_id ${order}
        offset ${page * PAGE_SIZE} limit ${PAGE_SIZE}`,
    );
    return { rows: stored.map(shown), total: counted?.total ?? 0 };
  });
}
