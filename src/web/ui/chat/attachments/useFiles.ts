import { useEffect, useState } from 'react';
import {
  readFiles,
  storeFiles,
  type AttachedFile,
  type GoneFile,
} from '#web/ui/chat/attachments/attachedFiles.ts';

type Change = (change: (files: readonly AttachedFile[]) => readonly AttachedFile[]) => void;

const NONE: readonly AttachedFile[] = [];

type Files = {
  files: readonly AttachedFile[];
  change: Change;
  faults: readonly string[];
  setFaults: (faults: readonly string[]) => void;
};

/** The files attached in a thread, stored in this browser until they are sent. */
export function useFiles(thread: string): Files {
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
