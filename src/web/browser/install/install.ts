import type { QueryClient } from '@tanstack/react-query';
import { createStore, useStore } from '#web/browser/store.ts';

/** The browser's install prompt, deferred until a click; Chromium only. */
type InstallOffer = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> };

declare global {
  interface Window {
    /** Captured by the script in index.html, which runs before our modules. */
    installOffer?: InstallOffer | undefined;
  }
}

/** The way to install the app: by a button, or by hand on an iPhone or iPad. */
export type InstallWay = 'button' | 'by_hand';

// Settings of the browser, not of a user: an app is installed for all users.
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

/** Counts this tab as one visit, however often it reloads. @returns the visit's number. */
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
  updateOffer();
  window.addEventListener('beforeinstallprompt', updateOffer);
  return () => window.removeEventListener('beforeinstallprompt', updateOffer);
});

function updateOffer(): void {
  offer.set(offered());
}

/** The way to install the app, if it is worth offering; else `undefined`. */
export const useInstallOffer = (): InstallWay | undefined => useStore(offer);

/**
 * Counts this visit and records whether the person did something: sent a message, created a token.
 *
 * @returns the stop function
 */
export function noteActions(client: QueryClient): () => void {
  visits ??= visit();
  return client.getMutationCache().subscribe(({ type, mutation }) => {
    if (type !== 'updated' || acted || mutation.state.status !== 'success') return;
    acted = true;
    updateOffer();
  });
}

/** Shows the browser's install prompt; needs a click. @returns whether the app was installed. */
export async function install(): Promise<boolean> {
  const { installOffer } = window;
  if (!installOffer) return false;
  window.installOffer = undefined;
  const { outcome } = await installOffer.prompt();
  if (outcome === 'dismissed') putOffInstall();
  updateOffer();
  return outcome === 'accepted';
}

export function putOffInstall(): void {
  try {
    localStorage.setItem(LATER, '1');
  } catch {
    acted = false;
  }
  updateOffer();
}

type Facts = {
  visits: number;
  acted: boolean;
  putOff: boolean;
};

/** Offers the installation only to returning visitors who did something. */
export const isWorthOffering = ({ visits, acted, putOff }: Facts): boolean =>
  visits >= 2 && acted && !putOff;
