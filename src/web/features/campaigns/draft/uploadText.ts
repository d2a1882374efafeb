import { uploadServer } from '#web/api/uploads/uploadWire.ts';

/**
 * Uploads a pasted list of recipients as a file.
 *
 * @returns the upload's id. @throws Fault
 */
export const uploadText = (list: string): Promise<string> =>
  uploadServer(() => ({ metadata: { purpose: 'recipients' } })).process({
    file: new File([list], 'penerima.csv', { type: 'text/csv' }),
    signal: new AbortController().signal,
    transferId: undefined,
    onTransfer: () => undefined,
    onProgress: () => undefined,
  });
