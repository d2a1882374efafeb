import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 100;

/** Endpoints of customers, all in this process; the n-th at `/n`. */
export type Endpoints = {
  origin: string;
  /** From now on these never answer; all others do, including requests left hanging. */
  hang: (places: readonly number[]) => void;
  /** @returns the index at which new arrivals begin. */
  begin: () => number;
  /** Milliseconds from event to arrival, for every measured request answered since then. */
  delaysSince: (begin: number) => number[];
  /** Waits until this many were answered since then. @throws Error on timeout. */
  until: (begin: number, count: number, patienceMs: number) => Promise<void>;
  close: () => void;
};

/**
 * Opens them on a free port.
 *
 * @param isMeasured whether arrivals at the n-th count: not where it ever hangs, as delayed requests arrive late when
 * it answers again.
 */
export async function openEndpoints(isMeasured: (place: number) => boolean): Promise<Endpoints> {
  const delays: number[] = [];
  let hanging = new Set<number>();
  const left = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const atMs = Date.now();
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { type, timestamp } = JSON.parse(body) as { type: string; timestamp: string };
      const place = Number(request.url?.slice(1));
      if (hanging.has(place)) {
        left.add(response);
        return;
      }
      if (type !== 'webhook.test' && isMeasured(place)) delays.push(atMs - Date.parse(timestamp));
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    hang: (places) => {
      hanging = new Set(places);
      for (const response of left) response.writeHead(200).end();
      left.clear();
    },
    begin: () => delays.length,
    delaysSince: (begin) => delays.slice(begin),
    until: async (begin, count, patienceMs) => {
      const end = performance.now() + patienceMs;
      while (delays.length - begin < count) {
        if (performance.now() > end) {
          throw new Error(`${delays.length - begin} of ${count} deliveries after ${patienceMs} ms`);
        }
        await pause(POLL_MS);
      }
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
