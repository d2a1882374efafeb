import { useState } from 'react';
import type { UploadPurpose } from '#contract/uploads.ts';
import { fileFault } from '#web/ui/chat/attachments/fileFault.ts';

/** Files that were chosen and go along with the next line, and why others were not taken. */
export type Attached = {
  files: readonly File[];
  /** One sentence each; they stay until other files are chosen, or they were read. */
  faults: readonly string[];
  attach: (chosen: readonly File[]) => void;
  remove: (file: File) => void;
  forgetFaults: () => void;
  /** They are on their way. */
  forget: () => void;
};

/**
 * The files of a composer.
 *
 * @param purpose what they are sent for
 * @param elsewhere bytes of other files that wait to be sent
 */
export function useAttached(purpose: UploadPurpose, elsewhere = () => 0): Attached {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [faults, setFaults] = useState<readonly string[]>([]);
  const attach = (chosen: readonly File[]) => {
    const waiting = files.reduce((sum, { size }) => sum + size, elsewhere());
    const wrong = chosen.map((file) => fileFault(file, waiting, purpose));
    setFiles([...files, ...chosen.filter((_, index) => wrong[index] === undefined)]);
    setFaults(wrong.filter((fault) => fault !== undefined));
  };
  return {
    files,
    faults,
    attach,
    remove: (file) => setFiles(files.filter((one) => one !== file)),
    forgetFaults: () => setFaults([]),
    forget: () => {
      setFiles([]);
      setFaults([]);
    },
  };
}
