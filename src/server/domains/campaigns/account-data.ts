import { shownPeer } from '#contract/messages/peer.ts';
import { publicId } from '#contract/base/ids.ts';
import { type AccountData, eraseRows, inPages } from '#server/infra/account-data.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

type Deps = { sql: Sql; allAccountsSql: Sql };

/** Messages to many, and their lists of recipients. */
export const campaignsAccountData = ({ sql, allAccountsSql }: Deps): AccountData => ({
  subjects: (accountId) => [
    { name: 'kiriman-massal', rows: () => campaignsOf(sql, accountId) },
    { name: 'penerima-kiriman-massal', rows: () => recipientsOf(sql, accountId) },
  ],
  erase: async ({ accountId }) => {
    await eraseRows(allAccountsSql, 'campaign_recipients', accountId);
    await eraseRows(allAccountsSql, 'campaigns', accountId);
    await eraseRows(allAccountsSql, 'campaign_marks', accountId);
  },
});

type CampaignRow = { campaign_id: string; name: string; status: string; content: unknown };

async function* campaignsOf(sql: Sql, accountId: string) {
  const rows = inPages<CampaignRow>(
    { sql, accountId },
    (tx, last, limit) => tx<CampaignRow[]>`
      select campaign_id, name, status, content, columns, starts_at, pace, waiting, placed, refused,
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
