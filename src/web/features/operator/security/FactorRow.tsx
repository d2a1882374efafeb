import type { ReactNode } from 'react';
import { removeSecondFactor, type SecondFactor } from '#contract/second-factor.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import styles from '#web/features/operator/form/form.module.css';
import { useRefresh, type WithFactor } from '#web/features/operator/security/useFactors.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  factor: SecondFactor;
  /** Its name in a sentence: `passkey Laptop`. */
  name: string;
  /** The last one where one is required: it cannot be removed. */
  kept: boolean;
  withFactor: WithFactor;
  children: ReactNode;
};

export function FactorRow({ factor, name, kept, withFactor, children }: Props) {
  const remove = useAct(removeSecondFactor);
  const refresh = useRefresh();
  const ask = async () => {
    const agreed = await confirm({
      title: `Hapus ${name}?`,
      children: (
        <>
          <p>Sejak itu tidak dapat dipakai lagi untuk masuk. Ponsel Anda diberi tahu.</p>
          <PasswordQuestion of={removeSecondFactor} />
        </>
      ),
      cancelText: 'Batal',
      confirmText: 'Hapus',
      sentenceOf,
      onConfirm: async () => {
        await withFactor(() => remove.perform({ factor_id: factor.id })).finally(refresh);
      },
    });
    if (!agreed) return;
    toast(`${name.slice(0, 1).toUpperCase()}${name.slice(1)} dihapus.`, { tone: 'success' });
  };
  return (
    <li>
      <span className={styles['what']}>
        <span>{children}</span>
        <span className={styles['small']}>
          Dipasang <DateTime at={new Date(factor.created_at)} />
          {factor.used_at !== null && (
            <>
              {' '}
              · dipakai <DateTime at={new Date(factor.used_at)} />
            </>
          )}
        </span>
      </span>
      {kept ? (
        <span className={styles['small']}>Wajib: satu cara harus tetap terpasang</span>
      ) : (
        <Button
          size="sm"
          variant="outline"
          tone="danger"
          aria-label={`Hapus ${name}`}
          onClick={() => void ask()}
        >
          Hapus
        </Button>
      )}
    </li>
  );
}
