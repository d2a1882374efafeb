const PLAIN = '/favicon.svg';
const DOTTED = '/favicon-unread.svg';

/** Puts a dot on the tab's icon, or takes it away. */
export function showDot(on: boolean): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"][type="image/svg+xml"]');
  const nextHref = on ? DOTTED : PLAIN;
  // Asking for the same one again would fetch it again.
  if (icon && icon.getAttribute('href') !== nextHref) icon.setAttribute('href', nextHref);
}
