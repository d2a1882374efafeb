import { shownPeer } from '#contract/messages/peer.ts';
import { recipientStateLabel } from '#contract/campaigns.ts';
import {
  type StoredCampaign,
  readCampaign,
  readCampaigns,
  recipientStates,
} from '#server/domains/campaigns/row.ts';
import { outcomeCellsOf, outcomeColumns, shownNamesOf } from '#server/domains/messages/messages.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import type { RowSource } from '#server/infra/sheets/row-source.ts';
import type { Cell } from '#server/infra/sheets/table.ts';
import { type StoredRecipient, peersOf, reasonOf } from './page.ts';

type Params = { campaign_id: string };

/** Few, because buffered rows grow the process (`messages/export.ts`). */
const PAGE_ROWS = 25;

export const campaignResults = (sql: Sql): RowSource<Params> => ({
  fileName: 'hasil-kiriman-kabari',
  check: async (accountId, { campaign_id: campaignId }) => {
    await asAccount(sql, accountId, (tx) => readCampaign(tx, { accountId, campaignId }));
  },
  open: async ({ sql, accountId, params: { campaign_id: campaignId }, zoneName }) => {
    const [campaign] = await asAccount(sql, accountId, (tx) =>
      readCampaigns(tx, accountId, tx`and c.campaign_id = ${campaignId}`),
    );
    if (!campaign) return { columns: [], total: 0, batches: async function* () {} };
    const outcomes = outcomeColumns(zoneName);
    return {
      columns: [
        { title: 'Baris', width: 8 },
        { title: 'Nomor tertulis', width: 20 },
        { title: 'Nomor', width: 18 },
        { title: 'Nama kontak', width: 22 },
        ...campaign.columns.map((title) => ({ title, width: 20 })),
        { title: 'Keadaan', width: 20 },
        { title: 'Alasan ditolak', width: 40 },
        ...outcomes,
      ],
      total: recipientStates.reduce((sum, state) => sum + campaign[state], 0),
      batches: () => pagesOf(sql, { accountId, campaign, outcomes: outcomes.length }),
    };
  },
});

type Reading = {
  accountId: string;
  campaign: StoredCampaign;
  outcomes: number;
};

async function* pagesOf(sql: Sql, { accountId, campaign, outcomes }: Reading) {
  const emptyCells: Cell[] = Array.from({ length: outcomes }, () => null);
  let last = 0;
  for (;;) {
    const page = await asAccount(sql, accountId, async (tx) => {
      const stored = await tx<StoredRecipient[]>`
        select place, written, peer, cells, state, message_id, refusal from campaign_recipients
        where account_id = ${accountId} and campaign_id = ${campaign.campaign_id} and place > ${last}
        order by place limit ${PAGE_ROWS}`;
      const ids = stored.flatMap(({ message_id }) => message_id ?? []);
      const names = await shownNamesOf(tx, accountId, peersOf(campaign, stored));
      const outcomeCells = await outcomeCellsOf(tx, accountId, ids);
      const rows = stored.map((one, nth): Cell[] => [
        one.place,
        one.written,
        one.peer && shownPeer(one.peer),
        names[nth] ?? null,
        ...campaign.columns.map((_, at) => one.cells[at] ?? null),
        recipientStateLabel[one.state],
        reasonOf(one.refusal),
        ...((one.message_id !== null && outcomeCells.get(one.message_id)) || emptyCells),
      ]);
      return { rows, last: stored.at(-1)?.place ?? last };
    });
    last = page.last;
    yield { rows: page.rows, looked: page.rows.length };
    if (page.rows.length < PAGE_ROWS) return;
  }
}
