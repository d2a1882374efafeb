import { later } from '#web/browser/lazyComponent.ts';
import { TimeAgo } from '#web/ui/time/DateTime.tsx';
import { useQuery } from '@tanstack/react-query';
import { BookOpen, KeyRound, Unplug } from 'lucide-react';
import { Suspense } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { listTokens, tokenStatusLabel, type Token } from '#contract/tokens.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useList } from '#web/ui/table/list/useList.ts';
import { subscriptionQuery } from '#web/features/billing/billing.ts';
import { AddToken, FullReason, fullTokens } from '#web/features/tokens/AddToken.tsx';
import { ExpiryChip } from '#web/features/tokens/access/ExpiryChip.tsx';
import { ReviewChip } from '#web/features/tokens/drawer/TokenReview.tsx';
import { TokenDrawer } from '#web/features/tokens/drawer/TokenDrawer.tsx';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { TokenTabs } from '#web/features/tokens/TokenTabs.tsx';
import { channelLabel, statusTone } from '#web/features/tokens/labels.ts';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { ListSkeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';

const CreateToken = later(() => import('#web/features/tokens/CreateToken.tsx'));
const RejectedCalls = later(() => import('#web/features/tokens/rejected/RejectedCalls.tsx'));

const columns: readonly Column<Token>[] = [
  {
    id: 'name',
    title: 'Nama',
    sortable: true,
    width: 200,
    cell: (token) => <bdi className="block strong clip">{token.name}</bdi>,
    phone: 'title',
  },
  {
    id: 'phone',
    title: 'Nomor',
    width: 170,
    whole: true,
    cell: (token) =>
      token.phone ? (
        <span className="num">{formatPhone(token.phone)}</span>
      ) : (
        <span className="faint">Belum ada nomor</span>
      ),
    phone: 'line',
  },
  {
    id: 'channel',
    title: 'Kanal',
    width: 150,
    cell: ({ channel }) => channelLabel[channel],
    phone: 'fact',
  },
  {
    id: 'status',
    title: 'Status',
    width: 250,
    cell: (token) => (
      <span className={classes('inline-flex wrap gap-4 gap-x-6', styles['states'])}>
        <StatusChip tone={statusTone[token.status]}>{tokenStatusLabel[token.status]}</StatusChip>
        <Chips token={token} />
      </span>
    ),
    phone: 'aside',
  },
  {
    id: 'sent_today',
    title: 'Hari ini',
    align: 'end',
    width: 130,
    cell: (token) => (
      <span className="num">
        {formatNumber(token.sent_today)}
        <span className="faint"> / {formatNumber(token.daily_limit)}</span>
      </span>
    ),
    phone: 'note',
  },
  {
    id: 'last_used_at',
    title: 'Kunci API dipakai',
    sortable: true,
    width: 160,
    cell: ({ last_used_at: at }) =>
      at ? <TimeAgo at={at} /> : <span className="faint">Belum pernah</span>,
    phone: 'hidden',
  },
];

const Chips = ({ token }: { token: Token }) => (
  <>
    <DisconnectedChip token={token} />
    <ReviewChip token={token} />
    <ExpiryChip token={token} />
  </>
);

/** A disconnected number: only its owner can bring it back. */
const DisconnectedChip = ({ token: { status, channel } }: { token: Token }) =>
  status === 'disconnected' &&
  channel !== 'simulator' && (
    <StatusChip tone="warning" icon={<Unplug size={14} />}>
      Sambungkan lagi
    </StatusChip>
  );

/** Route `/token`: the account's tokens, with dialogs to create and edit one. */
export function TokensPage() {
  const address = useTokenAddress();
  const wide = useWide();
  const full = fullTokens(useQuery(subscriptionQuery).data);
  return (
    <>
      <PageHead
        title="Nomor"
        context={wide && 'Nomor pengirim Anda dan kunci API-nya.'}
        action={<AddToken isMain full={full} onAdd={address.make} />}
        tools={
          <LinkButton to="/docs" variant="outline" icon={<BookOpen size={18} />}>
            Dokumentasi API
          </LinkButton>
        }
      />
      {full !== undefined && <FullReason full={full} />}
      <TokenTabs current={address.rejected ? 'rejected' : 'list'} />
      {address.rejected ? (
        <Suspense fallback={<ListSkeleton rows={6} />}>
          <RejectedCalls />
        </Suspense>
      ) : (
        <TokenTable address={address} full={full} />
      )}
      {address.making && (
        <Suspense>
          <CreateToken onClose={address.close} onLink={(id) => address.show(id, true)} />
        </Suspense>
      )}
      {address.open !== undefined && (
        <TokenDrawer
          key={address.open}
          id={address.open}
          linking={address.linking}
          onClose={address.close}
        />
      )}
    </>
  );
}

type TableProps = { address: ReturnType<typeof useTokenAddress>; full: number | undefined };

function TokenTable({ address, full }: TableProps) {
  const tokens = useList(listTokens, {}, address.view);
  return (
    <DataTable
      {...tokens.table}
      caption="Token"
      columns={columns}
      rowKey={(token) => token.id}
      onView={address.onView}
      onOpen={(token) => address.show(token.id)}
      openKey={address.open}
      empty={
        <NoRows list={tokens}>
          <EmptyState
            icon={<KeyRound size={24} />}
            title="Satu token untuk setiap nomor pengirim"
            action={<AddToken isMain={false} full={full} onAdd={address.make} />}
          >
            Token menghubungkan nomor Anda dengan sistem Anda lewat kunci API.
          </EmptyState>
        </NoRows>
      }
    />
  );
}

function useTokenAddress() {
  const search = useSearch('/token');
  const list = useAddressView('/token', {
    sorts: ['name', 'last_used_at'],
    order: 'asc',
    top: true,
  });
  // Above the list, which stays where it is.
  const above = (change: Pick<typeof search, 'open' | 'view'>, replace = false) =>
    void navigate({ to: '/token', change, replace, resetScroll: false });
  return {
    ...list,
    open: search.open,
    making: search.view === 'new',
    linking: search.view === 'link',
    rejected: search.view === 'ditolak',
    make: () => above({ view: 'new', open: undefined }),
    show: (id: string, linking = false) => above({ open: id, view: linking ? 'link' : undefined }),
    close: () => above({ open: undefined, view: undefined }, true),
  };
}
