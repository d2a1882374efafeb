/** True if this page is visible and focused. */
export const isLookedAt = (): boolean =>
  document.visibilityState === 'visible' && document.hasFocus();

/** Calls `look` now, and whenever the person returns to this page. @returns the stop function */
export function lookOnReturn(look: () => void): () => void {
  look();
  window.addEventListener('focus', look);
  document.addEventListener('visibilitychange', look);
  return () => {
    window.removeEventListener('focus', look);
    document.removeEventListener('visibilitychange', look);
  };
}
