import { typeNames } from '#web/api/uploads/fileTypes.ts';
import { useEffect, useRef, useState, useId, type KeyboardEvent, type PointerEvent } from 'react';
import { endingsFor } from '#contract/uploads.ts';
import { peopleActs } from '#web/api/lazyApi.ts';
import { isAbort, sentenceOf } from '#web/api/errors.ts';
import { useTakeUser } from '#web/features/profile/preferences/preferences.ts';
import { useAct } from '#web/api/query.ts';
import { Fault } from '#web/api/uploads/uploadFault.ts';
import { uploadServer } from '#web/api/uploads/uploadWire.ts';
import {
  cropOf,
  wholeView,
  type View,
  dragged,
  pictureBehind,
  zoomed,
  ZOOM_MAX,
} from '#web/features/profile/avatar/crop.ts';
import styles from '#web/features/profile/profile.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { FileUpload } from '#web/ui/upload/FileUpload.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { indonesianUploads } from '#web/ui/upload/uploadLabels.ts';

type Props = { onClose: () => void };

export function AvatarDialog({ onClose }: Props) {
  const [picture, setPicture] = useState<Picture>();
  const [unreadable, setUnreadable] = useState<string>();
  const [view, setView] = useState<View>(wholeView);
  const sending = useSending();
  const address = picture?.address;
  useEffect(() => () => void (address && URL.revokeObjectURL(address)), [address]);

  const close = () => {
    sending.stop();
    onClose();
  };
  const take = async (file: File) => {
    setUnreadable(undefined);
    setView(wholeView);
    const read = await pictureOf(file).catch(() => undefined);
    if (read) setPicture(read);
    else setUnreadable('Gambar ini rusak atau tidak dapat dibaca. Pilih gambar lain.');
  };
  const save = async () => {
    if (!picture || !(await sending.send(picture, view))) return;
    toast('Foto profil diganti.', { tone: 'success' });
    onClose();
  };
  const another = () => {
    sending.stop();
    setPicture(undefined);
  };
  return (
    <Modal
      open
      onClose={close}
      title="Foto profil"
      footer={
        <>
          <Button variant="outline" onClick={picture ? another : close}>
            {picture ? 'Pilih foto lain' : 'Batal'}
          </Button>
          {picture && (
            <Button busy={sending.busy} onClick={() => void save()}>
              Pakai foto ini
            </Button>
          )}
        </>
      }
    >
      {picture ? (
        <div className="stack justify-items-center gap-12">
          <Alert state="danger" visible={!!sending.failure} label={sending.failure ?? ''} />
          <CropStage picture={picture} view={view} onView={setView} />
          <Progress progress={sending.progress} />
        </div>
      ) : (
        <FileUpload
          label="Pilih foto"
          purpose="avatar"
          labels={indonesianUploads}
          typeLabels={typeNames}
          help={`${endingsFor('avatar')}, paling besar 5 MB. Bagian persegi yang tampil Anda pilih setelah ini.`}
          error={unreadable}
          instantUpload={false}
          allowProcess={false}
          onAdd={(file) => void take(file)}
        />
      )}
    </Modal>
  );
}

/** The picture as the browser shows it: upright. @throws when it cannot. */
async function pictureOf(file: File): Promise<Picture> {
  const address = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    if (width === 0 || height === 0) throw new Error('it has no size');
    return { file, address, width, height };
  } catch (error) {
    URL.revokeObjectURL(address);
    throw error;
  }
}

function useSending() {
  const takeUser = useTakeUser();
  const update = useAct(async () => (await peopleActs()).updateUser);
  const [busy, setBusy] = useState(false);
  const [progress, setProgress] = useState<number>();
  const [failure, setFailure] = useState<string>();
  const work = useRef<AbortController>(undefined);
  const stop = () => work.current?.abort();
  useEffect(() => stop, []);

  const send = async ({ file, ...size }: Picture, view: View): Promise<boolean> => {
    if (busy) return false;
    const { signal } = (work.current = new AbortController());
    setBusy(true);
    setFailure(undefined);
    try {
      const crop = cropOf(size, view);
      const avatar = await uploadServer(() => ({ metadata: { purpose: 'avatar', crop } })).process({
        file,
        transferId: undefined,
        signal,
        onTransfer: () => undefined,
        onProgress: setProgress,
      });
      takeUser(await update.perform({ avatar }));
      return true;
    } catch (error) {
      if (!isAbort(error)) setFailure(wordsFor(error));
      return false;
    } finally {
      setBusy(false);
      setProgress(undefined);
    }
  };
  return { busy, progress, failure, send, stop };
}

const wordsFor = (error: unknown): string =>
  error instanceof Fault
    ? (error.sentence ?? 'Foto gagal diunggah. Periksa koneksi Anda, lalu coba lagi.')
    : sentenceOf(error);

function Progress({ progress }: { progress: number | undefined }) {
  if (progress === undefined) return null;
  const percent = Math.floor(progress * 100);
  return (
    <div
      role="progressbar"
      aria-label="Mengunggah foto"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={classes('sunken overflow-hidden rounded-full', styles['progress'])}
    >
      <span style={{ scale: `${progress} 1` }} />
    </div>
  );
}

type Picture = { file: File; address: string; width: number; height: number };

type CropStageProps = { picture: Picture; view: View; onView: (view: View) => void };

const STEP = 12;
const arrows: Readonly<Record<string, { x: number; y: number }>> = {
  ArrowLeft: { x: STEP, y: 0 },
  ArrowRight: { x: -STEP, y: 0 },
  ArrowUp: { x: 0, y: STEP },
  ArrowDown: { x: 0, y: -STEP },
};
const nearer: Readonly<Record<string, number>> = { '+': 1.1, '=': 1.1, '-': 1 / 1.1 };

/** The crop of an avatar: by dragging, by sliders or, in the stage, by arrow keys, `+` and `-`. */
function CropStage({ picture, view, onView }: CropStageProps) {
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

function Sliders({ picture, view, onView }: CropStageProps) {
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
  <label
    className={classes('grid align-center gap-12 small muted min-h-32 touch', styles['slider'])}
  >
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
