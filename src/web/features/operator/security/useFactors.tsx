import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { SecondFactorChallenge } from '#contract/accounts.ts';
import {
  requestSecondFactor,
  confirmSecondFactor,
  getSecondFactors,
  type SecondFactors,
} from '#contract/second-factor.ts';
import { refusalCode } from '#web/api/errors.ts';
import { renewSessionToken } from '#web/browser/session.ts';
import { useAct } from '#web/api/query.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import { FactorAnswer } from '#web/features/secondfactor/secondfactor.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';

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
