import { isolated } from '#contract/base/names.ts';
import { formatRupiah } from '#contract/base/money.ts';
import {
  type Adjustment,
  type AdjustmentDecision,
  type AdjustmentStatus,
  adjustCauseLabel,
  adjustmentKindLabel,
  adjustmentStatusLabel,
  decideAdjustment,
  listAdjustments,
  paymentRefundLabel,
} from '#contract/operator/books.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { OperatorForm } from '#web/features/operator/OperatorForm.tsx';
import { By, Hash, OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import {
  amountColumn,
  customerColumn,
  OperatorList,
} from '#web/features/operator/OperatorList.tsx';
import { optionsOf } from '#web/ui/select/options.ts';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type FactList, Facts } from '#web/ui/panel/Panel.tsx';
import { StatusChip, type Tone } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const statuses = optionsOf('Semua status', adjustmentStatusLabel);

const tones: Record<AdjustmentStatus, Tone> = {
  pending: 'warning',
  done: 'success',
  refused: 'danger',
  withdrawn: 'neutral',
  expired: 'neutral',
};

const Status = ({ status }: Pick<Adjustment, 'status'>) => (
  <StatusChip tone={tones[status]}>{adjustmentStatusLabel[status]}</StatusChip>
);

const columns: readonly Column<Adjustment>[] = [
  customerColumn,
  {
    id: 'kind',
    title: 'Jenis',
    width: 200,
    phone: 'line',
    cell: ({ kind }) => adjustmentKindLabel[kind],
  },
  amountColumn('amount', ({ amount }) => amount),
  { id: 'status', title: 'Status', width: 200, phone: 'note', cell: Status },
  {
    id: 'created_at',
    title: 'Diusulkan',
    sortable: true,
    width: 220,
    phone: 'fact',
    cell: ({ proposed_by, proposed_at }) => <By name={proposed_by} at={proposed_at} />,
  },
];

/** Route `/operator/penyesuaian`: adjustments by operators, booked and proposed, newest first. */
export function AdjustmentsPage() {
  const { status } = useSearch('/operator/penyesuaian');
  return (
    <OperatorFrame
      title="Penyesuaian"
      context="Setiap koreksi adalah mutasi baru; yang sudah tercatat tidak pernah diubah."
      action={
        <LinkButton to="/operator/pelanggan" variant="outline">
          Cari pelanggan
        </LinkButton>
      }
    >
      <OperatorList
        to="/operator/penyesuaian"
        act={listAdjustments}
        input={{ status }}
        caption="Penyesuaian dan usulan"
        columns={columns}
        rowKey={({ id }) => id}
        filters={[{ name: 'status', label: 'Status usulan', options: statuses }]}
        empty={{
          title: 'Belum ada penyesuaian',
          text: 'Penyesuaian dibuat dari halaman pelanggan. Yang di atas batas menunggu operator lain.',
        }}
        drawer={{
          name: 'Usulan',
          title: ({ account_name }) => account_name,
          missing: 'Usulan ini tidak ada di halaman yang sedang ditampilkan.',
          children: (proposal, { show }) => (
            <>
              <Facts facts={factsOf(proposal)} />
              {proposal.status === 'pending' && <Decide proposal={proposal} onDecided={show} />}
            </>
          ),
        }}
      />
    </OperatorFrame>
  );
}

function factsOf(one: Adjustment): FactList {
  return [
    { term: 'Jenis', is: adjustmentKindLabel[one.kind] },
    { term: 'Jumlah', is: <Money amount={one.amount} /> },
    one.cause !== null && { term: 'Dibukukan sebagai', is: adjustCauseLabel[one.cause] },
    { term: 'Status', is: <Status status={one.status} /> },
    { term: 'Alasan', is: one.reason },
    one.reference !== null && { term: 'Referensi bank', is: one.reference },
    one.payee !== null && { term: 'Rekening atas nama', is: one.payee },
    one.message_id !== null && { term: 'Pesan', is: one.message_id },
    one.topup_id !== null && { term: 'Isi saldo', is: one.topup_id },
    one.refund !== null && { term: 'Uangnya', is: paymentRefundLabel[one.refund] },
    { term: 'Diusulkan', is: <By name={one.proposed_by} at={one.proposed_at} /> },
    one.status === 'pending' && { term: 'Berlaku sampai', is: <DateTime at={one.expires_at} /> },
    one.decided_at !== null && {
      term: 'Diputuskan',
      is: <By name={one.decided_by} at={one.decided_at} />,
    },
    one.decision_note !== null && { term: 'Catatan', is: one.decision_note },
    { term: 'Nomor', is: <Hash>{one.id}</Hash> },
  ];
}

const questions: Record<AdjustmentDecision, { title: string; button: string }> = {
  approve: { title: 'Setujui usulan ini?', button: 'Setujui' },
  refuse: { title: 'Tolak usulan ini?', button: 'Tolak' },
  withdraw: { title: 'Tarik usulan ini?', button: 'Tarik' },
};

const decisionResult = (status: Adjustment['status']): string =>
  status === 'done'
    ? 'Usulan dibukukan.'
    : `Usulan ${adjustmentStatusLabel[status].toLowerCase()}.`;

type DecideProps = { proposal: Adjustment; onDecided: (proposal: Adjustment) => void };

const firstDecision = ({ is_own, can_approve }: Adjustment): AdjustmentDecision =>
  is_own ? 'withdraw' : can_approve ? 'approve' : 'refuse';

/** A second operator approves or refuses; the proposer may only withdraw it. */
const Decide = ({ proposal, onDecided }: DecideProps) => (
  <OperatorForm
    act={decideAdjustment}
    initial={{ decision: firstDecision(proposal), reason: '' }}
    inputOf={({ decision, reason }) => ({ adjustment_id: proposal.id, decision, reason })}
    question={({ decision }) => ({
      ...questions[decision],
      text:
        decision === 'approve'
          ? `${adjustmentKindLabel[proposal.kind]} ${formatRupiah(proposal.amount)} untuk ${isolated(proposal.account_name)} dibukukan sekarang.`
          : 'Tidak ada yang dibukukan.',
    })}
    said={({ status }) => decisionResult(status)}
    onDone={onDecided}
    reasonHelp="Tercatat bersama nama Anda."
    actions={({ set }) =>
      proposal.is_own ? (
        <Button type="submit" variant="outline" tone="danger">
          Tarik kembali
        </Button>
      ) : (
        <>
          <Button
            type="submit"
            variant="outline"
            tone="danger"
            onClick={() => set('decision', 'refuse')}
          >
            Tolak
          </Button>
          {proposal.can_approve && (
            <Button type="submit" onClick={() => set('decision', 'approve')}>
              Setujui
            </Button>
          )}
        </>
      )
    }
  >
    {!proposal.is_own && !proposal.can_approve && (
      <p className="muted">
        Operator lain yang menyetujuinya: Anda diundang atau diberi peran oleh pengusulnya, atau
        baru dalam tujuh hari ini.
      </p>
    )}
    {proposal.is_own && (
      <p className="muted">Anda yang mengusulkan ini, jadi operator lain yang memutuskannya.</p>
    )}
  </OperatorForm>
);
