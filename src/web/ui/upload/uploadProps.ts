import type { ReactNode, Ref } from 'react';
import type { UploadMetadata, UploadPurpose } from '#contract/uploads.ts';
import type { StoredUpload } from '#web/ui/upload/queue/uploadQueue.ts';
import type { UploadsStand } from '#web/ui/upload/queue/uploadState.ts';
import type { UploadLabels } from '#web/ui/upload/uploadLabels.ts';

/** Imperative actions of a widget, for example for a button beside it. */
export type FileUploadHandle = {
  browse: () => void;
  /** Adds files, as if they had been selected. */
  add: (files: readonly File[]) => void;
};

export type FileUploadProps = {
  label: ReactNode;
  /** Below the field; an error replaces it. */
  help?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  hideLabel?: boolean;
  disabled?: boolean;
  /** The purpose of the files: determines the types and sizes accepted, and the server's processing. */
  purpose?: UploadPurpose;
  /** Sent with every file: the crop of a picture. */
  metadata?: Omit<UploadMetadata, 'purpose' | 'type'>;
  /** Types (`image/png`) and families (`image/*`); omitted: those of the purpose. */
  accept?: readonly string[];
  /** Names of types for people; `null` hides one. */
  typeLabels?: Readonly<Record<string, string | null>>;
  /** The maximum bytes of a file; omitted: that of the purpose. */
  maxBytes?: number;
  multiple?: boolean;
  /** The maximum number of files; omitted: 1,000,000. */
  maxFiles?: number;
  /**
   * The ids of uploads that are shown, as given by `onChange`. Ids removed from it were used, and their uploads stay.
   */
  value?: readonly string[];
  /** Called with the ids of the complete uploads, in order, whenever they change. */
  onChange?: (ids: readonly string[]) => void;
  /** A file was added; without `instantUpload` it is not sent yet. */
  onAdd?: (file: File) => void;
  /** The overall state; a form waits while it is `busy`. */
  onStand?: (stand: UploadsStand) => void;
  /** Metadata of ids in `value` that the widget did not upload itself. */
  stored?: readonly StoredUpload[];
  /** Deletes a stored (`local`) file for good when it is removed. */
  onDiscard?: (id: string) => Promise<void>;
  onReorder?: (ids: readonly string[], from: number, to: number) => void;
  allowDrop?: boolean;
  allowBrowse?: boolean;
  allowPaste?: boolean;
  /** On a single-file field, a new file replaces the present one. */
  allowReplace?: boolean;
  allowProcess?: boolean;
  allowRevert?: boolean;
  allowRemove?: boolean;
  allowReorder?: boolean;
  /** Files are sent as soon as they are added. */
  instantUpload?: boolean;
  /** Uploads that the server cannot revert stay. */
  forceRevert?: boolean;
  /** Also accepts drops elsewhere on the page. */
  dropOnPage?: boolean;
  /** Invalid files make the form around it invalid. */
  checkValidity?: boolean;
  /** The position of new files; dropped files are inserted at the drop position. */
  itemInsertLocation?: 'before' | 'after';
  maxParallelUploads?: number;
  chunkBytes?: number;
  chunkForce?: boolean;
  /** KB of 1000 or of 1024 bytes. */
  sizeBase?: 1000 | 1024;
  /** Opens a phone's camera or microphone. */
  capture?: 'user' | 'environment';
  labels?: Partial<UploadLabels>;
  ref?: Ref<FileUploadHandle>;
};
