import type { ReactNode } from 'react';

export type Question = {
  title: ReactNode;
  children?: ReactNode;
  /** Default 'Cancel'; screens use 'Batal'. */
  cancelText?: string;
  /** Default 'Delete'; screens use 'Hapus', 'Keluar' and so on. */
  confirmText?: string;
  /** `danger` unless it can be undone. */
  tone?: 'danger' | 'primary';
  /** Runs while the dialog waits; an error is shown inside, and the dialog stays open. */
  onConfirm?: () => void | Promise<void>;
  /** The message for an error of `onConfirm`; '' shows none. */
  sentenceOf?: (error: unknown) => string;
};
