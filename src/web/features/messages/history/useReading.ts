import { useEffect, useState, type FocusEvent } from 'react';

/** Scrolled further than this, the person has left the top of the list. */
const TOP_PX = 24;

/**
 * Whether a list is being read: the pointer or the focus is on it, or the page is scrolled.
 *
 * @returns also the handlers of the list's element.
 */
export function useReading() {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  useEffect(() => {
    const look = () => setScrolled(window.scrollY > TOP_PX);
    look();
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  const handlers = {
    onPointerEnter: ({ pointerType }: { pointerType: string }) =>
      setPointed(pointerType !== 'touch'),
    onPointerLeave: () => setPointed(false),
    onFocus: () => setFocused(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
      setFocused(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)),
  };
  return { reading: pointed || focused || scrolled, handlers };
}
