import { useLayoutEffect, type RefObject } from 'react';

/**
 * A dialog that opens with this has the focus in it: on the first field of a form, else on the field itself.
 * Fingers would only get a keyboard over what stands beside it.
 */
export function useStartHere(place: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    if (!window.matchMedia('(pointer: fine)').matches) return;
    const field = place.current?.querySelector('input, textarea') ?? place.current;
    // `<dialog>` looks for the attribute, which React does not render.
    field?.setAttribute('autofocus', '');
  }, [place]);
}
