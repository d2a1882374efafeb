import {
  Download,
  File,
  FileArchive,
  FileAudio,
  FileCode,
  FileImage,
  FileSpreadsheet,
  FileText,
  FileVideo,
  Presentation,
} from 'lucide-react';
import styles from '#web/ui/chat/FileCard.module.css';
import { fileKind, fileType, type FileKind } from '#web/ui/rules/chat.ts';
import { fileSizeText, shortSizes } from '#web/ui/rules/fileSize.ts';

const icons: Record<FileKind, typeof File> = {
  document: FileText,
  sheet: FileSpreadsheet,
  slides: Presentation,
  archive: FileArchive,
  image: FileImage,
  audio: FileAudio,
  video: FileVideo,
  code: FileCode,
  other: File,
};

type Props = {
  name: string;
  /** Tells what it is where the name does not. */
  type: string;
  /** Where it is fetched from; without it there is nothing to download. */
  url?: string | undefined;
  /** In bytes, where it is known. */
  size?: number | undefined;
};

/** A file to download: what it is, its name (cut at 250 px, whole as its title), type and size. */
export function FileCard({ name, type, url, size }: Props) {
  const Icon = icons[fileKind(name, type)];
  const facts = [
    fileType(name, type) || 'Berkas',
    size !== undefined && fileSizeText(size, shortSizes),
  ];
  const inside = (
    <>
      <span className={styles['icon']}>
        <Icon size={20} aria-hidden="true" />
      </span>
      <span className={styles['words']}>
        <bdi className={styles['name']} title={name || undefined}>
          {name || 'Berkas'}
        </bdi>
        <span className={styles['facts']}>
          {url !== undefined && <span className="sr-only">Unduh, </span>}
          {[...facts, url === undefined && 'tidak dapat diunduh'].filter(Boolean).join(' · ')}
        </span>
      </span>
    </>
  );
  if (url === undefined) return <span className={styles['card']}>{inside}</span>;
  return (
    <a href={url} download={name || true} className={styles['card']}>
      {inside}
      <Download size={18} aria-hidden="true" className={styles['download']} />
    </a>
  );
}
