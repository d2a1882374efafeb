import { TimeAgo } from '#web/ui/time/DateTime.tsx';
import { isolated } from '#contract/base/names.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { BellRing, KeyRound, UserX } from 'lucide-react';
import { useState } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { TypedPeer } from '#contract/messages/peer.ts';
import { listOptouts, optoutSourceLabel, type Optout } from '#contract/messages/optouts.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { nameOf } from '#web/features/messages/labels.ts';
import { PeerName } from '#web/features/messages/PeerName.tsx';
import { MessagesHead, useHeadLabel } from '#web/features/messages/MessagesHead.tsx';
import styles from '#web/features/messages/messages.module.css';
import { classes } from '#web/ui/classes.ts';
import { useRemoveOptout } from '#web/features/messages/optouts/useRemoveOptout.tsx';
import { canSend } from '#web/features/messages/queries.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { ListSkeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { listKey, useList } from '#web/ui/table/list/useList.ts';
import { SearchField } from '#web/ui/text/SearchField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import type { Token } from '#contract/tokens.ts';
import { StopForm } from '#web/features/messages/optouts/StopForm.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { HomeTelephoneField } from '#web/ui/phone/TelephoneField.tsx';
import { realNumber } from '#web/ui/phone/telephoneReal.ts';

const PATH = '/message-history/berhenti';
const NUMBER_MAX = 40;
/** Room for *Izinkan* with its icon. */
const MENU_PX = 132;

const columns: readonly Column<Optout>[] = [
  {
    id: 'peer',
    title: 'Nomor',
    width: 200,
    whole: true,
    phone: 'title',
    cell: ({ peer, peer_name }) => <PeerName peer={peer} name={peer_name} />,
  },
  {
    id: 'source',
    title: 'Dihentikan',
    width: 180,
    phone: 'note',
    cell: ({ source }) => optoutSourceLabel[source],
  },
  {
    id: 'reason',
    title: 'Alasan',
    width: 280,
    phone: 'line',
    cell: ({ reason }) => <bdi>{reason}</bdi>,
  },
  {
    id: 'created_at',
    title: 'Sejak',
    width: 150,
    phone: 'aside',
    cell: ({ created_at: at }) => <TimeAgo at={at} />,
  },
];

/** Route `/message-history/berhenti`: the phones that opted out of a token, and actions on them. */
export function OptoutsPage() {
  const { token } = useSearch(PATH);
  const { data: tokens, error, refetch } = useQuery(allTokensQuery);
  const [adding, setAdding] = useState(false);
  const label = useHeadLabel('Tandai berhenti');
  const selectedToken =
    tokens?.find(({ id }) => id === token) ?? tokens?.find(canSend) ?? tokens?.[0];
  return (
    <>
      <MessagesHead
        current="optouts"
        action={
          selectedToken && (
            <Button {...label} icon={<UserX size={18} />} onClick={() => setAdding(true)} />
          )
        }
      />
      {!tokens && (error ? <WentWrong query={{ error, refetch }} /> : <ListSkeleton rows={6} />)}
      {tokens && selectedToken === undefined && (
        <EmptyState
          icon={<KeyRound size={24} />}
          title="Anda belum memiliki token"
          action={
            <LinkButton to="/token" search={{ view: 'new' }}>
              Tambah token
            </LinkButton>
          }
        >
          Nomor yang berhenti langganan dicatat untuk setiap token.
        </EmptyState>
      )}
      {tokens && selectedToken && (
        <OptoutTable
          key={selectedToken.id}
          token={selectedToken}
          tokens={tokens}
          onAdd={() => setAdding(true)}
        />
      )}
      {selectedToken && (
        <AddOptout open={adding} token={selectedToken} onClose={() => setAdding(false)} />
      )}
    </>
  );
}

/** A complete typed number, which the server resolves; undefined while incomplete. */
const peerTyped = (typed: string | undefined): string | undefined =>
  TypedPeer().safeParse(typed).success ? typed : undefined;

type TableProps = { token: Token; tokens: readonly Token[]; onAdd: () => void };

function OptoutTable({ token, tokens, onAdd }: TableProps) {
  const search = useSearch(PATH);
  const { view, onView } = useAddressView(PATH, { first: 1, top: true });
  const peer = peerTyped(search.q);
  const list = useList(listOptouts, { token_id: token.id, peer }, view);
  const client = useQueryClient();
  const remove = useRemoveOptout();
  const letGoOn = async (optout: Optout) => {
    const { peer: whose } = optout;
    if (!(await remove({ tokenId: token.id, peer: whose, name: nameOf(optout) }))) return;
    toast('Nomor ini dapat menerima pesan lagi.', { tone: 'success' });
    await client.invalidateQueries({ queryKey: listKey(listOptouts) });
  };
  const go = (change: FilterChange) =>
    void navigate({ to: PATH, change: { ...change, page: undefined }, replace: true });
  return (
    <div className="stack gap-16">
      <OptoutFilters token={token} tokens={tokens} typed={search.q ?? ''} onChange={go} />
      <DataTable
        {...list.table}
        caption={`Nomor yang berhenti langganan dari ${isolated(token.name)}, yang terbaru lebih dulu`}
        columns={columns}
        rowKey={(optout) => optout.peer}
        onView={onView}
        menuWidth={MENU_PX}
        menu={(optout) => (
          <Button
            variant="outline"
            size="sm"
            icon={<BellRing size={16} />}
            onClick={() => void letGoOn(optout)}
          >
            <span className={styles['word']}>Izinkan</span>
          </Button>
        )}
        empty={
          <NoRows list={list} onReset={peer !== undefined && (() => go({ q: undefined }))}>
            <EmptyState
              icon={<UserX size={24} />}
              title="Belum ada yang berhenti"
              action={
                <Button variant="subtle" onClick={onAdd}>
                  Tandai berhenti
                </Button>
              }
            >
              Semua penerima masih menerima pesan dari nomor ini.
            </EmptyState>
          </NoRows>
        }
      />
      {peer === undefined && !list.error && list.data?.total ? (
        <p className={classes('small faint', styles['note'])} role="status">
          {formatNumber(list.data.total)} nomor berhenti.
        </p>
      ) : null}
      <p className={classes('small faint', styles['note'])}>
        Siapa pun yang membalas STOP, BERHENTI, atau UNSUB masuk ke daftar ini dan tidak menerima
        pesan lagi dari nomor Anda itu; MULAI mengizinkannya kembali.
      </p>
    </div>
  );
}

type FilterChange = { q?: string | undefined; token?: string | undefined };

function OptoutFilters({
  token,
  tokens,
  typed,
  onChange,
}: {
  token: Token;
  tokens: readonly Token[];
  typed: string;
  onChange: (change: FilterChange) => void;
}) {
  return (
    <div className={classes('flex wrap gap-12', styles['filters'])}>
      <SearchField
        label="Cari nomor"
        placeholder="Nomor lengkap"
        maxLength={NUMBER_MAX}
        value={typed}
        onSearch={(q) => onChange({ q: q || undefined })}
      />
      {tokens.length > 1 && (
        <SelectOne
          label="Token"
          hideLabel
          options={tokens.map(({ id, name }) => ({ value: id, label: name }))}
          value={token.id}
          onChange={(id) => onChange({ token: id })}
        />
      )}
    </div>
  );
}

type Props = { open: boolean; token: Token; onClose: () => void };

function AddOptout({ open, token, onClose }: Props) {
  const client = useQueryClient();
  return (
    <Modal
      open={open}
      onClose={onClose}
      title={`Tandai berhenti dari ${isolated(token.name)}`}
      size="sm"
    >
      {open && (
        <StopForm
          tokenId={token.id}
          peer="+"
          onStopped={() => void client.invalidateQueries({ queryKey: listKey(listOptouts) })}
          onClose={onClose}
        >
          {(form) => (
            <HomeTelephoneField
              label="Nomor"
              required
              verify={realNumber}
              autoComplete="off"
              value={form.values.peer.slice(1)}
              error={form.errors.peer}
              onChange={(digits) => form.set('peer', `+${digits}`)}
              onBlur={() => form.leave('peer')}
            />
          )}
        </StopForm>
      )}
    </Modal>
  );
}
