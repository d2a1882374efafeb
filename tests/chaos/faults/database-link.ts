import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/**
 * A link that can be disturbed: from one node to its database, or from all nodes to one of its servers. Undelivered
 * data is buffered as in a network: it arrives when the link heals, even if its sender gave up long ago.
 */
export type DatabaseLink = {
  url: string;
  /** Delays every piece from now on, in both directions. */
  delay: (ms: number) => void;
  /** Resets all connections; new ones pass. */
  cut: () => void;
  /** Closes all connections towards the node only; the database still considers them open. */
  halfClose: () => void;
  /** Passes nothing, without notice. New connections are accepted and pass nothing either. */
  silence: () => void;
  /** Ends all disturbances; closes what the database considers open after a half close. */
  heal: () => void;
  stats: () => { connections: number; met: number };
  close: () => Promise<void>;
};

type Pair = { near: Socket; far: Socket };

/** @param url the database's address as the application takes it: a unix socket or a host. */
export async function openDatabaseLink(url: string): Promise<DatabaseLink> {
  const { hostname, port, pathname, username } = new URL(url);
  const host = decodeURIComponent(hostname);
  const target = host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.5432` }
    : { host, port: Number(port) };
  const pairs = new Set<Pair>();
  let [delayMs, isSilent, connections, met] = [0, false, 0, 0];

  /** Forwards pieces in order, each with the delay in force when it arrived. */
  const pass = (from: Socket, to: Socket) => {
    const waiting: { at: number; deliver: () => void }[] = [];
    // A single timer for the first piece: timers due at the same time need not fire in order.
    const deliverDue = () => {
      for (let [first] = waiting; first; [first] = waiting) {
        const waitMs = first.at - performance.now();
        if (waitMs > 0) {
          setTimeout(deliverDue, waitMs);
          return;
        }
        first.deliver();
        waiting.shift();
      }
    };
    const later = (deliver: () => void) => {
      waiting.push({ at: performance.now() + delayMs, deliver });
      if (waiting.length === 1) deliverDue();
    };
    from.on('data', (bytes: Buffer) => later(() => void (to.writable && to.write(bytes))));
    from.on('end', () => later(() => to.end()));
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...target, allowHalfOpen: true });
    const pair = { near, far };
    pairs.add(pair);
    connections += 1;
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.setNoDelay(true);
      one.on('error', () => other.destroy());
      one.on('close', () => pairs.delete(pair));
      pass(one, other);
      if (isSilent) one.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const all = () => {
    met += pairs.size;
    return [...pairs];
  };
  return {
    url: `postgres://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    delay: (ms) => {
      all();
      delayMs = ms;
    },
    cut: () => {
      for (const { near, far } of all()) {
        near.resetAndDestroy();
        far.destroy();
      }
    },
    halfClose: () => {
      for (const { near, far } of all()) {
        far.removeAllListeners('data').resume();
        near.removeAllListeners('end').end();
      }
    },
    silence: () => {
      isSilent = true;
      for (const { near, far } of all()) {
        near.pause();
        far.pause();
      }
    },
    heal: () => {
      [delayMs, isSilent] = [0, false];
      for (const { near, far } of pairs) {
        // Closed towards the node, so nothing will be sent on it again.
        if (near.writableEnded) far.end();
        near.resume();
        far.resume();
      }
    },
    stats: () => ({ connections, met }),
    close: async () => {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
