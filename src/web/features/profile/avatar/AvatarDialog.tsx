import { typeNames } from '#web/api/uploads/fileTypes.ts';
import { useEffect, useRef, useState } from 'react';
import { endingsFor } from '#contract/uploads.ts';
import { peopleActs } from '#web/api/lazyApi.ts';
import { isAbort, sentenceOf } from '#web/api/errors.ts';
import { useTakeUser } from '#web/features/profile/preferences/preferences.ts';
import { useAct } from '#web/api/query.ts';
import { Fault } from '#web/api/uploads/uploadFault.ts';
import { uploadServer } from '#web/api/uploads/uploadWire.ts';
import { CropStage, type Picture } from '#web/features/profile/avatar/CropStage.tsx';
import { cropOf, wholeView, type View } from '#web/features/profile/avatar/crop.ts';
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
          <Button variant="outline" tone="neutral" onClick={picture ? another : close}>
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
        <div className="stack justify-items-center gap-14">
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
      className={classes('sunken overflow-hidden', styles['progress'])}
    >
      <span style={{ scale: `${progress} 1` }} />
    </div>
  );
}
