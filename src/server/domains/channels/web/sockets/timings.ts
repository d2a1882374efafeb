/** How long things of this channel take; shorter in tests. */
export type WebTimings = {
  /** How often sessions and links to take are looked for. */
  pollMs: number;
  /** How often leases are renewed … */
  renewMs: number;
  /** … and after how long without success the sessions are given up, before another worker may take them. */
  renewedMsMax: number;
  /** How often connections that are open are noted as such. */
  spanMs: number;
  /** How often silence is looked for, and how long it may be: the engine asks for a sign of life every 30 s. */
  watchMs: number;
  silenceMs: number;
  /** Between two logins of a worker on average: numbers that move together do not log in together. */
  loginGapMs: number;
  /** Times of waiting before connecting again are multiplied by this. */
  backOffFactor: number;
  /** How often what could not be stored is tried again. */
  inboxMs: number;
  /** Until a line stands for a message that could not be decrypted. */
  waitingMs: number;
  /** How long the network may take to acknowledge a message. */
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
