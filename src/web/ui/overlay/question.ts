import type { ReactNode } from 'react';

/** What a confirmation asks. */
export type Question = {
  title: ReactNode;
  children?: ReactNode;
  /** Default 'Cancel'; screens say 'Batal'. */
  cancelText?: string;
  /** Default 'Delete'; screens say 'Hapus', 'Keluar' and so on. */
  confirmText?: string;
  /** `danger` unless it can be undone. */
  tone?: 'danger' | 'primary';
  /** Done while the dialog waits; what it throws is shown inside, and the dialog stays. */
  onConfirm?: () => void | Promise<void>;
  /** The sentence for what `onConfirm` threw; '' leaves it untold. */
  sentenceOf?: (error: unknown) => string;
};
