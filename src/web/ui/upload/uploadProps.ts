import type { ReactNode, Ref } from 'react';
import type { UploadMetadata, UploadPurpose } from '#contract/uploads.ts';
import type { StoredUpload } from '#web/ui/upload/queue/uploadQueue.ts';
import type { UploadsStand } from '#web/ui/upload/queue/uploadState.ts';
import type { UploadLabels } from '#web/ui/upload/uploadLabels.ts';

/** What an owner can do to a widget: from a tool beside it, say. */
export type FileUploadHandle = {
  /** Opens the browser's dialog for files. */
  browse: () => void;
  /** Takes files in, as if they had been chosen. */
  add: (files: readonly File[]) => void;
};

export type FileUploadProps = {
  label: ReactNode;
  /** A line under it; an error takes its place. */
  help?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  hideLabel?: boolean;
  disabled?: boolean;
  /** What the files are for: says which types and sizes are taken, and what the server does with them. */
  purpose?: UploadPurpose;
  /** Goes with every file: the part of a picture that is shown. */
  metadata?: Omit<UploadMetadata, 'purpose' | 'type'>;
  /** Types (`image/png`) and families (`image/*`); those of the purpose when left out. */
  accept?: readonly string[];
  /** Names of types for people; `null` hides one. */
  typeLabels?: Readonly<Record<string, string | null>>;
  /** Bytes of a file at most; those of the purpose when left out. */
  maxBytes?: number;
  multiple?: boolean;
  /** Files in all at most; left out: 1,000,000. */
  maxFiles?: number;
  /** The ids of uploads that are shown, as `onChange` gave them. What leaves it was used, and stays. */
  value?: readonly string[];
  /** Ids of the complete uploads, in their order, whenever they change. */
  onChange?: (ids: readonly string[]) => void;
  /** A file was taken in; with `instantUpload` off nothing has been sent of it. */
  onAdd?: (file: File) => void;
  /** How all of it stands; a form waits while it is `busy`. */
  onStand?: (stand: UploadsStand) => void;
  /** What is known of ids in `value` that the widget did not upload itself. */
  stored?: readonly StoredUpload[];
  /** Deletes a stored (`local`) file for good when it is removed. */
  onDiscard?: (id: string) => Promise<void>;
  /** An item was put elsewhere. */
  onReorder?: (ids: readonly string[], from: number, to: number) => void;
  allowDrop?: boolean;
  allowBrowse?: boolean;
  allowPaste?: boolean;
  /** On a field for one file, another one takes its place. */
  allowReplace?: boolean;
  allowProcess?: boolean;
  allowRevert?: boolean;
  allowRemove?: boolean;
  allowReorder?: boolean;
  /** Files are sent as soon as they are there. */
  instantUpload?: boolean;
  /** What the server cannot take back stays. */
  forceRevert?: boolean;
  /** Also takes what is dropped beside it. */
  dropOnPage?: boolean;
  /** Invalid files make the form around it invalid. */
  checkValidity?: boolean;
  /** New files come before or after those that are there; what is dropped, where it is dropped. */
  itemInsertLocation?: 'before' | 'after';
  maxParallelUploads?: number;
  chunkBytes?: number;
  chunkForce?: boolean;
  /** KB of 1000 or of 1024 bytes. */
  sizeBase?: 1000 | 1024;
  /** Asks a phone for its camera or microphone. */
  capture?: 'user' | 'environment';
  labels?: Partial<UploadLabels>;
  ref?: Ref<FileUploadHandle>;
};
