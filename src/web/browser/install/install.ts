import type { QueryClient } from '@tanstack/react-query';
import { createStore, useStore } from '#web/browser/store.ts';
import { isWorthOffering } from '#web/browser/install/installRule.ts';

/** The browser's own question, put off until we ask for it; Chromium has it. */
type InstallOffer = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> };

declare global {
  interface Window {
    /** Caught by the script in index.html: it comes before any of our modules. */
    installOffer?: InstallOffer | undefined;
  }
}

/** How the app can be put among the others: by a button, or by hand on an iPhone or iPad. */
export type InstallWay = 'button' | 'by_hand';

// Settings of this browser, not of who is signed in: an app is installed for all of them.
const VISITS = 'ui-visits';
const VISIT = 'ui-visit';
const LATER = 'ui-install-later';

let acted = false;

function way(): InstallWay | undefined {
  if (matchMedia('(display-mode: standalone)').matches) return undefined;
  if (window.installOffer) return 'button';
  const { standalone, maxTouchPoints } = navigator as Navigator & { standalone?: boolean };
  return standalone === false && maxTouchPoints > 0 ? 'by_hand' : undefined;
}

/** Counts this tab as one visit, however often it is loaded again. @returns which visit it is. */
function visit(): number {
  try {
    const before = Number(localStorage.getItem(VISITS) ?? 0);
    if (sessionStorage.getItem(VISIT) !== null) return before;
    sessionStorage.setItem(VISIT, '1');
    localStorage.setItem(VISITS, String(before + 1));
    return before + 1;
  } catch {
    return 0;
  }
}

function isPutOff(): boolean {
  try {
    return localStorage.getItem(LATER) !== null;
  } catch {
    return true;
  }
}

let visits: number | undefined;

function offered(): InstallWay | undefined {
  visits ??= visit();
  const can = way();
  return can && isWorthOffering({ visits, acted, putOff: isPutOff() }) ? can : undefined;
}

const offer = createStore(offered, () => {
  lookAgain();
  window.addEventListener('beforeinstallprompt', lookAgain);
  return () => window.removeEventListener('beforeinstallprompt', lookAgain);
});

function lookAgain(): void {
  offer.set(offered());
}

/** How to install the app, when that is worth offering; `undefined` when it is not, or not possible. */
export const useInstallOffer = (): InstallWay | undefined => useStore(offer);

/**
 * Counts this visit, and notes that the person did something in it: sent a message, made a token.
 *
 * @returns how to stop
 */
export function noteActions(client: QueryClient): () => void {
  visits ??= visit();
  return client.getMutationCache().subscribe(({ type, mutation }) => {
    if (type !== 'updated' || acted || mutation.state.status !== 'success') return;
    acted = true;
    lookAgain();
  });
}

/** Puts the browser's own question, for a click. @returns whether the app was installed. */
export async function install(): Promise<boolean> {
  const { installOffer } = window;
  if (!installOffer) return false;
  window.installOffer = undefined;
  const { outcome } = await installOffer.prompt();
  if (outcome === 'dismissed') putOffInstall();
  lookAgain();
  return outcome === 'accepted';
}

/** Does not offer it again in this browser. */
export function putOffInstall(): void {
  try {
    localStorage.setItem(LATER, '1');
  } catch {
    acted = false;
  }
  lookAgain();
}
