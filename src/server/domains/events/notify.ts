/** The channel on which publish_outbox notifies every process, at COMMIT, whose events have grown. */
export const LIVE_CHANNEL = 'kabari_live';
