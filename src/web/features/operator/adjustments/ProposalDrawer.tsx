import { isolated } from '#contract/base/names.ts';
import { formatRupiah } from '#contract/base/money.ts';
import {
  type Adjustment,
  AdjustmentDecision,
  adjustCauseLabel,
  adjustmentKindLabel,
  adjustmentStatusLabel,
  decideAdjustment,
  paymentRefundLabel,
} from '#contract/operator/books.ts';
import { proposalTone } from '#web/features/operator/adjustments/proposals.ts';
import styles from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { type Fact, Facts } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = {
  /** `undefined` while it loads, and when it is on no loaded page. */
  proposal: Adjustment | undefined;
  loading: boolean;
  onClose: () => void;
  onDecided: (proposal: Adjustment) => void;
};

export function ProposalDrawer({ proposal, loading, onClose, onDecided }: Props) {
  return (
    <Drawer addressed open onClose={onClose} title={proposal?.account_name ?? 'Usulan'}>
      {proposal ? (
        <div className={styles['drawer']}>
          <Facts facts={factsOf(proposal)} />
          {proposal.status === 'pending' && <Decide proposal={proposal} onDecided={onDecided} />}
        </div>
      ) : loading ? (
        <div aria-busy="true">
          <Skeleton lines={8} height="1.4em" />
        </div>
      ) : (
        <EmptyState title="Usulan ini tidak ada di halaman yang sedang ditampilkan." />
      )}
    </Drawer>
  );
}

function factsOf(one: Adjustment): readonly Fact[] {
  const facts: readonly (Fact | false)[] = [
    { term: 'Jenis', is: adjustmentKindLabel[one.kind] },
    { term: 'Jumlah', is: <Money amount={one.amount} /> },
    one.cause !== null && { term: 'Dibukukan sebagai', is: adjustCauseLabel[one.cause] },
    {
      term: 'Status',
      is: (
        <StatusChip tone={proposalTone[one.status]}>{adjustmentStatusLabel[one.status]}</StatusChip>
      ),
    },
    { term: 'Alasan', is: one.reason },
    one.reference !== null && { term: 'Referensi bank', is: one.reference },
    one.payee !== null && { term: 'Rekening atas nama', is: one.payee },
    one.message_id !== null && { term: 'Pesan', is: one.message_id },
    one.topup_id !== null && { term: 'Isi saldo', is: one.topup_id },
    one.refund !== null && { term: 'Uangnya', is: paymentRefundLabel[one.refund] },
    {
      term: 'Diusulkan',
      is: (
        <>
          {one.proposed_by}, <DateTime at={one.proposed_at} />
        </>
      ),
    },
    one.status === 'pending' && {
      term: 'Berlaku sampai',
      is: <DateTime at={one.expires_at} />,
    },
    one.decided_at !== null && {
      term: 'Diputuskan',
      is: (
        <>
          {one.decided_by}, <DateTime at={one.decided_at} />
        </>
      ),
    },
    one.decision_note !== null && { term: 'Catatan', is: one.decision_note },
    { term: 'Nomor', is: <span className={styles['hash']}>{one.id}</span> },
  ];
  return facts.filter((fact) => fact !== false);
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
function Decide({ proposal, onDecided }: DecideProps) {
  const { form, onSubmit } = useOperatorForm(decideAdjustment, {
    initial: { decision: firstDecision(proposal), reason: '' },
    inputOf: ({ decision, reason }) => ({
      adjustment_id: proposal.id,
      decision: AdjustmentDecision().parse(decision),
      reason,
    }),
    question: ({ decision }) => ({
      ...questions[AdjustmentDecision().parse(decision)],
      text:
        decision === 'approve'
          ? `${adjustmentKindLabel[proposal.kind]} ${formatRupiah(proposal.amount)} untuk ${isolated(proposal.account_name)} dibukukan sekarang.`
          : 'Tidak ada yang dibukukan.',
    }),
    said: ({ status }) => decisionResult(status),
    onDone: onDecided,
  });
  return (
    <OperatorForm
      form={form}
      onSubmit={onSubmit}
      reasonHelp="Tercatat bersama nama Anda."
      actions={
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
              onClick={() => form.set('decision', 'refuse')}
            >
              Tolak
            </Button>
            {proposal.can_approve && (
              <Button type="submit" onClick={() => form.set('decision', 'approve')}>
                Setujui
              </Button>
            )}
          </>
        )
      }
    >
      {!proposal.is_own && !proposal.can_approve && (
        <p className={styles['note']}>
          Operator lain yang menyetujuinya: Anda diundang atau diberi peran oleh pengusulnya, atau
          baru dalam tujuh hari ini.
        </p>
      )}
      {proposal.is_own && (
        <p className={styles['note']}>
          Anda yang mengusulkan ini, jadi operator lain yang memutuskannya.
        </p>
      )}
    </OperatorForm>
  );
}
