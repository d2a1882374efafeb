import { useEffect, useState } from 'react';
import {
  readFiles,
  storeFiles,
  type AttachedFile,
  type GoneFile,
} from '#web/ui/chat/attachments/attachedFiles.ts';

/** How files become others. */
type Change = (change: (files: readonly AttachedFile[]) => readonly AttachedFile[]) => void;

const NONE: readonly AttachedFile[] = [];

type Files = {
  files: readonly AttachedFile[];
  change: Change;
  /** Why files were not taken, or are no longer there: one sentence each. */
  faults: readonly string[];
  setFaults: (faults: readonly string[]) => void;
};

/** The files attached in a thread, stored in this browser until they are sent. */
export function useFiles(thread: string): Files {
  const [state, setState] = useState({ thread, files: NONE, read: false });
  const [faults, setFaults] = useState<readonly string[]>([]);
  // Another thread, other files.
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
    // What is stored is not known before it was read.
    if (state.read) storeFiles(state.thread, state.files);
  }, [state]);
  return {
    files: state.thread === thread ? state.files : NONE,
    change: (next) => setState((now) => ({ ...now, files: next(now.files) })),
    faults,
    setFaults,
  };
}

/** What was said of it is not lost: it can be copied from there. */
const goneFault = ({ name, caption }: GoneFile): string =>
  `${name} tidak ada lagi di peramban ini. Pilih sekali lagi.${caption && ` Keterangannya: ${caption}`}`;
