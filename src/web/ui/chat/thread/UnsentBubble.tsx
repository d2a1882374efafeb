import { useEffect, useState, type ReactNode } from 'react';
import { formatTime } from '#contract/base/time.ts';
import { mimeOfName } from '#contract/uploads.ts';
import { dropUnsent, resend } from '#web/api/outbox.ts';
import type { Unsent, UnsentFile } from '#web/api/unsent.ts';
import { typeOfFile } from '#web/api/uploads/fileTypes.ts';
import { fileOf, useProgress } from '#web/api/uploads/outgoingFiles.ts';
import { Button } from '#web/ui/button/Button.tsx';
import type { ChatMessage } from '#web/ui/chat/chat.ts';
import { ChatBubble } from '#web/ui/chat/ChatBubble.tsx';
import { Ticks } from '#web/ui/chat/Ticks.tsx';
import { useOnline } from '#web/ui/layout/OfflineBar.tsx';

type Props = {
  message: Unsent;
  first: boolean;
  zone: string;
  /** Converts the message for the renderer; `file` is its file, without a caption. */
  shown: (file: ChatMessage | undefined) => ChatMessage;
  head?: ReactNode;
  internal?: boolean;
  /** The remedy for a refusal, after its reason. */
  remedy?: ReactNode;
};

/** A message that waits to be sent, or was refused. */
export function UnsentBubble({ message, first, zone, shown, remedy, ...rest }: Props) {
  const { id, file, failed = false } = message;
  const url = useFileUrl(id, file !== undefined);
  const at = new Date(message.at);
  return (
    <ChatBubble
      as="div"
      message={shown(file && fileShown(file, url))}
      side="out"
      sender="Anda"
      time={formatTime(at, zone)}
      at={at}
      first={first}
      pending={!failed}
      ticks={
        <Ticks
          mark={failed ? 'failed' : 'waiting'}
          word={failed ? 'Belum terkirim' : 'Menunggu'}
          iconOnly
        />
      }
      note={<UnsentNote message={message} remedy={remedy} />}
      {...rest}
    />
  );
}

type NoteProps = { message: Unsent; sentence?: string; remedy?: ReactNode };

/** The progress of a message's file, or why the message was not sent, with what the person can do. */
export function UnsentNote({ message, sentence = 'Belum terkirim.', remedy }: NoteProps) {
  const progress = useProgress(message.id);
  const online = useOnline();
  const { why, failed, file } = message;
  const drop = (word: string) => (
    <Button size="sm" variant="link" tone="neutral" onClick={() => dropUnsent(message)}>
      {word}
    </Button>
  );
  if (progress !== undefined) {
    return (
      <div className="row gap-8 muted">
        <progress
          className="w-120"
          max={1}
          value={progress}
          aria-label={`Mengunggah ${file?.name ?? ''}`}
        />
        <span className="num">{Math.floor(progress * 100)}%</span>
        {drop('Batalkan')}
      </div>
    );
  }
  // Offline, the bar above the page says it all.
  if (!failed && (!why || !online)) return file && !online ? drop('Batalkan') : null;
  return (
    <div className="grid justify-items-end gap-6" role="alert">
      <p>
        {sentence} {why} {failed ? remedy : 'Dicoba lagi otomatis.'}
      </p>
      <span className="flex gap-8">
        <Button size="sm" variant="outline" tone="danger" onClick={() => resend(message)}>
          Kirim ulang
        </Button>
        {drop('Hapus')}
      </span>
    </div>
  );
}

/** The type in the thread for a MIME type. */
const kinds: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'audio/ogg': 'ogg',
  'audio/mp4': 'ogg',
  'audio/webm': 'ogg',
  'video/mp4': 'mp4',
};

/** A file as a chat message; by its name only while its bytes (`url`) are unavailable. */
export function fileShown(file: UnsentFile, url: string | undefined): ChatMessage {
  const { name, size } = file;
  return {
    type: url === undefined ? 'file' : (kinds[typeOfFile(file)] ?? mimeOfName(name) ?? 'file'),
    url: url ?? null,
    external: false,
    filename: name,
    file: { size },
    caption: '',
  };
}

/** The object URL of a file that waits in this browser, for a preview before sending. */
function useFileUrl(id: string, hasFile: boolean): string | undefined {
  const [file, setFile] = useState<File>();
  useEffect(() => {
    if (!hasFile) return;
    let gone = false;
    void fileOf(id).then((found) => {
      if (!gone) setFile(found);
    });
    return () => {
      gone = true;
    };
  }, [id, hasFile]);
  return useObjectUrl(file);
}

export function useObjectUrl(file: File | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!file) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => {
      URL.revokeObjectURL(made);
      setUrl(undefined);
    };
  }, [file]);
  return url;
}
