import { useLayoutEffect, type RefObject } from 'react';

/**
 * Focuses the first field of a form, or the field itself, when its dialog opens. Not on touch devices, where the
 * keyboard would cover the rest.
 */
export function useStartHere(place: RefObject<HTMLElement | null>, isOn = true): void {
  useLayoutEffect(() => {
    if (!isOn || !window.matchMedia('(pointer: fine)').matches) return;
    const field = place.current?.querySelector('input, textarea') ?? place.current;
    // `<dialog>` looks for the attribute, which React does not render.
    field?.setAttribute('autofocus', '');
  }, [place, isOn]);
}
