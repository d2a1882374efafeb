/** One of our tabs, as the worker sees it. */
export type Tab = { url: string; visibilityState: string; focused: boolean };

/** Pages where nobody reads messages: the auth pages, and public ones. */
const elsewhere = /^\/(?:auth|scan|simulator|leaving|__galeri)(?:\/|$)/;

const isPortal = (tab: Tab, origin: string): boolean => {
  const url = URL.canParse(tab.url) ? new URL(tab.url) : undefined;
  return url?.origin === origin && !elsewhere.test(url.pathname);
};

/** The tabs of the portal. */
export const portalTabs = <One extends Tab>(tabs: readonly One[], origin: string): One[] =>
  tabs.filter((tab) => isPortal(tab, origin));

/** The tab before somebody's eyes, which shows a message itself: no notice of ours beside it. */
export const seenTab = <One extends Tab>(tabs: readonly One[]): One | undefined =>
  tabs.find(({ focused }) => focused) ??
  tabs.find(({ visibilityState }) => visibilityState === 'visible');

/** The tab that a clicked notice goes to: the one that is there already, else the nearest to the eyes. */
export const tabFor = <One extends Tab>(
  tabs: readonly One[],
  path: string,
  origin: string,
): One | undefined =>
  tabs.find(({ url }) => url === new URL(path, origin).href) ?? seenTab(tabs) ?? tabs[0];
