import { useLocation } from '@tanstack/react-router';
import { createElement, useEffect } from 'react';
import { closeOverlay, useOverlay } from '#web/app/palette/overlay.ts';

/** Where the command palette and the help sheet stand; another address, also by Back, closes them. */
export function OverlayPlace() {
  const Part = useOverlay();
  const href = useLocation({ select: (location) => location.href });
  useEffect(() => closeOverlay, [href]);
  return Part && createElement(Part, { onClose: closeOverlay });
}
