import { formatNumber } from '#contract/base/money.ts';
import type { HomeSummary } from '#contract/messages.ts';
import { percentOf } from '#contract/messages/counts.ts';

type Figures = HomeSummary['today'];

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

/** Figures and the chart are shown from this number of days with outbound messages. */
const DAYS_MIN = 7;

export const hasFigures = (days: HomeSummary['days']): boolean =>
  days.filter(({ accepted }) => accepted > 0).length >= DAYS_MIN;

type Counts = Pick<Figures, 'sent' | 'delivered' | 'read'>;

/** `12 pesan terkirim, 10 sampai (83%), 7 dibaca (58%)` */
function countsSentence({ sent, delivered, read }: Counts): string {
  const shared = (count: number, word: string) =>
    `${formatNumber(count)} ${word} (${percentOf(count, sent)})`;
  return `${formatNumber(sent)} pesan terkirim, ${shared(delivered, 'sampai')}, ${shared(read, 'dibaca')}`;
}

export const todaySentence = (counts: Counts): string =>
  counts.sent === 0 ? 'Hari ini belum ada pesan terkirim.' : `Hari ini ${countsSentence(counts)}.`;

/** All days together, with shares of the sent messages; undefined if no other day than today has any. */
export function periodSentence(days: HomeSummary['days']): string | undefined {
  if (days.slice(0, -1).every(({ sent }) => sent === 0)) return undefined;
  const sum = (key: keyof Counts) => days.reduce((all, day) => all + day[key], 0);
  const counts = { sent: sum('sent'), delivered: sum('delivered'), read: sum('read') };
  return `Dalam ${days.length} hari terakhir ${countsSentence(counts)}.`;
}
