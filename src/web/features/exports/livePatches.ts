import { exportsKey } from '#web/features/exports/queryKeys.ts';
import type { LivePatches } from '#web/live/patches.ts';

export const exportPatches: LivePatches = {
  follows: (key) => key[0] === exportsKey[0],
  on: { 'export.changed': (_event, cache) => cache.refetch(exportsKey) },
};
