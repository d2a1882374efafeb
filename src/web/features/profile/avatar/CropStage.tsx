import { useEffect, useId, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import {
  dragged,
  pictureBehind,
  zoomed,
  ZOOM_MAX,
  type View,
} from '#web/features/profile/avatar/crop.ts';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';

export type Picture = { file: File; address: string; width: number; height: number };

type Props = { picture: Picture; view: View; onView: (view: View) => void };

const STEP = 12;
const arrows: Readonly<Record<string, { x: number; y: number }>> = {
  ArrowLeft: { x: STEP, y: 0 },
  ArrowRight: { x: -STEP, y: 0 },
  ArrowUp: { x: 0, y: STEP },
  ArrowDown: { x: 0, y: -STEP },
};
const nearer: Readonly<Record<string, number>> = { '+': 1.1, '=': 1.1, '-': 1 / 1.1 };

/** The crop of an avatar: by dragging, by sliders or, in the stage, by arrow keys, `+` and `-`. */
export function CropStage({ picture, view, onView }: Props) {
  const stage = useRef<HTMLDivElement>(null);
  const [side, setSide] = useState(280);
  const from = useRef<{ x: number; y: number }>(undefined);
  const helpId = useId();
  useEffect(() => {
    const place = stage.current;
    if (!place) return undefined;
    const watch = new ResizeObserver(() => setSide(place.clientWidth));
    watch.observe(place);
    return () => watch.disconnect();
  }, []);

  const behind = pictureBehind(picture, view, side);
  const press = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    from.current = { x: event.clientX, y: event.clientY };
  };
  const draw = ({ clientX: x, clientY: y }: PointerEvent) => {
    if (!from.current) return;
    const by = { x: x - from.current.x, y: y - from.current.y };
    from.current = { x, y };
    onView(dragged(picture, view, side, by));
  };
  const keys = (event: KeyboardEvent) => {
    const by = arrows[event.key];
    const factor = nearer[event.key];
    if (!by && factor === undefined) return;
    event.preventDefault();
    if (by) onView(dragged(picture, view, side, by));
    if (factor !== undefined) onView(zoomed(picture, view, view.zoom * factor));
  };
  const release = () => (from.current = undefined);
  return (
    <>
      <div
        ref={stage}
        // Keys move and zoom it, which no single control role expresses.
        role="application"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label="Bagian foto yang tampil"
        aria-describedby={helpId}
        className={classes('rounded-lg sunken overflow-hidden relative', styles['stage'])}
        onPointerDown={press}
        onPointerMove={draw}
        onPointerUp={release}
        onPointerCancel={release}
        onKeyDown={keys}
      >
        <img
          src={picture.address}
          alt=""
          draggable={false}
          className={styles['picture']}
          style={{
            width: behind.width,
            height: behind.height,
            translate: `${behind.left}px ${behind.top}px`,
          }}
        />
        <span className={classes('rounded-full pointer-none', styles['ring'])} />
      </div>
      <p id={helpId} className="tiny faint balance text-center">
        Geser fotonya, atau pakai penggeser di bawah. Yang tampil adalah isi lingkaran.
      </p>
      <Sliders picture={picture} view={view} onView={onView} />
    </>
  );
}

function Sliders({ picture, view, onView }: Props) {
  const { width, height } = pictureBehind(picture, view, 1);
  return (
    <div className={classes('grid gap-4', styles['sliders'])}>
      <Slider
        label="Perbesar"
        value={(view.zoom - 1) / (ZOOM_MAX - 1)}
        onChange={(part) => onView(zoomed(picture, view, 1 + part * (ZOOM_MAX - 1)))}
      />
      <Slider
        label="Geser mendatar"
        value={view.x}
        disabled={width <= 1.001}
        onChange={(x) => onView({ ...view, x })}
      />
      <Slider
        label="Geser tegak"
        value={view.y}
        disabled={height <= 1.001}
        onChange={(y) => onView({ ...view, y })}
      />
    </div>
  );
}

type SliderProps = {
  label: string;
  value: number;
  disabled?: boolean;
  onChange: (value: number) => void;
};

const Slider = ({ label, value, disabled = false, onChange }: SliderProps) => (
  <label className={classes('grid align-center gap-12 small muted', styles['slider'])}>
    <span>{label}</span>
    <input
      type="range"
      min={0}
      max={100}
      step={1}
      value={Math.round(value * 100)}
      disabled={disabled}
      onChange={({ target }) => onChange(Number(target.value) / 100)}
    />
  </label>
);
