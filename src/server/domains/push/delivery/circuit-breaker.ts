/** Notices on their way to one push service at once. */
const ABREAST = 4;
/** So many failures in a row, and the service is left alone for a while. */
const PATIENCE = 3;
const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;

type Service = { underWay: number; failures: number; until: number };

/** Which push services are left alone for now, so that one that is down delays nobody else. */
export type CircuitBreaker = {
  /** Services with enough under way, or at rest after failures. */
  blocked(): readonly string[];
  began(service: string): void;
  /** @param failed true when it did not do its work; anything it answered by itself is none. */
  ended(service: string, failed: boolean): void;
};

/**
 * Keeps count of each service in this process. After three failures in a row a service rests for 2 s,
 * then twice as long with each further one up to a minute, and meets one notice at a time until one
 * gets through.
 *
 * @param nowMs a clock that never jumps, in milliseconds.
 */
export function createCircuitBreaker(
  nowMs: () => number = () => performance.now(),
): CircuitBreaker {
  const services = new Map<string, Service>();
  const of = (name: string): Service => {
    const known = services.get(name) ?? { underWay: 0, failures: 0, until: 0 };
    services.set(name, known);
    return known;
  };
  return {
    blocked: () =>
      [...services]
        .filter(([, { underWay, failures, until }]) => {
          const most = failures >= PATIENCE ? 1 : ABREAST;
          return underWay >= most || nowMs() < until;
        })
        .map(([name]) => name),
    began: (name) => {
      of(name).underWay += 1;
    },
    ended(name, failed) {
      const service = of(name);
      service.underWay -= 1;
      service.failures = failed ? service.failures + 1 : 0;
      const over = service.failures - PATIENCE;
      if (over >= 0) {
        service.until = nowMs() + Math.min(FIRST_REST_MS * 2 ** over, LONGEST_REST_MS);
      }
    },
  };
}
