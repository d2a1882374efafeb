import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from './metrics.ts';

/** Descriptors that a process needs beside its callers: those of the database, files, numbers, calls to others. */
const RESERVED_MIN = 160;
const RESERVED_SHARE = 0.25;
/** With fewer, not even the checks of a balancer and one page would be answered. */
const CONNECTIONS_MIN = 16;
/** Limit where the system sets none. */
export const CONNECTIONS_MAX = 65_536;
const FOLDER_OF_DESCRIPTORS = '/proc/self/fd';
const RESOLUTION_MS = 10;

/** Limit of open descriptors (files and sockets) of this process; undefined where the system does not tell. */
export const descriptorLimit = (): number | undefined => (known ??= { limit: readLimit() }).limit;

let known: { limit: number | undefined } | undefined;
function readLimit(): number | undefined {
  try {
    // Names of hosts are not looked up.
    Object.assign(process.report, { excludeNetwork: true });
    const { userLimits } = process.report.getReport() as {
      userLimits?: { open_files?: { soft?: unknown } };
    };
    const soft = Number(userLimits?.open_files?.soft);
    return Number.isFinite(soft) && soft > 0 ? soft : undefined;
  } catch {
    return undefined;
  }
}

/** Limit of callers' connections, which leaves descriptors for the rest of the work. */
export function connectionsMaxOf(limit: number | undefined): number {
  if (limit === undefined) return CONNECTIONS_MAX;
  const reserved = Math.max(RESERVED_MIN, Math.ceil(limit * RESERVED_SHARE));
  return Math.max(CONNECTIONS_MIN, Math.min(CONNECTIONS_MAX, limit - reserved));
}

/** The open descriptors of this process; undefined where the system lists none, or there is none left to read with. */
function openDescriptors(): number | undefined {
  try {
    return readdirSync(FOLDER_OF_DESCRIPTORS).length;
  } catch {
    return undefined;
  }
}

const LOOK_MS = 500;
type Look = (delayMs: number) => void;
const looks = new Set<Look>();
let delayMs = 0;

/**
 * Tells twice a second how late the timers of this process were on average since the last time, in milliseconds.
 * It opens no file, as reading memory does: it cannot throw for want of descriptors.
 *
 * @returns ends it.
 */
export function watchEventLoop(look: Look): () => void {
  startLooking();
  looks.add(look);
  return () => void looks.delete(look);
}

let isLooking = false;
function startLooking(): void {
  if (isLooking) return;
  isLooking = true;
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  setInterval(() => {
    const { mean } = histogram;
    // Without a mean no timer ran at all.
    delayMs = Number.isFinite(mean) ? Math.max(0, mean / 1e6 - RESOLUTION_MS) : Infinity;
    histogram.reset();
    for (const look of looks) look(delayMs);
  }, LOOK_MS).unref();
}

/** The figures of this process itself. One that cannot be read is left out. */
export function measureProcess(metrics: Metrics): void {
  const found = (value: number | undefined) => (value === undefined ? [] : [{ value }]);
  metrics.gauge('kabari_descriptors_used', 'Open files and sockets of this process', () =>
    found(openDescriptors()),
  );
  metrics.gauge('kabari_descriptors_limit', 'Files and sockets this process may have open', () =>
    found(descriptorLimit()),
  );
  metrics.gauge('kabari_resident_bytes', 'Resident memory of this process', () => [
    { value: process.memoryUsage.rss() },
  ]);
  startLooking();
  metrics.gauge(
    'kabari_event_loop_delay_seconds',
    'How late this process was on average in the last half second',
    () => (Number.isFinite(delayMs) ? [{ value: delayMs / 1_000 }] : []),
  );
}
