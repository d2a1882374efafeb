import { useMedia } from '#web/ui/layout/useMedia.ts';

/** Whether the window is at least 640 px wide: where something may float instead of being a sheet. */
export const useWide = (): boolean => useMedia('(min-width: 640px)');
