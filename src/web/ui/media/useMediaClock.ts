import {
  useEffect,
  useRef,
  useState,
  type Dispatch,
  type KeyboardEvent,
  type RefCallback,
  type SetStateAction,
} from 'react';
import { nextRate, progressOf, seekTarget, type Progress } from '#web/ui/media/media.ts';
import {
  LISTEN_MS,
  listenClock,
  PROGRESS_MS,
  progressClock,
  realClock,
  SEEK_ON_PLAY_MS,
  seekMemory,
} from '#web/ui/media/mediaClock.ts';

export type MediaOptions = {
  src: string;
  title: string;
  /** The position in seconds, every `listenMs` of playing. */
  onListen?: ((seconds: number) => void) | undefined;
  listenMs?: number | undefined;
  /** Called every `progressMs` from the start, when it has changed. */
  onProgress?: ((progress: Progress) => void) | undefined;
  progressMs?: number | undefined;
  /** In seconds; once. */
  onDuration?: ((seconds: number) => void) | undefined;
  /** Called on the first play. */
  onStart?: (() => void) | undefined;
  /** 0 to 1. */
  volume?: number | undefined;
};

type MediaState = {
  playing: boolean;
  /** In seconds. */
  at: number;
  /** In seconds; 0 while unknown. */
  duration: number;
  muted: boolean;
  rate: number;
  failed: boolean;
};

const before: MediaState = {
  playing: false,
  at: 0,
  duration: 0,
  muted: false,
  rate: 1,
  failed: false,
};

const STEP_S = 5;
const KEYS: readonly MediaSessionAction[] = [
  'play',
  'pause',
  'seekbackward',
  'seekforward',
  'seekto',
];

/** The last position of each medium by its address without the key; lives as long as the page. */
const leftAt = new Map<string, number>();
const LEFT_MAX = 200;

export type MediaClock<E extends HTMLMediaElement> = MediaState & {
  ref: RefCallback<E>;
  toggle: () => void;
  play: () => void;
  pause: () => void;
  /** Seconds, or a fraction between 0 and 1; an early seek is done at the next play within five seconds. */
  seekTo: (amount: number) => void;
  /** Seeks at once, in seconds; nothing before the length is known. */
  goTo: (seconds: number) => void;
  /** Seeks relatively, in seconds. */
  step: (seconds: number) => void;
  mute: () => void;
  faster: () => void;
  /** Space and K play, arrows seek 5 s, M mutes; for the element around the player. */
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
};

/**
 * The logic of audio and video: native events, the specified intervals, one medium at a time, resuming at the last
 * position, the device's media keys. Stops on unmount.
 */
export function useMediaClock<E extends HTMLMediaElement>(options: MediaOptions): MediaClock<E> {
  const [element, setElement] = useState<E | null>(null);
  const [state, setState] = useState(before);
  const ref = useRef(options);
  useEffect(() => {
    ref.current = options;
  });
  const controls = useRef<Controls>(undefined);
  controls.current ??= controlsOf(ref);
  const all = controls.current;
  const { src, progressMs, volume = 1 } = options;
  useEffect(() => all.forget, [all]);
  useEffect(() => {
    if (element) setVolume(element, volume);
  }, [element, volume]);
  useEffect(() => {
    if (!element) return;
    setState(before);
    return all.follow(element, setState);
  }, [element, src, all]);
  useEffect(() => {
    if (!element) return;
    return progressClock(
      realClock,
      progressMs ?? PROGRESS_MS,
      () => progressOf(sampleOf(element)),
      (progress) => ref.current.onProgress?.(progress),
    );
  }, [element, src, progressMs]);
  return { ...state, ref: setElement, ...all.hand };
}

function setVolume(media: HTMLMediaElement, volume: number): void {
  media.volume = Math.min(1, Math.max(0, volume));
}

const sampleOf = ({ currentTime, duration, buffered }: HTMLMediaElement) => ({
  currentTime,
  duration,
  bufferedEnd: buffered.length === 0 ? 0 : buffered.end(buffered.length - 1),
});

type Hand = Omit<MediaClock<HTMLMediaElement>, keyof MediaState | 'ref'>;
type Controls = {
  hand: Hand;
  follow: (media: HTMLMediaElement, set: Dispatch<SetStateAction<MediaState>>) => () => void;
  forget: () => void;
};

function controlsOf(ref: { readonly current: MediaOptions }): Controls {
  const early = seekMemory(realClock, SEEK_ON_PLAY_MS);
  let media: HTMLMediaElement | undefined;
  const isReady = () => media !== undefined && media.readyState >= HTMLMediaElement.HAVE_METADATA;
  const seekTo = (amount: number) => {
    if (!media || !isReady()) return early.hold(amount);
    const target = seekTarget(amount, media.duration);
    if (target !== undefined) media.currentTime = target;
  };
  // A failed play has its own error event, or was interrupted by a pause.
  const play = () => void media?.play().catch(() => undefined);
  const pause = () => media?.pause();
  const toggle = () => (media?.paused === false ? pause() : play());
  const goTo = (seconds: number) => {
    if (!media || !isReady()) return;
    const end = Number.isFinite(media.duration) ? media.duration : seconds;
    media.currentTime = Math.min(Math.max(0, seconds), end);
  };
  const step = (seconds: number) => media && goTo(media.currentTime + seconds);
  const mute = () => {
    if (media) media.muted = !media.muted;
  };
  const faster = () => {
    if (media) media.playbackRate = nextRate(media.playbackRate);
  };
  const hand = { seekTo, goTo, play, pause, toggle, step, mute, faster };
  const follow: Controls['follow'] = (followed, set) => {
    media = followed;
    const stop = followEvents(followed, { set, ref, early, hand });
    return () => {
      stop();
      media = undefined;
    };
  };
  return { hand: { ...hand, onKeyDown: keysFor(hand) }, follow, forget: () => void early.take() };
}

function keysFor(hand: Pick<Hand, 'toggle' | 'step' | 'mute'>): Hand['onKeyDown'] {
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { target } = event;
    const pressed = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
    const slides = target instanceof HTMLInputElement;
    const key = event.key.toLowerCase();
    // On a button the space bar presses that button.
    if (key === 'k' || (key === ' ' && !pressed)) hand.toggle();
    else if (key === 'arrowleft' || (slides && key === 'arrowdown')) hand.step(-STEP_S);
    else if (key === 'arrowright' || (slides && key === 'arrowup')) hand.step(STEP_S);
    else if (key === 'm') hand.mute();
    else return;
    event.preventDefault();
  };
}

type Following = {
  set: Dispatch<SetStateAction<MediaState>>;
  ref: { readonly current: MediaOptions };
  early: ReturnType<typeof seekMemory>;
  hand: Pick<Hand, 'play' | 'pause' | 'step' | 'goTo'>;
};

function followEvents(media: HTMLMediaElement, { set, ref, early, hand }: Following): () => void {
  const { listenMs = LISTEN_MS, src } = ref.current;
  const listen = listenClock(realClock, listenMs, () => ref.current.onListen?.(media.currentTime));
  const name = placeName(src);
  let started = false;
  let measured = false;
  let due: number | undefined;
  const look = () => {
    set((old) => changed(old, stateOf(media)));
    updateMediaSession(media);
  };
  /** Applies an early seek once the medium plays and its length is known. */
  const catchUp = () => {
    if (media.paused || media.readyState < HTMLMediaElement.HAVE_METADATA) return;
    const target = due === undefined ? undefined : seekTarget(due, media.duration);
    due = undefined;
    if (target !== undefined) media.currentTime = target;
  };
  const measure = () => {
    if (measured || !Number.isFinite(media.duration) || media.duration <= 0) return;
    measured = true;
    ref.current.onDuration?.(media.duration);
  };
  const handlers: Partial<Record<keyof HTMLMediaElementEventMap, () => void>> = {
    loadedmetadata: () => {
      measure();
      const left = leftAt.get(name);
      if (left !== undefined && left < media.duration - 1) media.currentTime = left;
      catchUp();
    },
    durationchange: measure,
    play: () => {
      claimMediaSession(media, ref.current.title, keysOf(hand));
      listen.play();
      if (!started) ref.current.onStart?.();
      started = true;
      due = early.take() ?? due;
      catchUp();
      measure();
    },
    pause: () => {
      listen.stop();
      remember(name, media.currentTime);
    },
    ended: () => {
      listen.stop();
      leftAt.delete(name);
    },
    abort: listen.stop,
    emptied: listen.stop,
  };
  for (const kind of [...NATIVE, ...(Object.keys(handlers) as (keyof typeof handlers)[])]) {
    const handler = handlers[kind];
    if (handler) media.addEventListener(kind, handler);
    media.addEventListener(kind, look);
  }
  if (media.readyState >= HTMLMediaElement.HAVE_METADATA) handlers.loadedmetadata?.();
  look();
  return () => {
    if (media.currentTime > 0 && !media.ended) remember(name, media.currentTime);
    for (const [kind, handler] of Object.entries(handlers))
      media.removeEventListener(kind, handler);
    for (const kind of [...NATIVE, ...Object.keys(handlers)]) media.removeEventListener(kind, look);
    listen.stop();
    media.pause();
    releaseMediaSession(media, KEYS);
  };
}

const NATIVE = ['timeupdate', 'seeked', 'volumechange', 'ratechange', 'error'] as const;

const stateOf = (media: HTMLMediaElement): MediaState => ({
  playing: !media.paused && !media.ended,
  at: media.currentTime,
  duration: Number.isFinite(media.duration) ? media.duration : 0,
  muted: media.muted || media.volume === 0,
  rate: media.playbackRate,
  failed: media.error !== null,
});

const changed = (old: MediaState, now: MediaState): MediaState =>
  (Object.keys(now) as (keyof MediaState)[]).some((key) => old[key] !== now[key]) ? now : old;

const keysOf = ({ play, pause, step, goTo }: Following['hand']) => ({
  play,
  pause,
  seekbackward: () => step(-STEP_S),
  seekforward: () => step(STEP_S),
  seekto: ({ seekTime }: MediaSessionActionDetails) => {
    if (typeof seekTime === 'number') goTo(seekTime);
  },
});

/** The key in an address changes every hour; the file is the same. */
const placeName = (src: string): string => src.split('?', 1)[0] ?? src;

function remember(name: string, seconds: number): void {
  leftAt.delete(name);
  if (seconds <= 0) return;
  leftAt.set(name, seconds);
  if (leftAt.size > LEFT_MAX) leftAt.delete(leftAt.keys().next().value ?? '');
}

let loud: HTMLMediaElement | undefined;

type Keys = Partial<Record<MediaSessionAction, (details: MediaSessionActionDetails) => void>>;

/**
 * Claims the media session: pauses other media, and takes the device's media keys.
 *
 * @param keys the actions of a keyboard, a headset or a lock screen
 */
function claimMediaSession(media: HTMLMediaElement, title: string, keys: Keys): void {
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
function updateMediaSession(media: HTMLMediaElement): void {
  const session = sessionOf();
  if (loud !== media || !session) return;
  session.playbackState = media.paused ? 'paused' : 'playing';
  const { duration, currentTime, playbackRate } = media;
  if (!Number.isFinite(duration) || duration <= 0 || currentTime > duration) return;
  session.setPositionState({ duration, position: currentTime, playbackRate });
}

/** Releases the media session. */
function releaseMediaSession(
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
