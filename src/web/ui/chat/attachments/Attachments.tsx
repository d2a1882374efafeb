import { X } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { Alert } from '#web/ui/alert/Alert.tsx';
import type { AttachedFile } from '#web/ui/chat/attachments/attachedFiles.ts';
import type { Attached } from '#web/ui/chat/attachments/useAttached.ts';
import { fileEnd } from '#web/ui/chat/chat.ts';
import styles from '#web/ui/chat/composer/composer.module.css';
import { classes } from '#web/ui/classes.ts';
import { fileSizeText, shortSizes } from '#web/ui/upload/fileSize.ts';

/** The attachments of the next message, and the errors of rejected files. */
export const Attachments = ({ attached }: { attached: Attached }) => (
  <>
    <Faults {...attached} />
    <Files {...attached} />
  </>
);

const Faults = ({ faults, forgetFaults }: Attached) =>
  faults.length > 0 && (
    <div className={classes('py-10 px-12 border-t overflow-y', styles['faults'])}>
      <Alert
        visible
        state="danger"
        label={faults.map((fault) => (
          <span key={fault} className="block">
            {fault}
          </span>
        ))}
        onClose={forgetFaults}
      />
    </div>
  );

/** The files as a radio group: the box below edits the selected file's caption. */
function Files({ files, selected, select, remove, isTooLong, box }: Attached) {
  const name = useId();
  // On phones only a tap on the box opens the keyboard.
  const write = () => {
    if (matchMedia('(pointer: fine)').matches) box.current?.focus();
  };
  if (files.length === 0) return null;
  return (
    <div
      role="radiogroup"
      className={classes('flex wrap gap-8 py-10 px-12 border-t overflow-y', styles['files'])}
      aria-label="Lampiran yang akan dikirim"
    >
      {files.map((attached) => {
        const { id, file } = attached;
        return (
          <div
            key={id}
            className={classes('row border rounded surface ring-within', styles['file'])}
            data-fault={isTooLong(attached) || undefined}
            data-selected={attached === selected || undefined}
          >
            <label
              className={classes('row gap-8 min-w-0 pointer relative', styles['choice'])}
              title={file.name}
            >
              <input
                type="radio"
                className="cover"
                name={name}
                checked={attached === selected}
                onChange={() => select(id)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={({ detail }) => detail > 0 && write()}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter') return;
                  event.preventDefault();
                  box.current?.focus();
                }}
              />
              <Thumb file={file} />
              <span className="grid min-w-0 small leading-ui">
                <bdi className="truncate">{file.name}</bdi>
                <About {...attached} isTooLong={isTooLong(attached)} />
              </span>
            </label>
            <button
              type="button"
              className="place-center flex-none muted size-36 rounded-full hover"
              aria-label={`Hapus ${file.name}`}
              onClick={() => {
                remove(id);
                write();
              }}
            >
              <X size={16} />
            </button>
          </div>
        );
      })}
    </div>
  );
}

const About = ({ file, caption, isTooLong }: AttachedFile & { isTooLong: boolean }) => (
  <span className="truncate muted num">
    {isTooLong && <span className="text-danger">Keterangan terlalu panjang</span>}
    {!isTooLong && (caption.trim() ? <bdi>{caption}</bdi> : fileSizeText(file.size, shortSizes))}
  </span>
);

/** A picture's thumbnail; anything else, and a broken picture, by its extension. */
function Thumb({ file }: { file: File }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!file.type.startsWith('image/')) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url ? (
    <img
      src={url}
      alt=""
      className={classes(
        'place-center flex-none tiny muted size-40 rounded-sm sunken',
        styles['thumb'],
      )}
      onError={() => setUrl(undefined)}
    />
  ) : (
    <span
      className={classes(
        'place-center flex-none tiny muted size-40 rounded-sm sunken',
        styles['thumb'],
      )}
      aria-hidden="true"
    >
      {fileEnd(file.name).toUpperCase() || '?'}
    </span>
  );
}
