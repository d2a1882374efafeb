/** What time it is for money: renewals, expiry, prices, notices. */
export type Clock = {
  now: () => Date;
  /** Moves it forward; what is past already changes nothing. Absent where it cannot be moved. */
  move?: (to: Date) => void;
};

/** The clock of a process. One that was moved goes on from there, until the process ends. */
export function openClock({
  isMovable,
  real = () => new Date(),
}: {
  isMovable: boolean;
  real?: () => Date;
}): Clock {
  if (!isMovable) return { now: real };
  let ahead = 0;
  const now = () => new Date(real().getTime() + ahead);
  return {
    now,
    move: (to) => {
      ahead += Math.max(0, to.getTime() - now().getTime());
    },
  };
}
