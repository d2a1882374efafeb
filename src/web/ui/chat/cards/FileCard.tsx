import {
  Download,
  ExternalLink,
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
import type { ReactNode } from 'react';
import { safeHref } from '#contract/messages/captions.ts';
import { fileMissing, type FileMissing } from '#contract/messages/content.ts';
import { classes } from '#web/ui/classes.ts';
import styles from '#web/ui/chat/cards/cards.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { fileKind, fileType, type ChatMessage, type FileKind } from '#web/ui/chat/chat.ts';
import { fileSizeText, shortSizes } from '#web/ui/upload/fileSize.ts';

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
  /** Used where the name has no extension. */
  type: string;
  url?: string | undefined;
  /** In bytes, if known. */
  size?: number | undefined;
};

/** A file to download: kind, name (cut at 250 px, complete in its title), type and size. */
export function FileCard({ name, type, url, size }: Props) {
  const facts = [
    fileType(name, type) || 'Berkas',
    size !== undefined && fileSizeText(size, shortSizes),
    url === undefined && 'tidak dapat diunduh',
  ];
  const inside = (
    <Inside kind={fileKind(name, type)} name={name || 'Berkas'}>
      {url !== undefined && <span className="sr-only">Unduh, </span>}
      {facts.filter(Boolean).join(' · ')}
    </Inside>
  );
  if (url === undefined)
    return <span className="row gap-10 max-w-full min-h-44 inherit no-underline">{inside}</span>;
  return (
    <a
      href={url}
      download={name || true}
      className="row gap-10 max-w-full min-h-44 inherit no-underline"
    >
      {inside}
      <Download size={18} className={styles['download']} />
    </a>
  );
}

export type MediaWord = keyof typeof linkWords;

export type ImageLoading = {
  onLoad: () => void;
  isBusy: boolean;
  hasFailed: boolean;
};

type LinkProps = {
  kind: MediaWord;
  message: Pick<ChatMessage, 'type' | 'url' | 'filename'>;
  loading?: ImageLoading | undefined;
};

const linkWords = {
  image: 'Gambar',
  sticker: 'Stiker',
  audio: 'Pesan suara',
  video: 'Video',
  file: 'Berkas',
} as const;

/**
 * A file on another host: its kind, host and a link that opens a new tab. The page loads nothing of it; an image is
 * fetched by the server when `loading` is used. An unsafe address (`safeHref`) is reported and not linked.
 */
export function LinkCard({ kind, message: { type, url, filename }, loading }: LinkProps) {
  const href = safeHref(url ?? '');
  const name = filename ?? '';
  const word = (kind === 'file' && fileType(name, type)) || linkWords[kind];
  const facts = [name !== '' && word, href ? new URL(href).host : 'tautan tidak dapat dibuka'];
  return (
    <span className="row gap-10 max-w-full min-h-44 inherit no-underline">
      <Inside kind={iconOf(kind, fileKind(name, type))} name={name || word}>
        {facts.filter(Boolean).join(' · ')}
        {href && (
          <a
            href={href}
            target="_blank"
            rel="noopener noreferrer nofollow ugc"
            className="row w-fit small strong gap-4 min-h-28"
          >
            Buka tautan
            <ExternalLink size={14} />
            <span className="sr-only"> (tab baru)</span>
          </a>
        )}
        {href && kind === 'image' && loading && (
          <>
            <Button
              size="sm"
              variant="outline"
              tone="primary"
              busy={loading.isBusy}
              onClick={loading.onLoad}
            >
              Muat gambar
            </Button>
            <span role="status">{loading.hasFailed && 'Gambar tidak dapat dimuat.'}</span>
          </>
        )}
      </Inside>
    </span>
  );
}

type MissingProps = { kind: MediaWord; name: string; missing: FileMissing };

export const MissingCard = ({ kind, name, missing }: MissingProps) => (
  <span
    className={classes('row gap-10 max-w-full min-h-44 inherit no-underline', styles['missing'])}
  >
    <Inside kind={iconOf(kind, fileKind(name, ''))} name={name || linkWords[kind]}>
      {fileMissing[missing]}
    </Inside>
  </span>
);

const iconOf = (kind: MediaWord, file: FileKind): FileKind =>
  kind === 'file' ? file : kind === 'sticker' ? 'image' : kind;

type InsideProps = { kind: FileKind; name: string; children: ReactNode };

function Inside({ kind, name, children }: InsideProps) {
  const Icon = icons[kind];
  return (
    <>
      <span
        className={classes(
          'place-center flex-none text-accent size-40 rounded',
          styles['fileCardIcon'],
        )}
      >
        <Icon size={20} aria-hidden="true" />
      </span>
      <span className="grid min-w-0">
        <bdi className={classes('truncate strong hover-underline', styles['name'])} title={name}>
          {name}
        </bdi>
        <span className="tiny faint num break-anywhere">{children}</span>
      </span>
    </>
  );
}
