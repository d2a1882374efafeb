import { announceUpdate, isDeployed, onMissingPart } from '#web/browser/install/appUpdate.ts';
import { sessionToken } from '#web/browser/session.ts';
import { trustedScript } from '#web/browser/trustedTypes.ts';
import { hasRecords } from '#web/browser/push/records.ts';

/** Not on public pages: the pages of the portal alone start the worker. */
const excludedPaths = /^\/(?:scan|simulator|leaving|__galeri)(?:\/|$)/;
/** A tab that stays open for days hears of a new version too. */
const LOOK_MS = 3_600_000;

/**
 * Starts the service worker and hears of newer versions. Called when the page has nothing better to do;
 * what fails here leaves an app that works with the network only.
 */
export async function startWorker(): Promise<void> {
  window.addEventListener('vite:preloadError', () => void onMissingPart());
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (import.meta.env.DEV || !serviceWorker || excludedPaths.test(window.location.pathname)) return;
  // What the page itself needs goes first.
  await new Promise((resolve) => {
    if (document.readyState === 'complete') resolve(undefined);
    else window.addEventListener('load', resolve, { once: true });
  });
  const registration = await serviceWorker
    .register(trustedScript('/sw.js'), { scope: '/', updateViaCache: 'none' })
    .catch(() => undefined);
  if (registration) follow(registration);
  // A session that ended elsewhere, or in a hurry, leaves its subscription behind.
  if (sessionToken() === '' && (await hasRecords())) {
    const { leavePush } = await import('#web/features/push/push.ts');
    await leavePush();
  }
}

function follow(registration: ServiceWorkerRegistration): void {
  const { serviceWorker } = navigator;
  const track = (worker: ServiceWorker | null) => {
    const look = async () => {
      // The very first worker is no news: there was nothing before it.
      if (worker?.state !== 'installed' || !serviceWorker.controller) return;
      if (await isDeployed()) announceUpdate();
      // This page is of the new version already, for pages come from the network first.
      else worker.postMessage({ kind: 'take-over' });
    };
    worker?.addEventListener('statechange', () => void look());
    void look();
  };
  track(registration.waiting);
  track(registration.installing);
  registration.addEventListener('updatefound', () => track(registration.installing));
  let looked = Date.now();
  document.addEventListener('visibilitychange', () => {
    if (document.hidden || Date.now() - looked < LOOK_MS) return;
    looked = Date.now();
    registration.update().catch(() => undefined);
  });
  // Another tab took the newer version: this one may still run the old.
  let controlled = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    if (controlled) void isDeployed().then((deployed) => deployed && announceUpdate());
    controlled = true;
  });
}
