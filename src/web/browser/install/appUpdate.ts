import { createStore, useStore } from '#web/browser/store.ts';

const ready = createStore(() => false);

/** True if a reload would load a newer version. */
export const useAppUpdate = (): boolean => useStore(ready);

export function announceUpdate(): void {
  ready.set(true);
}

/**
 * Loads the newer version, on click. Only by a reload: it fetches the new page, which tells the waiting worker to take
 * over. A worker that takes over during a page load can leave it half loaded (seen in Chromium).
 */
export async function takeUpdate(): Promise<void> {
  window.location.reload();
}

let holds = 0;

/**
 * Prevents automatic reloads, for example during an upload.
 *
 * @returns the release function, which is idempotent.
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

/** True if a reload would destroy work in progress. */
export function isBusy(): boolean {
  if (holds > 0 || document.activeElement?.closest('[contenteditable="true"]')) return true;
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(typing);
  return [...fields].some((field) => field.value !== '' && !field.readOnly);
}

const RELOADED = 'ui-reloaded';
const AGAIN_MS = 10_000;

/** Reloads at most once in ten seconds. */
function reloadOnce(): void {
  try {
    const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
    if (Date.now() - last < AGAIN_MS) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    window.location.reload();
  } catch {
    // Without storage the attempts cannot be counted: only the notice is shown.
  }
}

const ownScript = (): string | null =>
  document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? null;

/** True if the server has another version than the running one; false if it is unreachable. */
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

/** Handles a chunk that could not be fetched: a deploy removes the old files. */
export async function onMissingPart(): Promise<void> {
  if (!(await isDeployed())) return;
  announceUpdate();
  if (!isBusy()) reloadOnce();
}
