import { createStore, useStore } from '#web/browser/store.ts';

const ready = createStore(() => false);

/** Whether a newer version of the app can be had by loading the page again. */
export const useAppUpdate = (): boolean => useStore(ready);

/** Says that there is a newer version. */
export function announceUpdate(): void {
  ready.set(true);
}

/**
 * Takes the newer version, for a click. Only by loading the page again: that comes from the network, and
 * the new page tells the worker that waits to take over. A worker that takes over while a page is being
 * loaded can leave it half there (seen in Chromium).
 */
export async function takeUpdate(): Promise<void> {
  window.location.reload();
}

let holds = 0;

/**
 * From now on the page is not loaded again by itself: an upload goes on, say.
 *
 * @returns how to let go; more than once does nothing.
 */
export function holdReload(): () => void {
  let held = true;
  holds++;
  return () => {
    if (held) holds--;
    held = false;
  };
}

const typing =
  ':is([role="dialog"], dialog[open], form) :is(textarea, input:not([type="checkbox"], ' +
  '[type="radio"], [type="hidden"], [type="file"], [type="search"], [type="button"]))';

/** Whether somebody is in the middle of something that loading the page again would destroy. */
export function isBusy(): boolean {
  if (holds > 0 || document.activeElement?.closest('[contenteditable="true"]')) return true;
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(typing);
  return [...fields].some((field) => field.value !== '' && !field.readOnly);
}

const RELOADED = 'ui-reloaded';
const AGAIN_MS = 10_000;

/** Loads the page again, not twice within ten seconds: should that not help, nothing will. */
function reloadOnce(): void {
  try {
    const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
    if (Date.now() - last < AGAIN_MS) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    window.location.reload();
  } catch {
    // Without a storage nobody knows how often it was tried: the notice must do.
  }
}

/** The script of the page that runs, by its hashed name. */
const ownScript = (): string | null =>
  document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? null;

/** Whether the server has another version than the one that runs; false when it cannot be asked. */
export async function isDeployed(): Promise<boolean> {
  const script = ownScript();
  if (script === null) return false;
  try {
    const response = await fetch('/', { cache: 'no-store' });
    return response.ok && !(await response.text()).includes(`"${script}"`);
  } catch {
    return false;
  }
}

/** A part of the app could not be fetched: after a deploy its old files are gone. */
export async function onMissingPart(): Promise<void> {
  if (!(await isDeployed())) return;
  announceUpdate();
  if (!isBusy()) reloadOnce();
}
