import { afterEach, expect, test, vi } from 'vitest';
import {
  pendingUpload,
  pendingUploadsFor,
  claimPendingUpload,
  forgetPendingUpload,
  identify,
  savePendingUpload,
} from './pendingUploads.ts';

const about = { transferId: 'upl_1', name: 'laporan.csv', size: 12_000_000, offset: 5_000_000 };

const aFile = (text = 'isi', more: FilePropertyBag & { name?: string } = {}) =>
  new File([text], more.name ?? 'laporan.csv', { lastModified: 1, ...more });

afterEach(() => {
  vi.useRealTimers();
  forgetPendingUpload('upl_1');
});

test('identifies a file by name, size, date, first bytes and purpose', async () => {
  const own = await identify(aFile(), 'chat');
  expect(await identify(aFile(), 'chat')).toBe(own);
  const others = [
    [aFile('isj'), 'chat'],
    [aFile('isi2'), 'chat'],
    [aFile('isi', { lastModified: 2 }), 'chat'],
    [aFile('isi', { name: 'lain.csv' }), 'chat'],
    [aFile(), 'proof'],
  ] as const;
  for (const [other, purpose] of others) expect(await identify(other, purpose)).not.toBe(own);
});

test('finds a started upload for a day by its file and purpose', async () => {
  const identity = await identify(aFile(), 'chat');
  savePendingUpload(identity, about);
  expect(pendingUpload(identity)).toMatchObject(about);
  expect(pendingUploadsFor('chat').map(({ transferId }) => transferId)).toEqual(['upl_1']);
  expect(pendingUploadsFor('proof')).toEqual([]);
  vi.useFakeTimers({ now: Date.now() + 24 * 3_600_000 + 1 });
  expect(pendingUpload(identity)).toBeUndefined();
});

test('does not share an upload between two items with the same file', async () => {
  const identity = await identify(aFile(), 'chat');
  const free = claimPendingUpload(identity);
  expect(claimPendingUpload(identity)).toBeUndefined();
  free?.();
  const again = claimPendingUpload(identity);
  expect(again).toBeDefined();
  again?.();
});

test('forgets a reverted upload', async () => {
  const identity = await identify(aFile(), 'chat');
  savePendingUpload(identity, about);
  forgetPendingUpload('upl_1');
  expect(pendingUpload(identity)).toBeUndefined();
});
