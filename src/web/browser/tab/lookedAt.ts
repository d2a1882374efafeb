/** True when somebody looks at this page now. */
export const isLookedAt = (): boolean =>
  document.visibilityState === 'visible' && document.hasFocus();

/** Calls `look` now, and whenever somebody comes back to this page. @returns how to stop */
export function lookOnReturn(look: () => void): () => void {
  look();
  window.addEventListener('focus', look);
  document.addEventListener('visibilitychange', look);
  return () => {
    window.removeEventListener('focus', look);
    document.removeEventListener('visibilitychange', look);
  };
}
