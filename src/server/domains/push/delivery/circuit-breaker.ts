/** Notices in flight to one push service at once. */
const IN_FLIGHT_MAX = 4;
/** After so many failures in a row the circuit of a service opens. */
const FAILURES_MAX = 3;
const FIRST_OPEN_MS = 2_000;
const LONGEST_OPEN_MS = 60_000;

type Service = { inFlight: number; failures: number; openUntil: number };

/** A circuit breaker per push service, so that one that is down delays no other. */
export type CircuitBreaker = {
  /** Services at their limit of notices in flight, or with an open circuit. */
  blocked(): readonly string[];
  started(service: string): void;
  /**
   * @param failed true without a usable answer; a definite answer, also a refusal, is no failure.
   * @returns whether this ended an open circuit.
   */
  finished(service: string, failed: boolean): boolean;
};

/**
 * Counts per service in this process. After three failures in a row the circuit opens for 2 s, then twice
 * as long with each further failure up to a minute, and then lets one notice at a time through until one
 * succeeds.
 *
 * @param nowMs a clock that never jumps, in milliseconds.
 */
export function createCircuitBreaker(
  nowMs: () => number = () => performance.now(),
): CircuitBreaker {
  const services = new Map<string, Service>();
  const of = (name: string): Service => {
    const known = services.get(name) ?? { inFlight: 0, failures: 0, openUntil: 0 };
    services.set(name, known);
    return known;
  };
  return {
    blocked: () =>
      [...services]
        .filter(([, { inFlight, failures, openUntil }]) => {
          const inFlightMax = failures >= FAILURES_MAX ? 1 : IN_FLIGHT_MAX;
          return inFlight >= inFlightMax || nowMs() < openUntil;
        })
        .map(([name]) => name),
    started: (name) => {
      of(name).inFlight += 1;
    },
    finished(name, failed) {
      const service = of(name);
      service.inFlight -= 1;
      const hasRecovered = !failed && service.failures >= FAILURES_MAX;
      service.failures = failed ? service.failures + 1 : 0;
      const excess = service.failures - FAILURES_MAX;
      if (excess >= 0) {
        service.openUntil = nowMs() + Math.min(FIRST_OPEN_MS * 2 ** excess, LONGEST_OPEN_MS);
      }
      return hasRecovered;
    },
  };
}
