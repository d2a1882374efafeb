import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { SecondFactorChallenge } from '#contract/accounts.ts';
import {
  confirmSecondFactor,
  getSecondFactors,
  removeSecondFactor,
  requestSecondFactor,
  type SecondFactor,
  type SecondFactors,
} from '#contract/second-factor.ts';
import { refusalCode } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { renewSessionToken } from '#web/browser/session.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import styles from '#web/features/operator/operator.module.css';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import { FactorAnswer } from '#web/features/secondfactor/secondfactor.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

export const factorsQuery = actQuery(getSecondFactors, {});

export function useRefresh(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: factorsQuery.queryKey });
}

type Question = { asked: SecondFactorChallenge; done: () => void; leave: () => void };

/** Runs work that needs a recent second factor, and asks for one if it is too long ago. */
export type WithFactor = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * `withFactor` for changes of second factors, and its dialog. Cancelling the dialog rejects silently, with an
 * AbortError.
 */
export function useWithFactor(): { withFactor: WithFactor; dialog: ReactNode } {
  const [question, setQuestion] = useState<Question>();
  const ask = useAct(requestSecondFactor);
  const confirm = useAct(confirmSecondFactor);
  const withFactor: WithFactor = async (work) => {
    try {
      return await work();
    } catch (no) {
      if (refusalCode(no) !== 'second_factor_again') throw no;
    }
    const challenge = await ask.perform({});
    await new Promise<void>((resolve, reject) => {
      const leave = () => reject(new DOMException('no second factor was given', 'AbortError'));
      setQuestion({ asked: challenge, done: resolve, leave });
    }).finally(() => setQuestion(undefined));
    return work();
  };
  const dialog = question && (
    <Modal open onClose={question.leave} title="Verifikasi dua langkah" size="sm" shape="sheet">
      <FactorAnswer
        asked={question.asked}
        answer={async (input) => {
          renewSessionToken((await confirm.perform(input)).token);
          question.done();
        }}
        onOver={question.leave}
      />
    </Modal>
  );
  return { withFactor, dialog };
}

/** Whether the only factor must stay. */
export const isLast = ({ required, factors }: SecondFactors): boolean =>
  required && factors.length === 1;

export type PartProps = {
  factors: SecondFactors;
  withFactor: WithFactor;
  /** New recovery codes, to be shown once. */
  onCodes: (codes: readonly string[] | null) => void;
};

type RowProps = {
  factor: SecondFactor;
  /** Its name in a sentence: `passkey Laptop`. */
  name: string;
  /** The last one where one is required: it cannot be removed. */
  kept: boolean;
  withFactor: WithFactor;
  children: ReactNode;
};

export function FactorRow({ factor, name, kept, withFactor, children }: RowProps) {
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
      confirmText: 'Hapus',
      onConfirm: () => withFactor(() => remove.perform({ factor_id: factor.id })).finally(refresh),
    });
    if (!agreed) return;
    toast(`${name.slice(0, 1).toUpperCase()}${name.slice(1)} dihapus.`, { tone: 'success' });
  };
  return (
    <li>
      <span className={styles['what']}>
        <span>{children}</span>
        <span className="small faint regular">
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
        <span className="small faint regular">Wajib: satu cara harus tetap terpasang</span>
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
