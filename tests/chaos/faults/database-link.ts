import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/**
 * The way of one node to its database, or of all to one of its servers, which can be disturbed. What was sent and not passed on is kept, as a
 * network does: it arrives once the way is well again, also when its sender has long given up.
 */
export type DatabaseLink = {
  /** The database's address by this way. */
  url: string;
  /** From now on every piece takes so many milliseconds longer, in both directions. */
  delay: (ms: number) => void;
  /** Resets all connections; new ones pass. */
  cut: () => void;
  /** Ends all connections towards the node alone: the database goes on believing in them. */
  halfClose: () => void;
  /** Nothing passes any more, and nobody is told. New connections are taken, and nothing passes there either. */
  silence: () => void;
  /** All is well again. What the database still believes in after a half close is closed. */
  heal: () => void;
  /** Connections that there were, and those that a disturbance has met. */
  stats: () => { connections: number; met: number };
  close: () => Promise<void>;
};

type Pair = { near: Socket; far: Socket };

/** Opens a way to a database. @param url its address, as the application takes it: a unix socket's, or a host's. */
export async function openDatabaseLink(url: string): Promise<DatabaseLink> {
  const { hostname, port, pathname, username } = new URL(url);
  const host = decodeURIComponent(hostname);
  const target = host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.5432` }
    : { host, port: Number(port) };
  const pairs = new Set<Pair>();
  let [delayMs, isSilent, connections, met] = [0, false, 0, 0];

  /** Passes pieces on in their order, each as late as the way was slow when it came. */
  const pass = (from: Socket, to: Socket) => {
    const waiting: { at: number; deliver: () => void }[] = [];
    // One timer, for the first: timers that are due at the same time need not fire in their order.
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
        // Ended towards the node: nobody will ever speak on it again.
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
