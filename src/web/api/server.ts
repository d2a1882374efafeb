import { createStore, useStore } from '#web/browser/store.ts';

/** After the first unanswered call; then twice as long each time. Longer than the retry of a query takes. */
const FIRST_MS = 1_100;
const LONGEST_MS = 15_000;
const PROBE_MS = 8_000;
/** A restart of the server costs one probe: it must not flash a banner. */
const AWAY_PROBES = 2;

const away = createStore(() => false);
const backListeners = new Set<() => void>();
let lastAnswerAt: number | undefined;
let failedProbes = 0;
let probing: ReturnType<typeof setTimeout> | undefined;

/** True while the server does not answer: a call and two probes in a row got no answer. */
export const useServerAway = (): boolean => useStore(away);
export const isServerAway = (): boolean => away.get();

/** The time of the last answer, in milliseconds; `undefined` before the first one. */
export const lastServerAnswer = (): number | undefined => lastAnswerAt;

/** Calls back when the server answers again after a failed probe. @returns the stop function */
export function onServerBack(listener: () => void): () => void {
  backListeners.add(listener);
  return () => void backListeners.delete(listener);
}

/** Called after each answer of the server. */
export function serverAnswered(): void {
  lastAnswerAt = Date.now();
  clearTimeout(probing);
  probing = undefined;
  if (failedProbes === 0) return;
  failedProbes = 0;
  away.set(false);
  for (const listener of backListeners) listener();
}

/** Called after each call without an answer: probes the server until it answers. */
export function serverFailed(): void {
  if (probing !== undefined) return;
  const delay = Math.min(FIRST_MS * 2 ** failedProbes, LONGEST_MS);
  // Browsers must not all return to a restarted server at once.
  probing = setTimeout(() => void probeServer(), delay * (1 + Math.random() / 4));
}

/** Asks the server for an answer now. @returns false without one; it is then probed until it answers */
export async function probeServer(): Promise<boolean> {
  const body = new URLSearchParams({ act: 'app_config', token: '', fcm: '' });
  const signal = AbortSignal.timeout(PROBE_MS);
  const isThere = await fetch(apiUrl(), { method: 'POST', body, signal }).then(
    isOfServer,
    () => false,
  );
  if (isThere) {
    serverAnswered();
    return true;
  }
  failedProbes += 1;
  if (failedProbes >= AWAY_PROBES) away.set(true);
  clearTimeout(probing);
  probing = undefined;
  serverFailed();
  return false;
}

/** Records a response: a proxy answers in place of a server that is away. */
export const noteResponse = (response: Response): void =>
  isOfServer(response) ? serverAnswered() : serverFailed();

const isOfServer = ({ status, headers }: Response): boolean =>
  status < 502 || status > 504 || headers.get('content-type')?.includes('json') === true;

/** The endpoint of all acts: `/api`, or the page's `<meta name="api-url">`. */
export function apiUrl(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="api-url"]');
  return meta?.content || '/api';
}

if (typeof window !== 'undefined') {
  window.addEventListener('online', () => {
    if (probing !== undefined) void probeServer();
  });
}
