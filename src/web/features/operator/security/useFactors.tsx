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
import { actQuery } from '#web/features/operator/desk/actQuery.ts';
import { FactorAnswer } from '#web/features/secondfactor/secondfactor.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';

/** One's own second factors. */
export const factorsQuery = actQuery(getSecondFactors, {});

/** Asks for one's own second factors anew. */
export function useRefresh(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: factorsQuery.queryKey });
}

type Question = { asked: SecondFactorChallenge; done: () => void; leave: () => void };

/** Does what wants a second factor of the last minutes, and asks for one where it is longer ago. */
export type WithFactor = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * `withFactor` for what changes second factors, and the dialog in which one is asked for meanwhile. Who would
 * rather not give it is told nothing: an AbortError.
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
    const asked = await ask.perform({});
    await new Promise<void>((resolve, reject) => {
      const leave = () => reject(new DOMException('no second factor was given', 'AbortError'));
      setQuestion({ asked, done: resolve, leave });
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

/** Whether the one factor there is must stay. */
export const isLast = ({ required, factors }: SecondFactors): boolean =>
  required && factors.length === 1;

/** What every part of the page works with. */
export type PartProps = {
  factors: SecondFactors;
  withFactor: WithFactor;
  /** Recovery codes are there, to be seen this once. */
  onCodes: (codes: readonly string[] | null) => void;
};
