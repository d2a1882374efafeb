import { createStore, useStore } from '#web/browser/store.ts';

export type Theme = 'system' | 'light' | 'dark';

/** The script in index.html reads the same entry before the first paint. */
const ENTRY = 'ui-theme';

function current(): Theme {
  const { theme } = document.documentElement.dataset as { theme?: string };
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

const themeStore = createStore(current);

/**
 * Sets the colour theme; `system` follows the device.
 *
 * @param persist whether this browser remembers it beyond the page.
 */
export function setTheme(theme: Theme, persist = true): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  if (persist) saveTheme(theme);
  themeStore.set(theme);
}

function saveTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(ENTRY);
    else localStorage.setItem(ENTRY, theme);
  } catch {
    // Without storage the choice lasts as long as the tab.
  }
}

export const useTheme = (): Theme => useStore(themeStore);
