import { Camera as Lens, CircleCheck, ImageUp, MonitorUp, ScanQrCode } from 'lucide-react';
import { type DragEvent, type FormEvent, useEffect, useRef, useState } from 'react';
import type { SimulatedPhone } from '#contract/simulator.ts';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import { LiveVideo } from './LiveVideo.tsx';
import { type VideoSource, videoSources } from './videoSources.ts';
import { PhoneHead } from '#web/features/simulator/phone/PhoneHead.tsx';
import type { Screens } from '#web/features/simulator/phone/screens.ts';
import { pictureAmong, type Scan, useScan } from '#web/features/simulator/camera/useScan.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { useBroken } from '#web/ui/media/useBroken.ts';

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
        className={classes('grid content-start gap-14 grow', styles['camera'])}
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
        <ImageUp size={18} aria-hidden="true" />
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
            tone="neutral"
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
      className={classes('grid align-start gap-8 columns-end border-t', styles['code'])}
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
