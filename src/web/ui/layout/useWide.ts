import { useMedia } from '#web/ui/layout/useMedia.ts';

/** True from 640 px window width, where popovers replace sheets. */
export const useWide = (): boolean => useMedia('(min-width: 640px)');
