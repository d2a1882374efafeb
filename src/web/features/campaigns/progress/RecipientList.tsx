import { useMemo } from 'react';
import {
  type Campaign,
  type CampaignRecipient,
  listRecipients,
  RecipientState,
} from '#contract/campaigns.ts';
import { failureCause } from '#contract/messages/failures.ts';
import { formatNumber } from '#contract/base/money.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import {
  invalidReason,
  leftOutWords,
  recipientTone,
  recipientWords,
} from '#web/features/campaigns/labels.ts';
import { isUnderWay } from '#web/features/campaigns/queries.ts';
import styles from '#web/features/campaigns/campaigns.module.css';
import { PeerName, StatusMark } from '#web/features/messages/messages.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { classes } from '#web/ui/classes.ts';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';

const EVERY_MS = 3_000;

const columnsOf = (
  names: readonly string[],
  status: Campaign['status'],
): readonly Column<CampaignRecipient>[] => [
  {
    id: 'place',
    title: 'No.',
    width: 64,
    sortable: true,
    whole: true,
    phone: 'hidden',
    cell: ({ place }) => <span className="num">{formatNumber(place)}</span>,
  },
  {
    id: 'peer',
    title: 'Nomor',
    width: 190,
    whole: true,
    phone: 'title',
    cell: ({ peer, peer_name, written, values }) =>
      peer === null ? (
        <bdi>{written || '(kosong)'}</bdi>
      ) : (
        <PeerName
          peer={peer}
          // Not beside the same name of the list.
          name={peer_name !== null && values.includes(peer_name) ? null : peer_name}
        />
      ),
  },
  ...names.slice(0, 3).map((name, index): Column<CampaignRecipient> => ({
    id: `column-${index}`,
    title: name,
    width: 150,
    phone: index === 0 ? 'line' : 'fact',
    cell: ({ values }) => <bdi>{values[index]}</bdi>,
  })),
  {
    id: 'state',
    title: 'Status',
    width: 240,
    phone: 'note',
    cell: (recipient) => <State recipient={recipient} status={status} />,
  },
];

type StateProps = { recipient: CampaignRecipient } & Pick<Campaign, 'status'>;

function State({ recipient: { state, reason, message, written }, status }: StateProps) {
  const why =
    reason ??
    (state === 'invalid' ? invalidReason(written) : undefined) ??
    (message?.failure ? failureCause(message.failure) : undefined);
  return (
    <span className={classes('grid justify-items-start gap-4 min-w-0', styles['state'])}>
      {message ? (
        <StatusMark status={message.status} />
      ) : (
        <StatusChip tone={recipientTone[state]}>{recipientWords(state, { status })}</StatusChip>
      )}
      {why !== undefined && <span className="small faint regular">{why}</span>}
    </span>
  );
}

/** The recipients in list order, all or those of one state; page and state are in the address. */
export function RecipientList({ campaign }: { campaign: Campaign }) {
  const { state: asked } = useSearch('/message-history/kiriman');
  const { recipients } = campaign;
  const known = RecipientState().safeParse(asked);
  const state = known.success ? known.data : undefined;
  const shown = useMemo(
    () => columnsOf(campaign.columns, campaign.status),
    [campaign.columns, campaign.status],
  );
  const { view, onView } = useAddressView('/message-history/kiriman', {
    sorts: ['place'],
    order: 'asc',
  });
  const list = useList(listRecipients, { campaign_id: campaign.id, state }, view, {
    ...(isUnderWay(campaign) && { everyMs: EVERY_MS }),
  });
  const left = leftOutWords(recipients);
  const states = RecipientState().options.filter((one) => recipients[one] > 0);
  const choose = (next: string) =>
    void navigate({
      to: '/message-history/kiriman',
      change: { state: next || undefined, page: undefined },
      replace: true,
      resetScroll: false,
    });
  return (
    <div className="stack gap-16">
      {left !== '' && <p className="small faint regular">{left}</p>}
      <div className="max-w-280">
        <Select
          label="Status"
          hideLabel
          options={[
            { value: '', label: `Semua (${formatNumber(recipients.total)})` },
            ...states.map((one) => ({
              value: one,
              label: `${recipientWords(one, campaign)} (${formatNumber(recipients[one])})`,
            })),
          ]}
          value={state ?? ''}
          onChange={({ target }) => choose(target.value)}
        />
      </div>
      <DataTable
        {...list.table}
        caption="Penerima, menurut urutan daftarnya"
        columns={shown}
        rowKey={({ place }) => String(place)}
        onView={onView}
        empty={<NoRows list={list} onReset={state !== undefined && (() => choose(''))} />}
      />
    </div>
  );
}
