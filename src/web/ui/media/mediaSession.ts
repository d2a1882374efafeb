let loud: HTMLMediaElement | undefined;

type Keys = Partial<Record<MediaSessionAction, (details: MediaSessionActionDetails) => void>>;

/**
 * Claims the media session: pauses other media, and takes the device's media keys.
 *
 * @param keys the actions of a keyboard, a headset or a lock screen
 */
export function claimMediaSession(media: HTMLMediaElement, title: string, keys: Keys): void {
  if (loud && loud !== media) loud.pause();
  loud = media;
  const session = sessionOf();
  if (!session) return;
  session.metadata = new MediaMetadata({ title });
  for (const [action, handler] of Object.entries(keys)) {
    setHandler(session, action as MediaSessionAction, handler);
  }
}

/** Updates the system's media session; nothing when another medium owns it. */
export function updateMediaSession(media: HTMLMediaElement): void {
  const session = sessionOf();
  if (loud !== media || !session) return;
  session.playbackState = media.paused ? 'paused' : 'playing';
  const { duration, currentTime, playbackRate } = media;
  if (!Number.isFinite(duration) || duration <= 0 || currentTime > duration) return;
  session.setPositionState({ duration, position: currentTime, playbackRate });
}

/** Releases the media session. */
export function releaseMediaSession(
  media: HTMLMediaElement,
  actions: readonly MediaSessionAction[],
): void {
  if (loud !== media) return;
  loud = undefined;
  const session = sessionOf();
  if (!session) return;
  session.metadata = null;
  session.playbackState = 'none';
  for (const action of actions) setHandler(session, action, null);
}

const sessionOf = (): MediaSession | undefined =>
  'mediaSession' in navigator && 'MediaMetadata' in window ? navigator.mediaSession : undefined;

function setHandler(
  session: MediaSession,
  action: MediaSessionAction,
  handler: MediaSessionActionHandler | null,
): void {
  try {
    session.setActionHandler(action, handler);
  } catch {
    // This browser does not support the action.
  }
}
