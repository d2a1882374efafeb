import { TransportError } from '#web/api/errors.ts';
import { serverFailed } from '#web/api/server.ts';
import { whenIdle } from '#web/browser/scheduling/whenIdle.ts';

/** `perform` and the refusal catalogue, in a chunk that the first paint does not load. */
export const lazyApi = () => loadModule(import('#web/api/act.ts'));

/** The acts of signing in, in a separate chunk. */
export const accountActs = () => loadModule(import('#contract/accounts.ts'));

/** The acts of a person's own account: forgotten passwords, the profile. */
export const peopleActs = () => loadModule(import('#contract/people.ts'));

/** Fetches both chunks when the browser is idle, so that clicks do not wait for them. */
export function preloadApi(): void {
  whenIdle(() => void Promise.all([lazyApi(), accountActs()]).catch(() => undefined));
}

/**
 * Awaits a dynamic import.
 *
 * @throws TransportError when it fails.
 */
export async function loadModule<Module>(module: Promise<Module>): Promise<Module> {
  try {
    return await module;
  } catch {
    serverFailed();
    throw new TransportError('network');
  }
}
