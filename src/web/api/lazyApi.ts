import { TransportError } from '#web/api/errors.ts';
import { whenIdle } from '#web/browser/scheduling/whenIdle.ts';

/** `perform` and the catalogue of refusals: a chunk of their own, off the way of the first paint. */
export const lazyApi = () => loadModule(import('#web/api/act.ts'));

/** The acts of signing in, likewise. */
export const accountActs = () => loadModule(import('#contract/accounts.ts'));

/** What one does about oneself: forgotten passwords, the profile. */
export const peopleActs = () => loadModule(import('#contract/people.ts'));

/** Fetches both while there is nothing better to do, so that no click has to wait for them. */
export function preloadApi(): void {
  whenIdle(() => void Promise.all([lazyApi(), accountActs()]).catch(() => undefined));
}

/**
 * A part of the app that is fetched when it is needed.
 *
 * @throws TransportError when it cannot be.
 */
export async function loadModule<Module>(module: Promise<Module>): Promise<Module> {
  try {
    return await module;
  } catch {
    throw new TransportError('network');
  }
}
