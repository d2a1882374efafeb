export type WebTimings = {
  pollMs: number;
  renewMs: number;
  /** Time without a renewal until sessions are given up, before other workers may take them. */
  renewedMsMax: number;
  spanMs: number;
  /** Check interval, and the longest silence: the engine requests a sign of life every 30 s. */
  watchMs: number;
  silenceMs: number;
  /** Average gap between two logins of a worker, so that numbers do not log in together. */
  loginGapMs: number;
  backOffFactor: number;
  inboxMs: number;
  waitingMs: number;
  sendMs: number;
};

export const usualTimings: WebTimings = {
  pollMs: 1_000,
  renewMs: 5_000,
  renewedMsMax: 10_000,
  spanMs: 15_000,
  watchMs: 5_000,
  silenceMs: 75_000,
  loginGapMs: 250,
  backOffFactor: 1,
  inboxMs: 5_000,
  waitingMs: 15_000,
  sendMs: 30_000,
};
