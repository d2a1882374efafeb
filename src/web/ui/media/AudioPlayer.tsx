import { AudioLines, Pause, Play, VolumeX } from 'lucide-react';
import { useMemo, type ComponentPropsWithoutRef, type CSSProperties } from 'react';
import styles from '#web/ui/media/media.module.css';
import { MediaFailed, MediaSlider } from '#web/ui/media/MediaSlider.tsx';
import { classes } from '#web/ui/classes.ts';
import { clockText, waveform } from '#web/ui/media/media.ts';
import { useMediaClock } from '#web/ui/media/useMediaClock.ts';

type Props = Omit<ComponentPropsWithoutRef<'audio'>, 'src' | 'title' | 'controls' | 'className'> & {
  src: string;
  /** The kind of medium, after 'Putar' and 'Jeda'. */
  what?: string;
  /** For screen readers and lock screens; omitted: the address. */
  title?: string;
  /** Only `false` hides them. */
  controls?: boolean;
  /** 0 to 1. */
  volume?: number;
  /** The loudness over its length, each 0 to 1: drawn behind the position. */
  peaks?: readonly number[];
  /** Its length, if known before loading. */
  seconds?: number;
  /** Called with the position in seconds after every `listenInterval` of uninterrupted playing. */
  onListen?: (seconds: number) => void;
  /** In milliseconds. */
  listenInterval?: number;
};

const BARS = 44;

/**
 * A native `<audio>` with our controls; passes its native events through. Space and K play, the arrows seek 5 s, M
 * mutes. One medium plays at a time, and resumes at its last position.
 */
export function AudioPlayer(props: Props) {
  const { src, what = 'pesan suara', title = src, controls = true, volume = 1 } = props;
  const {
    peaks,
    seconds = 0,
    onListen,
    listenInterval,
    preload = 'metadata',
    ...native
  } = rest(props);
  const clock = useMediaClock<HTMLAudioElement>({
    src,
    title,
    volume,
    onListen,
    listenMs: listenInterval,
  });
  const audio = (
    <audio {...native} ref={clock.ref} src={src || undefined} title={title} preload={preload} />
  );
  if (!controls) return audio;
  const { playing, at } = clock;
  const duration = clock.duration > 0 ? clock.duration : seconds;
  const length = duration > 0 ? ` ${clockText(duration)}` : '';
  return (
    // Handles the keys of all controls inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="group"
      aria-label={title}
      className={classes('row gap-10 max-w-full min-h-44', styles['player'])}
      onKeyDown={clock.onKeyDown}
    >
      {audio}
      {clock.failed ? (
        <MediaFailed what={what} src={src} icon={<AudioLines size={20} />} />
      ) : (
        <>
          <button
            type="button"
            className="place-center flex-none size-44 rounded-full solid-primary hover-primary"
            aria-label={playing ? `Jeda ${what}` : `Putar ${what}${length}`}
            onClick={clock.toggle}
          >
            {playing ? <Pause size={20} /> : <Play size={20} className={styles['triangle']} />}
          </button>
          <span className="row fill relative min-h-44">
            <Waveform peaks={peaks} played={duration > 0 ? at / duration : 0} />
            <MediaSlider
              clock={{ ...clock, duration }}
              what={what}
              bare={peaks !== undefined && peaks.length > 0}
            />
          </span>
          <span
            className={classes('flex-none tiny muted num text-end', styles['time'])}
            aria-hidden="true"
          >
            {clockText(playing || at > 0 ? at : duration)}
          </span>
          <Sound clock={clock} what={what} />
        </>
      )}
    </div>
  );
}

/** The buttons of volume and speed. */
function Sound({ clock, what }: { clock: ReturnType<typeof useMediaClock>; what: string }) {
  return (
    <>
      {clock.muted && (
        <button
          type="button"
          className={classes(
            'place-center flex-none tiny ink strong num min-h-28 rounded-full',
            styles['muted'],
          )}
          onClick={clock.mute}
        >
          <VolumeX size={18} />
          <span className="sr-only">Bunyikan {what}</span>
        </button>
      )}
      <button
        type="button"
        className={classes(
          'inline-flex align-center justify-center flex-none min-h-28 rounded-full tiny ink strong num',
          styles['rate'],
        )}
        onClick={clock.faster}
      >
        <span className="sr-only">Kecepatan </span>
        {String(clock.rate).replace('.', ',')}×
      </button>
    </>
  );
}

function rest({ src: _, what: _w, title: _t, controls: _c, volume: _v, ...left }: Props) {
  return left;
}

type WaveformProps = { peaks: readonly number[] | undefined; played: number };

function Waveform({ peaks, played }: WaveformProps) {
  const bars = useMemo(() => waveform(peaks ?? [], BARS), [peaks]);
  if (bars.length === 0) return null;
  return (
    <svg
      className={classes('w-full pointer-none', styles['waveform'])}
      viewBox={`0 0 ${BARS * 4} 32`}
      preserveAspectRatio="none"
      aria-hidden="true"
      style={{ '--played': played } as CSSProperties}
    >
      {bars.map((bar, index) => {
        const height = 3 + bar * 27;
        return (
          <rect
            key={index}
            className={classes(index / BARS < played && styles['done'])}
            x={index * 4 + 0.75}
            y={(32 - height) / 2}
            width={2.5}
            height={height}
            rx={1.25}
          />
        );
      })}
    </svg>
  );
}
