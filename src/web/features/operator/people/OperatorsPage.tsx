import { UserRoundPlus } from 'lucide-react';
import { useState } from 'react';
import { type Operator, listOperators, operatorRoleLabel } from '#contract/operator/operators.ts';
import { formatNumber } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import desk from '#web/features/operator/form/form.module.css';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { InviteDialog } from '#web/features/operator/people/InviteDialog.tsx';
import { OperatorDrawer } from '#web/features/operator/people/OperatorDrawer.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Panel, Row } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const columns: readonly Column<Operator>[] = [
  {
    id: 'name',
    title: 'Nama',
    width: 220,
    phone: 'title',
    cell: ({ name, you }) => (
      <>
        {name}
        {you && <span className={desk['small']}> (Anda)</span>}
      </>
    ),
  },
  {
    id: 'phone',
    title: 'Nomor',
    width: 180,
    whole: true,
    phone: 'line',
    cell: ({ phone }) => <span className="num">{formatPhone(phone)}</span>,
  },
  {
    id: 'roles',
    title: 'Peran',
    width: 220,
    phone: 'note',
    cell: ({ roles }) => (
      <Row>
        {roles.map((role) => (
          <StatusChip key={role} tone={role === 'admin' ? 'primary' : 'neutral'}>
            {operatorRoleLabel[role]}
          </StatusChip>
        ))}
      </Row>
    ),
  },
  {
    id: 'second_factor',
    title: 'Verifikasi dua langkah',
    width: 190,
    phone: 'fact',
    cell: ({ second_factor }) =>
      second_factor ? (
        <StatusChip tone="success">Terpasang</StatusChip>
      ) : (
        <StatusChip tone="warning">Belum ada</StatusChip>
      ),
  },
  {
    id: 'signed_in_at',
    title: 'Terakhir masuk',
    width: 190,
    phone: 'fact',
    cell: ({ signed_in_at, invited_until }) =>
      signed_in_at ? (
        <DateTime at={signed_in_at} />
      ) : (
        <StatusChip tone="info">{invitationWord(invited_until)}</StatusChip>
      ),
  },
  {
    id: 'sessions',
    title: 'Sesi',
    align: 'end',
    width: 90,
    phone: 'fact',
    cell: ({ sessions }) => formatNumber(sessions),
  },
];

const invitationWord = (until: Date | null): string => {
  if (until === null) return 'Belum pernah masuk';
  return until.getTime() > Date.now() ? 'Diundang' : 'Undangan kedaluwarsa';
};

const openAt = (open: string | undefined) =>
  void navigate({ to: '/operator/operator', change: { open }, resetScroll: false });

/** Route `/operator/operator`: the operators and their roles. */
export function OperatorsPage() {
  const { open } = useSearch('/operator/operator');
  const { view, onView } = useAddressView('/operator/operator');
  const list = useList(listOperators, {}, view);
  const [isInviting, setInviting] = useState(false);
  const opened = list.table.rows.find(({ user_id }) => user_id === open);
  return (
    <OperatorFrame
      title="Operator"
      context="Siapa yang menjalankan Kabari di sini, dan apa yang boleh mereka lakukan."
      action={
        <Button icon={<UserRoundPlus size={18} />} onClick={() => setInviting(true)}>
          Undang operator
        </Button>
      }
    >
      <Panel>
        <DataTable
          caption="Operator"
          columns={columns}
          rowKey={({ user_id }) => user_id}
          {...list.table}
          onOpen={({ user_id }) => openAt(user_id)}
          openKey={open}
          onView={onView}
          empty={<NoRows list={list} />}
        />
      </Panel>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {open !== undefined && (
        <OperatorDrawer
          key={open}
          operator={opened}
          loading={list.isPending}
          onClose={() => openAt(undefined)}
        />
      )}
    </OperatorFrame>
  );
}
