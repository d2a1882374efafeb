import type { MessageStatus } from '#contract/messages.ts';

/**
 * The present statuses that each figure counts. *Terkirim*, *Sampai* and *Dibaca* are cumulative everywhere: a read
 * message counts as delivered and sent too, a delivered one as sent.
 */
export const countedStatuses = {
  scheduled: ['scheduled'],
  waiting: ['accepted', 'queued', 'sending'],
  sent: ['sent', 'delivered', 'read'],
  delivered: ['delivered', 'read'],
  read: ['read'],
  failed: ['failed'],
  cancelled: ['cancelled'],
  expired: ['expired'],
  received: ['received'],
} as const satisfies Record<string, readonly MessageStatus[]>;

/** Messages by their present status, each once. */
export type StatusCounts = Partial<Record<MessageStatus, number>>;

/** `accepted`: all outbound messages. */
export type MessageFigures = Record<keyof typeof countedStatuses | 'accepted', number>;

/** The cumulative figures. Counts may lag and be negative for a moment: those count as 0. */
export function figuresOf(counts: StatusCounts): MessageFigures {
  const sum = (statuses: readonly MessageStatus[]) =>
    statuses.reduce((all, status) => all + Math.max(0, counts[status] ?? 0), 0);
  const figures = {
    scheduled: sum(countedStatuses.scheduled),
    waiting: sum(countedStatuses.waiting),
    sent: sum(countedStatuses.sent),
    delivered: sum(countedStatuses.delivered),
    read: sum(countedStatuses.read),
    failed: sum(countedStatuses.failed),
    cancelled: sum(countedStatuses.cancelled),
    expired: sum(countedStatuses.expired),
    received: sum(countedStatuses.received),
  };
  const { scheduled, waiting, sent, failed, cancelled, expired } = figures;
  return { ...figures, accepted: scheduled + waiting + sent + failed + cancelled + expired };
}

/** The sent messages of a stacked bar, whose segments do not overlap: each message in its last state. */
export const segmentsOf = ({
  sent,
  delivered,
  read,
}: Pick<MessageFigures, 'sent' | 'delivered' | 'read'>) => ({
  sent: sent - delivered,
  delivered: delivered - read,
  read,
});

/** A share in whole per cent: `83%`. Rounded down, so that 100% means all; null if there is nothing to share. */
export function percentOf(part: number, whole: number): string | null {
  if (whole <= 0) return null;
  const percent = Math.floor((100 * Math.min(part, whole)) / whole);
  return percent === 0 && part > 0 ? '<1%' : `${percent}%`;
}
