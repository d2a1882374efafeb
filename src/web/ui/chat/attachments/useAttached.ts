import { useRef, useState, type RefObject, useEffect } from 'react';
import { TEXT_MAX } from '#contract/messages.ts';
import type { UploadPurpose } from '#contract/uploads.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import { readUnsent } from '#web/api/unsent.ts';
import { dropFile, keepFile } from '#web/api/uploads/outgoingFiles.ts';
import {
  type AttachedFile,
  readFiles,
  storeFiles,
  type GoneFile,
} from '#web/ui/chat/attachments/attachedFiles.ts';
import { fileFault } from '#web/ui/chat/attachments/fileFault.ts';
import { useDraft } from '#web/ui/chat/composer/useDraft.ts';

export type Attached = {
  files: readonly AttachedFile[];
  selected: AttachedFile | undefined;
  select: (id: string) => void;
  /** The content of the box: the caption of the selected file, or the text without files. */
  text: string;
  write: (text: string) => void;
  maxLength: number;
  isTooLong: (file: AttachedFile) => boolean;
  /** True if all captions fit; selects the first that does not. */
  check: () => boolean;
  /** One sentence each; kept until other files are selected or they were read. */
  faults: readonly string[];
  attach: (chosen: readonly File[]) => void;
  remove: (id: string) => void;
  forgetFaults: () => void;
  forget: () => void;
  box: RefObject<HTMLTextAreaElement | null>;
};

type Options = {
  thread: string;
  purpose: UploadPurpose;
  captionMax: (file: File) => number;
};

/** The content of a composer: a text, or files with a caption each. Stored in this browser until it is sent. */
export function useAttached({ thread, purpose, captionMax }: Options): Attached {
  const [draft, setDraft] = useDraft(thread);
  const { files, change, faults, setFaults } = useFiles(thread);
  const [selectedId, setSelectedId] = useState<string>();
  const box = useRef<HTMLTextAreaElement>(null);
  const selected = files.find(({ id }) => id === selectedId) ?? files[0];
  const isTooLong = ({ file, caption }: AttachedFile) => caption.trim().length > captionMax(file);
  const attach = (chosen: readonly File[]) => {
    const waiting = files.reduce((sum, { file }) => sum + file.size, waitingBytes());
    const wrong = chosen.map((file) => fileFault(file, waiting, purpose));
    setFaults(wrong.filter((fault) => fault !== undefined));
    const added = chosen
      .filter((_, index) => wrong[index] === undefined)
      .map((file) => ({ id: newIdempotencyKey(), file, caption: '' }));
    const [first] = added;
    if (!first) return;
    for (const { id, file } of added) keepFile(id, file);
    if (files.length === 0) first.caption = draft;
    setDraft('');
    setSelectedId(first.id);
    change((before) => [...before, ...added]);
  };
  const remove = (gone: string) => {
    dropFile(gone);
    const left = files.filter(({ id }) => id !== gone);
    // Removing the last file keeps its caption as the text.
    if (left.length === 0) setDraft(selected?.caption ?? '');
    if (gone === selected?.id) setSelectedId(neighbourOf(files, gone));
    change((before) => before.filter(({ id }) => id !== gone));
  };
  return {
    files,
    selected,
    select: setSelectedId,
    text: selected?.caption ?? draft,
    write: (text) =>
      selected ? change((before) => withCaption(before, selected.id, text)) : setDraft(text),
    maxLength: selected ? captionMax(selected.file) : TEXT_MAX,
    isTooLong,
    check: () => {
      const long = files.find(isTooLong);
      if (long) setSelectedId(long.id);
      return long === undefined;
    },
    faults,
    attach,
    remove,
    forgetFaults: () => setFaults([]),
    forget: () => {
      for (const { id } of files) dropFile(id);
      setDraft('');
      setFaults([]);
      change(() => []);
    },
    box,
  };
}

/** The size of the files of unsent messages. */
const waitingBytes = (): number =>
  readUnsent().reduce((sum, { file }) => sum + (file?.size ?? 0), 0);

function neighbourOf(files: readonly AttachedFile[], id: string): string | undefined {
  const at = files.findIndex((one) => one.id === id);
  return (files[at + 1] ?? files[at - 1])?.id;
}

const withCaption = (
  files: readonly AttachedFile[],
  id: string,
  caption: string,
): readonly AttachedFile[] => files.map((one) => (one.id === id ? { ...one, caption } : one));

type Change = (change: (files: readonly AttachedFile[]) => readonly AttachedFile[]) => void;

const NONE: readonly AttachedFile[] = [];

type Files = {
  files: readonly AttachedFile[];
  change: Change;
  faults: readonly string[];
  setFaults: (faults: readonly string[]) => void;
};

/** The files attached in a thread, stored in this browser until they are sent. */
function useFiles(thread: string): Files {
  const [state, setState] = useState({ thread, files: NONE, read: false });
  const [faults, setFaults] = useState<readonly string[]>([]);
  if (state.thread !== thread) {
    setState({ thread, files: NONE, read: false });
    setFaults([]);
  }
  useEffect(() => {
    let left = false;
    void readFiles(thread).then(({ files, gone }) => {
      if (left) return;
      if (gone.length > 0) setFaults(gone.map(goneFault));
      setState((now) => ({ ...now, files: [...files, ...now.files], read: true }));
    });
    return () => {
      left = true;
    };
  }, [thread]);
  useEffect(() => {
    // Not before the stored files were read.
    if (state.read) storeFiles(state.thread, state.files);
  }, [state]);
  return {
    files: state.thread === thread ? state.files : NONE,
    change: (next) => setState((now) => ({ ...now, files: next(now.files) })),
    faults,
    setFaults,
  };
}

const goneFault = ({ name, caption }: GoneFile): string =>
  `${name} tidak ada lagi di browser ini. Pilih sekali lagi.${caption && ` Keterangannya: ${caption}`}`;
