import { SendHorizontal, Square, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { announce } from '#web/ui/announce/announce.ts';
import { Button } from '#web/ui/button/Button.tsx';
import styles from '#web/ui/chat/composer/composer.module.css';
import { classes } from '#web/ui/classes.ts';
import {
  RECORDING_MS_MAX,
  recordingRefusal,
  startRecording,
  type Recording,
} from '#web/ui/chat/recorder/recording.ts';
import { AudioPlayer } from '#web/ui/media/AudioPlayer.tsx';
import { clockText } from '#web/ui/media/media.ts';

type Props = {
  onSend: (file: File) => void;
  /** Nothing was recorded, or it was discarded. */
  onClose: () => void;
};

type State =
  | { is: 'asking' }
  | { is: 'recording'; recording: Recording; since: number }
  | { is: 'recorded'; file: File; url: string }
  | { is: 'refused'; why: string };

/** The pressed button is gone: focus its successor. */
const focusFirst = (button: HTMLButtonElement | null) => button?.focus();

const TICK_MS = 100;
const BARS = 24;

/**
 * Records a voice message in place of the composer: requests the microphone at once, shows level and time, and plays
 * the recording before it is sent or discarded. Stops by itself after five minutes.
 */
export function Recorder({ onSend, onClose }: Props) {
  const { state, stop, again } = useRecording();
  return (
    <div
      role="group"
      aria-label="Pesan suara"
      className={classes('row gap-12 border-t surface', styles['recorder'])}
    >
      {state.is === 'asking' && (
        <>
          <p className="fill base muted">Menunggu izin mikrofon…</p>
          <Discard word="Batal" onClick={onClose} />
        </>
      )}
      {state.is === 'refused' && (
        <>
          <p className="fill base muted" role="alert">
            {state.why}
          </p>
          <Discard word="Tutup" onClick={onClose} />
          <Button size="sm" variant="subtle" onClick={again}>
            Coba lagi
          </Button>
        </>
      )}
      {state.is === 'recording' && (
        <>
          <Discard word="Batal" onClick={onClose} />
          <Meter recording={state.recording} since={state.since} onFull={stop} />
          <Button
            size="lg"
            square
            ref={focusFirst}
            tone="danger"
            aria-label="Selesai merekam"
            icon={<Square size={18} />}
            onClick={stop}
          />
        </>
      )}
      {state.is === 'recorded' && (
        <>
          <Button
            size="lg"
            square
            variant="outline"
            aria-label="Hapus rekaman"
            icon={<Trash2 size={18} />}
            onClick={onClose}
          />
          <span className="fill">
            <AudioPlayer src={state.url} title="Rekaman Anda" />
          </span>
          <Button
            size="lg"
            square
            ref={focusFirst}
            aria-label="Kirim rekaman"
            icon={<SendHorizontal size={20} />}
            onClick={() => onSend(state.file)}
          />
        </>
      )}
    </div>
  );
}

const Discard = ({ word, onClick }: { word: string; onClick: () => void }) => (
  <Button size="sm" variant="link" tone="neutral" onClick={onClick}>
    {word}
  </Button>
);

function useRecording() {
  const [state, setState] = useState<State>({ is: 'asking' });
  const [turn, setTurn] = useState(0);
  const running = useRef<Recording>(undefined);
  useEffect(() => {
    let gone = false;
    const start = async () => {
      setState({ is: 'asking' });
      try {
        const recording = await startRecording();
        if (gone) return recording.discard();
        running.current = recording;
        announce('Merekam');
        setState({ is: 'recording', recording, since: performance.now() });
      } catch (error) {
        if (!gone) setState({ is: 'refused', why: recordingRefusal(error) });
      }
    };
    void start();
    return () => {
      gone = true;
      running.current?.discard();
      running.current = undefined;
    };
  }, [turn]);
  const url = state.is === 'recorded' ? state.url : undefined;
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  const stop = async () => {
    const recording = running.current;
    running.current = undefined;
    if (!recording) return;
    const file = await recording.stop();
    announce('Rekaman selesai');
    setState({ is: 'recorded', file, url: URL.createObjectURL(file) });
  };
  return { state, stop: () => void stop(), again: () => setTurn(turn + 1) };
}

type MeterProps = { recording: Recording; since: number; onFull: () => void };

function Meter({ recording, since, onFull }: MeterProps) {
  const [levels, setLevels] = useState<readonly number[]>(() =>
    Array.from({ length: BARS }, () => 0),
  );
  const [elapsed, setElapsed] = useState(0);
  const full = useRef(onFull);
  useEffect(() => {
    full.current = onFull;
  });
  useEffect(() => {
    const timer = setInterval(() => {
      const now = performance.now() - since;
      setElapsed(now);
      setLevels((before) => [...before.slice(1), recording.level()]);
      if (now >= RECORDING_MS_MAX) full.current();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [recording, since]);
  return (
    <>
      <span
        className={classes('row justify-end fill gap-4 overflow-hidden', styles['levels'])}
        aria-hidden="true"
      >
        {levels.map((level, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a bar is its place
          <i key={index} style={{ blockSize: `${Math.round(3 + level * 25)}px` }} />
        ))}
      </span>
      <span role="timer" className="flex-none num">
        {clockText(elapsed / 1_000)}
        <span className="small faint"> / {clockText(RECORDING_MS_MAX / 1_000)}</span>
      </span>
    </>
  );
}
