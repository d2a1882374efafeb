import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { bytesMaxFor, mimesFor, type FileMime } from '#contract/uploads.ts';
import type { Fault } from '#web/api/uploads/uploadFault.ts';
import { Uploads, type UploadSettings } from '#web/ui/upload/queue/uploadQueue.ts';
import { uploadServer } from '#web/api/uploads/uploadWire.ts';
import type { FileUploadProps } from '#web/ui/upload/uploadProps.ts';
import { fileSizeText } from '#web/ui/upload/fileSize.ts';
import { acceptsType, expectsText, typeOfFile } from '#web/api/uploads/fileTypes.ts';
import {
  standOf,
  uploadedIds,
  uploadOrigins,
  type UploadFault,
  type UploadState,
} from '#web/ui/upload/queue/uploadState.ts';
import { createUploadAnnouncer, type UploadAnnouncer } from '#web/ui/upload/uploadAnnouncer.ts';
import type { Schedule } from '#web/api/uploads/uploadRetry.ts';
import { englishUploads, worded, type UploadLabels } from '#web/ui/upload/uploadLabels.ts';

const PARALLEL = 2;

const later: Schedule = (afterMs, run) => {
  const id = setTimeout(run, afterMs);
  return () => clearTimeout(id);
};

export const labelsOf = ({ labels }: Pick<FileUploadProps, 'labels'>): UploadLabels => ({
  ...englishUploads,
  ...labels,
});

/** The accepted types: the field's own, or those of its purpose. */
export const acceptedOf = ({ accept, purpose }: FileUploadProps): readonly string[] =>
  accept ?? (purpose === undefined ? [] : mimesFor(purpose));

function largest({ maxBytes, purpose }: FileUploadProps, type: string): number {
  if (maxBytes !== undefined) return maxBytes;
  const most = purpose === undefined ? 0 : bytesMaxFor(purpose, type as FileMime);
  return most === 0 ? Number.POSITIVE_INFINITY : most;
}

function checked(props: FileUploadProps, file: File): UploadFault | undefined {
  const labels = labelsOf(props);
  const accepted = acceptedOf(props);
  const type = typeOfFile(file);
  if (!acceptsType(type, accepted)) {
    const sub = expectsText(accepted, labels.typeExpects, props.typeLabels);
    return { main: labels.typeInvalid, sub };
  }
  const most = largest(props, type);
  if (file.size <= most) return undefined;
  const size = fileSizeText(most, labels.size, props.sizeBase);
  return { main: labels.tooLarge, sub: worded(labels.sizeMax, { size }) };
}

function faultWords(
  labels: UploadLabels,
  step: 'load' | 'process' | 'revert' | 'remove',
  { sentence, lasting }: Fault,
): UploadFault {
  const own = {
    load: labels.loadError,
    process: labels.processingError,
    revert: labels.revertError,
    remove: labels.removeError,
  };
  return { main: sentence ?? own[step], sub: lasting ? '' : labels.tapToRetry };
}

type Opened = { uploads: Uploads; voice: UploadAnnouncer; said: string; state: UploadState };

export function useUploads(props: FileUploadProps, attended: () => boolean): Opened {
  const newest = useRef(props);
  newest.current = props;
  const around = useRef(attended);
  around.current = attended;
  const [said, setSaid] = useState('');
  const [{ uploads, voice }] = useState(() => open(newest, around, setSaid));
  const state = useSyncExternalStore(uploads.subscribe, uploads.state);
  useEffect(
    () => () => {
      uploads.close();
      voice.quiet();
    },
    [uploads, voice],
  );
  useEmitChanges(uploads, newest);
  useValue(uploads, props);
  return { uploads, voice, said, state };
}

type Newest = { readonly current: FileUploadProps };

function open(
  newest: Newest,
  around: { readonly current: () => boolean },
  say: (text: string) => void,
) {
  const server = uploadServer(() => {
    const { purpose, metadata, chunkBytes, chunkForce } = newest.current;
    return {
      metadata: { ...metadata, ...(purpose !== undefined && { purpose }) },
      ...(chunkBytes !== undefined && { chunkBytes }),
      ...(chunkForce !== undefined && { chunkForce }),
    };
  });
  const settings = (): UploadSettings => {
    const props = newest.current;
    const labels = labelsOf(props);
    return {
      server,
      parallel: props.maxParallelUploads ?? PARALLEL,
      instant: props.instantUpload ?? true,
      forceRevert: props.forceRevert ?? false,
      check: (file) => checked(newest.current, file),
      faultOf: (step, fault) => faultWords(labels, step, fault),
      discard: props.onDiscard,
      onNews: ({ what, item: { name, fault, file, origin } }) => {
        if (what === 'added') {
          voice.added(name);
          if (file && origin === uploadOrigins.input) props.onAdd?.(file);
        } else if (what === 'removed') voice.removed(name);
        else if (what === 'complete') voice.announce(`${name} ${labels.processingComplete}`);
        else if (what === 'cancelled') voice.announce(`${name} ${labels.processingAborted}`);
        else if (fault) voice.announce(`${fault.main} ${name} ${fault.sub}`.trim());
      },
    };
  };
  const uploads = new Uploads(settings);
  const voice = createUploadAnnouncer({
    say,
    words: () => labelsOf(newest.current),
    total: () => uploads.state().items.length,
    attended: () => around.current(),
    later,
  });
  return { uploads, voice };
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id, nth) => id === other[nth]);

/** Lists reported to the owner: one that returns as the value is no change. */
const emittedLists = new WeakSet<readonly string[]>();

function useEmitChanges(uploads: Uploads, newest: Newest): void {
  useEffect(() => {
    let ids = uploadedIds(uploads.state());
    let stand = standOf(uploads.state());
    return uploads.subscribe(() => {
      const state = uploads.state();
      const now = uploadedIds(state);
      if (!same(ids, now)) {
        ids = now;
        emittedLists.add(now);
        newest.current.onChange?.(now);
      }
      const next = standOf(state);
      if (next === stand) return;
      stand = next;
      newest.current.onStand?.(next);
    });
  }, [uploads, newest]);
}

/** Follows the owner's value: shows missing uploads, removes others. */
function useValue(uploads: Uploads, { value, stored = [] }: FileUploadProps): void {
  const details = useRef(stored);
  details.current = stored;
  useEffect(() => {
    if (value === undefined || emittedLists.has(value)) return;
    const shown = uploadedIds(uploads.state());
    if (same(shown, value)) return;
    uploads.forget(shown.filter((id) => !value.includes(id)));
    const missing = value.filter((id) => !shown.includes(id));
    uploads.addStored(
      missing.map(
        (id) => details.current.find((one) => one.id === id) ?? { id, origin: 'limbo' as const },
      ),
    );
  }, [uploads, value]);
}
