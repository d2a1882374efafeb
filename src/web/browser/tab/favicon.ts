const PLAIN = '/favicon.svg';
const DOTTED = '/favicon-unread.svg';

export function showDot(on: boolean): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"][type="image/svg+xml"]');
  const nextHref = on ? DOTTED : PLAIN;
  // Setting the same href would fetch it again.
  if (icon && icon.getAttribute('href') !== nextHref) icon.setAttribute('href', nextHref);
}
