import {
  useEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
} from 'react';

/** True while the tab is hidden, or the window is in the background. */
function useAway(): boolean {
  const [away, setAway] = useState(document.hidden);
  useEffect(() => {
    const leave = () => setAway(true);
    const look = () => setAway(document.hidden);
    window.addEventListener('blur', leave);
    window.addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      window.removeEventListener('blur', leave);
      window.removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return away;
}

/**
 * Tracks attention to a region with temporary content: `paused` on hover, on focus or while the page is out of view. F8
 * moves the focus there from anywhere, Escape back.
 */
export function useAttention(region: RefObject<HTMLElement | null>) {
  const away = useAway();
  const [over, setOver] = useState(false);
  const [inside, setInside] = useState(false);
  const before = useRef<Element | null>(null);
  useEffect(() => {
    const come = (event: globalThis.KeyboardEvent) => {
      const here = region.current;
      if (event.key !== 'F8' || !here || here.contains(document.activeElement)) return;
      event.preventDefault();
      before.current = document.activeElement;
      here.focus();
    };
    document.addEventListener('keydown', come);
    return () => document.removeEventListener('keydown', come);
  }, [region]);
  return {
    paused: away || over || inside,
    onPointerEnter: () => setOver(true),
    onPointerLeave: () => setOver(false),
    onFocus: () => setInside(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) setInside(false);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      if (before.current instanceof HTMLElement) before.current.focus();
      else region.current?.blur();
    },
  };
}
