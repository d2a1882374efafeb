import type { HomeSummary } from '#contract/messages.ts';

type Day = HomeSummary['today'];

/** Cumulative counts of a day: a read message was also delivered, a delivered one also sent. */
export type Reached = { sent: number; delivered: number; read: number; failed: number };

export const reached = ({ sent, delivered, read, failed }: Day): Reached => ({
  sent: sent + delivered + read,
  delivered: delivered + read,
  read,
  failed,
});

/** The change as a fraction; null when there was nothing before. */
export const changeFrom = (before: number, now: number): number | null =>
  before === 0 ? null : (now - before) / before;

type Checklist = HomeSummary['checklist'];

/** The first token is made with the first of them. */
export const stepKeys = ['linked', 'sent', 'topped_up'] as const;
export type StepKey = (typeof stepKeys)[number];

export function progressOf(checklist: Checklist): { done: number; next: StepKey | undefined } {
  return {
    done: stepKeys.filter((key) => checklist[key]).length,
    next: stepKeys.find((key) => !checklist[key]),
  };
}

export const isQuiet = (days: HomeSummary['days']): boolean =>
  days.every((day) => day.sent + day.delivered + day.read + day.failed + day.waiting === 0);
