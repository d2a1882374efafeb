/** Limits of a number by its age with us (docs/decisions/008-whatsapp-web.md). */
export type NumberPace = {
  perMinute: number;
  /** Chats that it may begin in 24 hours. */
  newChatsPerDay: number;
};

const steps: readonly (NumberPace & { fromDays: number })[] = [
  { fromDays: 0, perMinute: 6, newChatsPerDay: 20 },
  { fromDays: 3, perMinute: 10, newChatsPerDay: 50 },
  { fromDays: 7, perMinute: 20, newChatsPerDay: 150 },
  { fromDays: 14, perMinute: 30, newChatsPerDay: 400 },
  { fromDays: 30, perMinute: 60, newChatsPerDay: 1_000 },
];

const DAY_MS = 24 * 3_600_000;

/** The limits of a number that was first linked then. */
export function paceOf(firstLinkedAt: Date, now: Date): NumberPace {
  const days = (now.getTime() - firstLinkedAt.getTime()) / DAY_MS;
  const { perMinute, newChatsPerDay } = steps.findLast(({ fromDays }) => days >= fromDays) ?? {
    perMinute: 6,
    newChatsPerDay: 20,
  };
  return { perMinute, newChatsPerDay };
}
