import { Captions, CaptionsOff, Film, Maximize, Pause, Play, Volume2, VolumeX } from 'lucide-react';
import {
  useImperativeHandle,
  useRef,
  useState,
  type ComponentPropsWithoutRef,
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from 'react';
import { MediaFailed, MediaSlider } from '#web/ui/media/MediaSlider.tsx';
import { clockText, type Progress } from '#web/ui/media/media.ts';
import { useMediaClock, type MediaClock } from '#web/ui/media/useMediaClock.ts';
import styles from '#web/ui/media/media.module.css';
import { classes } from '#web/ui/classes.ts';

export type VideoHandle = {
  /** Seconds, or a fraction between 0 and 1. Before it is ready: done at the next play within 5 s. */
  seekTo: (amount: number) => void;
  play: () => void;
  pause: () => void;
};

export type CaptionTrack = { src: string; label: string; lang: string };

type Props = Omit<
  ComponentPropsWithoutRef<'video'>,
  'src' | 'title' | 'controls' | 'className' | 'onProgress' | 'width' | 'height' | 'children'
> & {
  src: string;
  /** The kind of medium, after 'Putar' and 'Jeda'. */
  what?: string;
  /** For screen readers and lock screens. */
  title?: string;
  /** In px; shrinks with its container in the same ratio. */
  width?: number;
  height?: number;
  /** 0 to 1. */
  volume?: number;
  captions?: readonly CaptionTrack[];
  /** Called every `progressInterval` from the start, when it has changed. */
  onProgress?: (progress: Progress) => void;
  /** In milliseconds. */
  progressInterval?: number;
  /** In seconds, once. */
  onDuration?: (seconds: number) => void;
  /** Called on the first play. */
  onStart?: () => void;
  ref?: Ref<VideoHandle>;
};

/** A native `<video>` with our controls; passes its native events through. Keys as for audio, and F for fullscreen. */
export function VideoPlayer(props: Props) {
  const { src, what = 'video', width = 640, height = 360, captions = [], title = 'Video' } = props;
  const { ref, onProgress, progressInterval, onDuration, onStart, volume, ...native } = rest(props);
  const frame = useRef<HTMLDivElement>(null);
  const clock = useMediaClock<HTMLVideoElement>({
    src,
    title,
    volume,
    onProgress,
    progressMs: progressInterval,
    onDuration,
    onStart,
  });
  const { seekTo, play, pause } = clock;
  useImperativeHandle(ref, () => ({ seekTo, play, pause }), [seekTo, play, pause]);
  const [worded, setWorded] = useState(false);
  const wholeScreen = () => {
    const request = document.fullscreenElement
      ? document.exitFullscreen()
      : frame.current?.requestFullscreen?.();
    void request?.catch(() => undefined);
  };
  const keys = (event: KeyboardEvent<HTMLElement>) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (plain && event.key.toLowerCase() === 'f') wholeScreen();
    else clock.onKeyDown(event);
  };
  return (
    // Handles the keys of all controls inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={frame}
      role="group"
      aria-label={title}
      className={classes(
        'grid max-w-full border surface overflow-hidden rounded',
        styles['videoPlayerPlayer'],
      )}
      style={{ '--width': `${width}px`, '--shape': `${width} / ${height}` } as CSSProperties}
      onKeyDown={keys}
    >
      <Picture {...native} clock={clock} title={title} size={[width, height]} worded={worded} />
      {clock.failed ? (
        <div className="row gap-2 min-h-44 px-6">
          <MediaFailed what={what} src={src} icon={<Film size={20} />} />
        </div>
      ) : (
        <Bar clock={clock} what={what} onWholeScreen={wholeScreen}>
          {captions.length > 0 && (
            <button
              type="button"
              className={classes('hover ring-inset touch-square', styles['tool'])}
              aria-label="Takarir"
              aria-pressed={worded}
              onClick={() => setWorded(!worded)}
            >
              {worded ? <Captions size={20} /> : <CaptionsOff size={20} />}
            </button>
          )}
        </Bar>
      )}
    </div>
  );
}

function rest({ what: _, title: _t, width: _w, height: _h, ...left }: Props) {
  return left;
}

type PictureProps = Omit<
  ReturnType<typeof rest>,
  'ref' | 'onProgress' | 'progressInterval' | 'onDuration' | 'onStart' | 'volume'
> & {
  clock: MediaClock<HTMLVideoElement>;
  title: string;
  size: readonly [number, number];
  worded: boolean;
};

function Picture({ clock, size: [width, height], worded, captions = [], ...native }: PictureProps) {
  const { preload = 'metadata', onClick } = native;
  const show = (track: HTMLTrackElement | null) => {
    if (track) track.track.mode = worded ? 'showing' : 'hidden';
  };
  return (
    <div className={classes('grid min-h-0 sunken relative', styles['screen'])}>
      {/* The same as the button below, for pointers. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events */}
      <video
        {...native}
        ref={clock.ref}
        src={native.src || undefined}
        width={width}
        height={height}
        preload={preload}
        playsInline
        className={classes('min-h-0 w-full pointer', styles['video'])}
        onClick={(event) => {
          onClick?.(event);
          clock.toggle();
        }}
      >
        {captions.map(({ src, label, lang }, index) => (
          <track
            key={src}
            ref={index === 0 ? show : undefined}
            kind="captions"
            src={src}
            label={label}
            srcLang={lang}
          />
        ))}
      </video>
      {!clock.playing && !clock.failed && (
        <span
          className={classes(
            'place-center rounded-full solid-primary pointer-none',
            styles['sign'],
          )}
          aria-hidden="true"
        >
          <Play size={26} className={styles['videoPlayerTriangle']} />
        </span>
      )}
    </div>
  );
}

type BarProps = {
  clock: MediaClock<HTMLVideoElement>;
  what: string;
  onWholeScreen: () => void;
  children: ReactNode;
};

function Bar({ clock, what, onWholeScreen, children }: BarProps) {
  const { playing, at, duration, muted } = clock;
  const length = duration > 0 ? ` ${clockText(duration)}` : '';
  return (
    <div className="row gap-2 min-h-44 px-6">
      <button
        type="button"
        className={classes('hover ring-inset touch-square', styles['tool'])}
        aria-label={playing ? `Jeda ${what}` : `Putar ${what}${length}`}
        onClick={clock.toggle}
      >
        {playing ? <Pause size={20} /> : <Play size={20} />}
      </button>
      <MediaSlider clock={clock} what={what} />
      <span
        className={classes('flex-none tiny muted num text-end', styles['videoPlayerTime'])}
        aria-hidden="true"
      >
        {clockText(playing || at > 0 ? at : duration)}
      </span>
      <button
        type="button"
        className={classes('hover ring-inset touch-square', styles['tool'])}
        aria-label="Bisukan"
        aria-pressed={muted}
        onClick={clock.mute}
      >
        {muted ? <VolumeX size={20} /> : <Volume2 size={20} />}
      </button>
      {children}
      <button
        type="button"
        className={classes('hover ring-inset touch-square', styles['tool'])}
        aria-label="Layar penuh"
        onClick={onWholeScreen}
      >
        <Maximize size={18} />
      </button>
    </div>
  );
}
