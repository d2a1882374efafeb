/** `(3) Pesan · Kabari`; at 0 the page's title. */
export function titleWith(count: number, title: string): string {
  const own = title.replace(/^\(\d[\d.]*\+?\) /, '');
  if (count <= 0) return own;
  return `(${count > 999 ? '999+' : count}) ${own}`;
}

let count = 0;
let watching: MutationObserver | undefined;

function write(): void {
  const title = titleWith(count, document.title);
  if (title !== document.title) document.title = title;
}

/**
 * Shows a count before the tab's title, on the app's icon if supported, and as a dot on the tab's icon. 0 removes it.
 */
export function showCount(next: number): void {
  count = next;
  if (!watching) {
    watching = new MutationObserver(write);
    watching.observe(document.head, { childList: true, subtree: true, characterData: true });
  }
  write();
  showDot(next > 0);
  const { setAppBadge, clearAppBadge } = navigator as {
    setAppBadge?: (count: number) => Promise<void>;
    clearAppBadge?: () => Promise<void>;
  };
  const badge = next > 0 ? setAppBadge?.call(navigator, next) : clearAppBadge?.call(navigator);
  badge?.catch(() => undefined);
}

const PLAIN = '/favicon.svg';
const DOTTED = '/favicon-unread.svg';

function showDot(on: boolean): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"][type="image/svg+xml"]');
  const nextHref = on ? DOTTED : PLAIN;
  // Setting the same href would fetch it again.
  if (icon && icon.getAttribute('href') !== nextHref) icon.setAttribute('href', nextHref);
}
