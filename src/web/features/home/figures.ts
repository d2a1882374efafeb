import type { HomeSummary } from '#contract/messages.ts';

type Day = HomeSummary['today'];

/** A day as people count it: what was read was also delivered, what was delivered also sent. */
export type Reached = { sent: number; delivered: number; read: number; failed: number };

/** A message is counted under the last status it reached; here under every one it passed. */
export const reached = ({ sent, delivered, read, failed }: Day): Reached => ({
  sent: sent + delivered + read,
  delivered: delivered + read,
  read,
  failed,
});

/** How much more or less than before, as a fraction; null when there was nothing to compare with. */
export const changeFrom = (before: number, now: number): number | null =>
  before === 0 ? null : (now - before) / before;

type Checklist = HomeSummary['checklist'];

export const stepKeys = ['topped_up', 'has_token', 'linked', 'sent'] as const;
export type StepKey = (typeof stepKeys)[number];

/** How many steps are done, and the first that is not. */
export function progressOf(checklist: Checklist): { done: number; next: StepKey | undefined } {
  return {
    done: stepKeys.filter((key) => checklist[key]).length,
    next: stepKeys.find((key) => !checklist[key]),
  };
}

/** Whether any message was counted in these days. */
export const isQuiet = (days: HomeSummary['days']): boolean =>
  days.every((day) => day.sent + day.delivered + day.read + day.failed + day.waiting === 0);
