import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Alert } from '#web/ui/alert/Alert.tsx';
import type { Attached } from '#web/ui/chat/attachments/useAttached.ts';
import { fileEnd } from '#web/ui/chat/chat.ts';
import styles from '#web/ui/chat/attachments/Attachments.module.css';
import { fileSizeText, shortSizes } from '#web/ui/upload/fileSize.ts';

/** What was chosen and goes along with the next line, and why other files do not. */
export const Attachments = ({ attached }: { attached: Attached }) => (
  <>
    <Faults {...attached} />
    <Files {...attached} />
  </>
);

const Faults = ({ faults, forgetFaults }: Attached) =>
  faults.length > 0 && (
    <div className={styles['faults']}>
      <Alert
        visible
        state="danger"
        label={faults.map((fault) => (
          <span key={fault} className={styles['fault']}>
            {fault}
          </span>
        ))}
        onClose={forgetFaults}
      />
    </div>
  );

const Files = ({ files, remove }: Attached) =>
  files.length > 0 && (
    <ul className={styles['files']} aria-label="Lampiran yang akan dikirim">
      {files.map((file, index) => (
        <li key={`${index} ${file.name}`} className={styles['file']}>
          <Thumb file={file} />
          <span className={styles['words']}>
            <bdi className={styles['name']} title={file.name}>
              {file.name}
            </bdi>
            <span className={styles['size']}>{fileSizeText(file.size, shortSizes)}</span>
          </span>
          <button
            type="button"
            className={styles['remove']}
            aria-label={`Hapus ${file.name}`}
            onClick={() => remove(file)}
          >
            <X size={16} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );

/** A picture as it looks; anything else, and a picture that cannot be shown, by its ending. */
function Thumb({ file }: { file: File }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!file.type.startsWith('image/')) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url ? (
    <img src={url} alt="" className={styles['thumb']} onError={() => setUrl(undefined)} />
  ) : (
    <span className={styles['thumb']} aria-hidden="true">
      {fileEnd(file.name).toUpperCase() || '?'}
    </span>
  );
}
