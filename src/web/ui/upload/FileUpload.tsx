import { later } from '#web/browser/lazyComponent.ts';
import { Suspense } from 'react';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import type { FileUploadProps } from '#web/ui/upload/uploadProps.ts';

const Widget = later(() => import('#web/ui/upload/UploadWidget.tsx'));

/**
 * An upload field: files are dropped (also folders), selected or pasted, and sent at once, two at a time, long ones in
 * resumable pieces; each is shown with its picture, size and state. English by default, as specified; screens pass
 * `indonesianUploads`. The widget is a separate chunk.
 */
export const FileUpload = (props: FileUploadProps) => (
  <Suspense fallback={<Skeleton height={120} />}>
    <Widget {...props} />
  </Suspense>
);
