export type Tab = { url: string; visibilityState: string; focused: boolean };

/** Pages that show no messages: the auth pages and public ones. */
const elsewhere = /^\/(?:auth|scan|simulator|leaving|__galeri)(?:\/|$)/;

const isPortal = (tab: Tab, origin: string): boolean => {
  const url = URL.canParse(tab.url) ? new URL(tab.url) : undefined;
  return url?.origin === origin && !elsewhere.test(url.pathname);
};

export const portalTabs = <One extends Tab>(tabs: readonly One[], origin: string): One[] =>
  tabs.filter((tab) => isPortal(tab, origin));

/** The visible tab, which shows a message itself, without a notification. */
export const seenTab = <One extends Tab>(tabs: readonly One[]): One | undefined =>
  tabs.find(({ focused }) => focused) ??
  tabs.find(({ visibilityState }) => visibilityState === 'visible');

/** The tab for a clicked notification: the one on that page, else the nearest. */
export const tabFor = <One extends Tab>(
  tabs: readonly One[],
  path: string,
  origin: string,
): One | undefined =>
  tabs.find(({ url }) => url === new URL(path, origin).href) ?? seenTab(tabs) ?? tabs[0];
