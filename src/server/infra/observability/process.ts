import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from './metrics.ts';

/** Descriptors reserved for other work: the database, files, connected numbers, outbound requests. */
const RESERVED_MIN = 160;
const RESERVED_SHARE = 0.25;
/** Below this, not even a load balancer's health checks and one page could be served. */
const CONNECTIONS_MIN = 16;
export const CONNECTIONS_MAX = 65_536;
const FOLDER_OF_DESCRIPTORS = '/proc/self/fd';
const RESOLUTION_MS = 10;

/** The limit of open files and sockets of this process; undefined if the system does not tell. */
export const descriptorLimit = (): number | undefined => (known ??= { limit: readLimit() }).limit;

let known: { limit: number | undefined } | undefined;
function readLimit(): number | undefined {
  try {
    // Skips look-ups of host names.
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

export function connectionsMaxOf(limit: number | undefined): number {
  if (limit === undefined) return CONNECTIONS_MAX;
  const reserved = Math.max(RESERVED_MIN, Math.ceil(limit * RESERVED_SHARE));
  return Math.max(CONNECTIONS_MIN, Math.min(CONNECTIONS_MAX, limit - reserved));
}

/** Undefined if the system does not list them, or no descriptor is left to read with. */
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
 * Reports twice a second the average delay of timers in milliseconds. Opens no file, so it needs no descriptor.
 *
 * @returns stops it.
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

/** Registers the metrics of this process. A metric that cannot be read is left out. */
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
