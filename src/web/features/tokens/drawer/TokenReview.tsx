import { isolated } from '#contract/base/names.ts';
import { Check, ShieldQuestionMark, Trash2 } from 'lucide-react';
import { confirmToken, type Token } from '#contract/tokens.ts';
import { useAct } from '#web/api/query.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { useUser } from '#web/api/user.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { useRemoveToken } from '#web/features/tokens/drawer/useRemoveToken.tsx';
import { reviewSentence } from '#web/features/tokens/labels.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

export const ReviewChip = ({ token }: { token: Token }) =>
  token.review && (
    <StatusChip tone="warning" icon={<ShieldQuestionMark size={14} />}>
      Perlu diperiksa
    </StatusChip>
  );

type Props = {
  token: Token & { review: NonNullable<Token['review']> };
  /** Called after it was kept: the focused element is gone. */
  onKept: () => void;
  onGone: () => void;
};

export function TokenReview({ token, onKept, onGone }: Props) {
  const { timezone } = useUser();
  const changed = useTokenChanged();
  const askRemove = useRemoveToken(token, onGone);
  const keep = useAct(confirmToken, {
    onSuccess: (kept) => {
      changed(kept);
      toast(`Token ${isolated(token.name)} tetap dipakai.`, { tone: 'success' });
      onKept();
    },
  });
  return (
    <form
      noValidate
      aria-label="Perlu diperiksa"
      className={styles['part']}
      onSubmit={(event) => {
        event.preventDefault();
        if (!keep.busy) keep.mutate({ token_id: token.id });
      }}
    >
      <Alert visible state="warning" label={reviewSentence(token.review, timezone)}>
        <p>Sementara itu token ini tetap bekerja. Hapus bila bukan Anda yang membuatnya.</p>
      </Alert>
      <RefusalAlert error={keep.error} />
      <PasswordQuestion quiet of={confirmToken} />
      <div className="flex wrap gap-8">
        <Button type="submit" variant="subtle" icon={<Check size={18} />} busy={keep.busy}>
          Tetap pakai
        </Button>
        <Button
          variant="outline"
          tone="danger"
          icon={<Trash2 size={18} />}
          onClick={() => void askRemove()}
        >
          Tidak kenal, hapus
        </Button>
      </div>
    </form>
  );
}
