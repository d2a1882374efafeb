import { useEffect, useState } from 'react';
import { mimeOfName } from '#contract/uploads.ts';
import { typeOfFile } from '#web/api/uploads/fileTypes.ts';
import { fileOf } from '#web/api/uploads/outgoingFiles.ts';
import type { ChatMessage } from '#web/ui/chat/chat.ts';

export type WaitingFile = { name: string; type: string; size: number };

const kinds: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'audio/ogg': 'ogg',
  'audio/mp4': 'ogg',
  'audio/webm': 'ogg',
  'video/mp4': 'mp4',
};

/** An outgoing file as a chat message; by its name only while its bytes (`url`) are unavailable. */
export function waitingContent(file: WaitingFile, url: string | undefined, text = ''): ChatMessage {
  const { name, size } = file;
  const mime = typeOfFile(file);
  return {
    type: url === undefined ? 'file' : (kinds[mime] ?? mimeOfName(name) ?? 'file'),
    url: url ?? null,
    external: false,
    filename: name,
    file: { size },
    caption: text,
  };
}

/** The object URL of a file that waits in this browser, for a preview before sending. */
export function useFileUrl(id: string, hasFile: boolean): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!hasFile) return;
    let made: string | undefined;
    let gone = false;
    void fileOf(id).then((found) => {
      if (gone || !found) return;
      made = URL.createObjectURL(found);
      setUrl(made);
    });
    return () => {
      gone = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [id, hasFile]);
  return url;
}
