import { Camera as Lens, CircleCheck, ImageUp, MonitorUp, ScanQrCode } from 'lucide-react';
import { type DragEvent, type FormEvent, useEffect, useRef, useState } from 'react';
import { type SimulatedPhone, SCAN_TEXT_MAX, simulatedScan } from '#contract/simulator.ts';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import { PhoneHead } from '#web/features/simulator/phone/PhoneHead.tsx';
import type { Screens } from '#web/features/simulator/phone/screens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { useBroken } from '#web/ui/media/useBroken.ts';
import { useQueryClient } from '@tanstack/react-query';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { phoneQuery } from '#web/features/simulator/queries.ts';

type Props = {
  phone: SimulatedPhone;
  screens: Screens;
  /** Looks at the other tabs at once, without a request. */
  looks: boolean;
  onBack: () => void;
};

/**
 * The phone's camera. It reads the QR in a picture (of another tab, a file, the clipboard) or in a video (a real
 * camera, a shared screen), and links the phone to the token of the QR.
 */
export function Camera({ phone, screens, looks, onBack }: Props) {
  const scan = useScan(phone.phone, screens);
  const begin = useRef(scan.lookAround);
  useEffect(() => {
    if (looks) void begin.current();
  }, [looks]);
  const [source, setSource] = useState<VideoSource>();
  const { state } = scan;
  const linked = phone.linked_to.join(', ');
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const file = pictureAmong(event.dataTransfer.files);
    if (file) void scan.see(file);
  };
  return (
    <>
      <PhoneHead title="Pindai kode QR" onBack={onBack} />
      <div
        className="grid content-start gap-12 grow overflow-y p-16"
        onDragOver={(event) => event.preventDefault()}
        onDrop={drop}
      >
        <Finder scan={scan} source={source} onSourceEnd={() => setSource(undefined)} />
        <p role="status" className="muted balance text-center hide-empty">
          {state.at === 'looking' && 'Membaca gambar…'}
          {state.at === 'done' &&
            (linked ? `Tersambung ke token ${linked}.` : 'Terpindai. Menyambungkan…')}
          {state.at === 'idle' &&
            (source
              ? 'Arahkan ke kode QR.'
              : 'Buka halaman QR di tab lain, lalu arahkan kamera ini ke sana.')}
        </p>
        <Alert
          state="danger"
          visible={state.at === 'failed'}
          label={state.at === 'failed' ? state.sentence : ''}
        />
        {state.at === 'done' ? (
          <Button size="lg" block onClick={onBack}>
            Selesai
          </Button>
        ) : (
          <>
            <Sources
              busy={state.at === 'looking'}
              source={source}
              onScreens={() => void scan.lookAround()}
              onFile={(file) => void scan.see(file)}
              onSource={setSource}
            />
            <PairingCode busy={state.at === 'looking'} onCode={(code) => void scan.pair(code)} />
          </>
        )}
      </div>
    </>
  );
}

type FinderProps = {
  scan: Scan;
  source: VideoSource | undefined;
  onSourceEnd: () => void;
};

function Finder({ scan, source, onSourceEnd }: FinderProps) {
  const { broken, fail } = useBroken(scan.picture);
  const picture = broken ? undefined : scan.picture;
  const Sign = scan.state.at === 'done' ? CircleCheck : ScanQrCode;
  return (
    <div
      className={classes('place-center overflow-hidden relative', styles['finder'])}
      data-state={scan.state.at}
    >
      {source && (
        <LiveVideo
          kind={source}
          onText={(text) => {
            onSourceEnd();
            void scan.read(text);
          }}
          onFailure={(sentence) => {
            onSourceEnd();
            scan.fail(sentence);
          }}
        />
      )}
      {!source && picture && <img src={picture} alt="Gambar di depan kamera" onError={fail} />}
      {!source && !picture && <Sign size={72} strokeWidth={1} aria-hidden="true" />}
    </div>
  );
}

type SourcesProps = {
  busy: boolean;
  source: VideoSource | undefined;
  onScreens: () => void;
  onFile: (file: File) => void;
  onSource: (kind: VideoSource | undefined) => void;
};

const sourceLabels = {
  camera: { label: 'Kamera perangkat', Icon: Lens },
  screen: { label: 'Bagikan layar', Icon: MonitorUp },
} as const;

function Sources({ busy, source, onScreens, onFile, onSource }: SourcesProps) {
  return (
    <div className={classes('flex wrap gap-8', styles['sources'])}>
      <Button size="lg" block busy={busy} icon={<ScanQrCode size={18} />} onClick={onScreens}>
        Arahkan ke tab lain
      </Button>
      <label
        className={classes(
          'row justify-center gap-8 strong pointer px-12 border-control rounded surface relative hover ring-within',
          styles['file'],
        )}
      >
        <ImageUp size={18} />
        Pilih gambar
        <input
          className="cover"
          type="file"
          accept="image/*"
          onChange={(event) => {
            const file = pictureAmong(event.target.files);
            event.target.value = '';
            if (file) onFile(file);
          }}
        />
      </label>
      {videoSources().map((kind) => {
        const { label, Icon } = sourceLabels[kind];
        return (
          <Button
            key={kind}
            variant="outline"
            aria-pressed={source === kind}
            icon={<Icon size={18} />}
            onClick={() => onSource(source === kind ? undefined : kind)}
          >
            {label}
          </Button>
        );
      })}
      <p className={classes('small faint text-center', styles['hint'])}>
        Tangkapan layar juga boleh ditempel atau diseret ke sini.
      </p>
    </div>
  );
}

function PairingCode({ busy, onCode }: { busy: boolean; onCode: (code: string) => void }) {
  const [code, setCode] = useState('');
  const [missing, setMissing] = useState(false);
  const send = (event: FormEvent) => {
    event.preventDefault();
    setMissing(code.trim() === '');
    if (code.trim() !== '' && !busy) onCode(code.trim());
  };
  return (
    <form
      noValidate
      className={classes('grid align-start gap-8 columns-end border-t ruled', styles['code'])}
      onSubmit={send}
    >
      <TextField
        label="Atau kode penautan"
        name="code"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={40}
        value={code}
        error={missing ? 'Tulis kode penautannya.' : undefined}
        onChange={(event) => setCode(event.target.value)}
      />
      <Button type="submit" variant="subtle" tone="neutral">
        Tautkan
      </Button>
    </form>
  );
}

const LOOK_MS = 300;

type LiveVideoProps = {
  kind: VideoSource;
  onText: (text: string) => void;
  onFailure: (sentence: string) => void;
};

function LiveVideo({ kind, onText, onFailure }: LiveVideoProps) {
  const screen = useRef<HTMLVideoElement>(null);
  const callbacks = useRef({ onText, onFailure });
  useEffect(() => {
    callbacks.current = { onText, onFailure };
  });
  useEffect(() => {
    let stream: MediaStream | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    const look = async () => {
      const text = screen.current && (await readFrame(screen.current));
      if (over) return;
      if (text) callbacks.current.onText(text);
      else timer = setTimeout(() => void look(), LOOK_MS);
    };
    const start = async () => {
      stream = await openVideoSource(kind);
      if (over || !screen.current) return stop();
      screen.current.srcObject = stream;
      await screen.current.play();
      await look();
    };
    const stop = () => {
      over = true;
      clearTimeout(timer);
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    start().catch(() => {
      if (!over)
        callbacks.current.onFailure(
          'Kamera tidak dapat dibuka. Izinkan di browser, atau pilih gambar.',
        );
    });
    return stop;
  }, [kind]);
  return <video ref={screen} muted playsInline aria-label="Yang dilihat kamera" />;
}

type State =
  | { at: 'idle' }
  | { at: 'looking' }
  | { at: 'done' }
  | { at: 'failed'; sentence: string };

const NOTHING_IN_SIGHT =
  'Tidak ada kode QR di tab lain. Buka halaman QR lebih dulu, atau pilih gambarnya.';
const STALE_QR =
  'Kode QR ini sudah diganti. Tampilkan tab pindainya sebentar, lalu pindai kode yang terbaru.';
const STALE_CODE = 'Kode penautan ini tidak dikenal atau sudah diganti. Tulis kode yang terbaru.';
const NO_CODE =
  'Tidak ada kode QR yang terbaca pada gambar ini. Pilih gambar lain yang lebih jelas.';
const NO_PICTURE = 'Berkas ini bukan gambar yang dapat dibaca.';

const pictureAmong = (files: FileList | null | undefined): File | undefined =>
  [...(files ?? [])].find((file) => file.type.startsWith('image/'));

type Scan = ReturnType<typeof useScan>;

function useScan(phone: string, screens: Screens) {
  const client = useQueryClient();
  const [state, setState] = useState<State>({ at: 'idle' });
  const [picture, setPicture] = useState<string>();
  const scan = useAct(simulatedScan);
  /** One scan at a time, also before the state is on the screen. */
  const busy = useRef(false);

  const fail = (sentence: string) => setState({ at: 'failed', sentence });

  const read = async (text: string, stale: string) => {
    // Our codes are shorter, and a truncated one would be another code.
    if (text.length > SCAN_TEXT_MAX) return fail(stale);
    try {
      const after = await scan.perform({ phone, text });
      client.setQueryData(phoneQuery(phone).queryKey, after);
      screens.lookAway();
      setState({ at: 'done' });
    } catch (no) {
      fail(refusalCode(no) === 'qr_stale' ? stale : sentenceOf(no));
    }
  };

  const seeUrl = async (url: string) => {
    setPicture(url);
    const text = await readPicture(url).catch(() => null);
    if (text) await read(text, STALE_QR);
    else fail(text === null ? NO_PICTURE : NO_CODE);
  };

  const alone = async (work: () => Promise<void>) => {
    if (busy.current) return;
    busy.current = true;
    setState({ at: 'looking' });
    try {
      await work();
    } finally {
      busy.current = false;
    }
  };

  const lookAround = () =>
    alone(async () => {
      setPicture(undefined);
      const png = await screens.look();
      if (png) await seeUrl(png);
      else fail(NOTHING_IN_SIGHT);
    });
  const see = (file: File) => alone(() => seeUrl(URL.createObjectURL(file)));

  useEffect(() => {
    return () => {
      if (picture?.startsWith('blob:')) URL.revokeObjectURL(picture);
    };
  }, [picture]);
  usePasted((file) => void see(file));

  return {
    state,
    picture,
    read: (text: string) => alone(() => read(text, STALE_QR)),
    pair: (code: string) => alone(() => read(code, STALE_CODE)),
    see,
    lookAround,
    fail,
  };
}

function usePasted(take: (file: File) => void): void {
  const newest = useRef(take);
  useEffect(() => {
    newest.current = take;
  });
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent) => {
      const file = pictureAmong(clipboardData?.files);
      if (file) newest.current(file);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, []);
}

/** Longest sides (px) at which a picture is scanned: a code may be large or small in it. */
const SIDES = [1600, 900, 480] as const;

type Drawable = { source: CanvasImageSource; width: number; height: number };

/** The pixels of a picture, its longest side no longer than `side`. */
function pixelsOf({ source, width, height }: Drawable, side: number): ImageData | undefined {
  const scale = Math.min(1, side / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  if (!pen) return undefined;
  // A transparent picture gets a white background, not a black one.
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(source, 0, 0, canvas.width, canvas.height);
  return pen.getImageData(0, 0, canvas.width, canvas.height);
}

/** Scans an image for a QR code at several sizes. The reader is loaded lazily. */
async function look(drawable: Drawable, sides: readonly number[]): Promise<string | undefined> {
  const { readQr } = await import('#web/features/simulator/camera/readQr.ts');
  for (const [index, side] of sides.entries()) {
    const smaller = Math.max(drawable.width, drawable.height) <= (sides[index + 1] ?? 0);
    const pixels = smaller ? undefined : pixelsOf(drawable, side);
    const text = pixels && readQr(pixels);
    if (text) return text;
  }
  return undefined;
}

/**
 * The text of the QR code in a picture; `undefined` when none can be read.
 *
 * @param url a `blob:` or `data:` address.
 * @throws an EncodingError when it is not a picture.
 */
async function readPicture(url: string): Promise<string | undefined> {
  const image = new Image();
  image.src = url;
  await image.decode();
  return look({ source: image, width: image.naturalWidth, height: image.naturalHeight }, SIDES);
}

async function readFrame(video: HTMLVideoElement): Promise<string | undefined> {
  if (video.videoWidth === 0) return undefined;
  return look({ source: video, width: video.videoWidth, height: video.videoHeight }, [900]);
}

type VideoSource = 'camera' | 'screen';

type Policy = { allowsFeature: (feature: string) => boolean };

/** Whether the page's own policy allows a feature; a browser that cannot tell finds out on use. */
function allowed(feature: string): boolean {
  const { featurePolicy } = document as { featurePolicy?: Policy };
  return featurePolicy?.allowsFeature(feature) ?? true;
}

function videoSources(): readonly VideoSource[] {
  // Undefined in an insecure context: on plain http, away from localhost.
  const { mediaDevices } = navigator as { mediaDevices?: Partial<MediaDevices> };
  const kinds: VideoSource[] = [];
  if (mediaDevices?.getUserMedia && allowed('camera')) kinds.push('camera');
  if (mediaDevices?.getDisplayMedia && allowed('display-capture')) kinds.push('screen');
  return kinds;
}

const openVideoSource = (kind: VideoSource): Promise<MediaStream> =>
  kind === 'camera'
    ? navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' }, audio: false })
    : navigator.mediaDevices.getDisplayMedia({ video: true, audio: false });
