import { announceUpdate, isDeployed, onMissingPart } from '#web/browser/install/appUpdate.ts';
import { sessionToken } from '#web/browser/session.ts';
import { trustedScript } from '#web/browser/trustedTypes.ts';
import { hasRecords } from '#web/browser/push/records.ts';

/** Public pages do not start the worker. */
const excludedPaths = /^\/(?:scan|simulator|leaving|__galeri)(?:\/|$)/;
const LOOK_MS = 3_600_000;

/**
 * Registers the service worker and watches for updates. Called when the browser is idle; on failure the app works
 * online only.
 */
export async function startWorker(): Promise<void> {
  window.addEventListener('vite:preloadError', () => void onMissingPart());
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (import.meta.env.DEV || !serviceWorker || excludedPaths.test(window.location.pathname)) return;
  await new Promise((resolve) => {
    if (document.readyState === 'complete') resolve(undefined);
    else window.addEventListener('load', resolve, { once: true });
  });
  const registration = await serviceWorker
    .register(trustedScript('/sw.js'), { scope: '/', updateViaCache: 'none' })
    .catch(() => undefined);
  if (registration) follow(registration);
  // A session that ended elsewhere may leave its subscription behind.
  if (sessionToken() === '' && (await hasRecords())) {
    const { leavePush } = await import('#web/features/push/push.ts');
    await leavePush();
  }
}

function follow(registration: ServiceWorkerRegistration): void {
  const { serviceWorker } = navigator;
  const track = (worker: ServiceWorker | null) => {
    const look = async () => {
      // The first worker is not an update.
      if (worker?.state !== 'installed' || !serviceWorker.controller) return;
      if (await isDeployed()) announceUpdate();
      // This page is already the new version, because pages are fetched network first.
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
  // Another tab activated the newer version: this page may still be the old one.
  let controlled = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    if (controlled) void isDeployed().then((deployed) => deployed && announceUpdate());
    controlled = true;
  });
}
