import { lazy, Suspense } from 'react';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import type { FileUploadProps } from '#web/ui/upload/uploadProps.ts';

const Widget = lazy(async () => ({
  default: (await import('#web/ui/upload/UploadWidget.tsx')).UploadWidget,
}));

/**
 * Takes files: dropped (also folders), chosen or pasted; sends them at once, two at a time, long ones in
 * pieces that go on after a break; shows each with its picture, size and state. English by default, as
 * specified; screens pass `indonesianUploads`. The widget itself is a chunk of its own.
 */
export const FileUpload = (props: FileUploadProps) => (
  <Suspense fallback={<Skeleton height={120} />}>
    <Widget {...props} />
  </Suspense>
);
