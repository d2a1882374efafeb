import { once } from 'node:events';
import { type Socket, connect, createServer } from 'node:net';

type Direction = 'toServer' | 'toClient';

/** Cuts the connection after this many messages of a direction. */
export type Cut = { direction: Direction; after: number };

/** Splits a stream of PostgreSQL's protocol into messages; the client's first has no type. */
function messages(startsUntyped: boolean): (bytes: Buffer) => Buffer[] {
  let unread: Buffer = Buffer.alloc(0);
  let untyped = startsUntyped;
  return (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    const found: Buffer[] = [];
    for (;;) {
      const head = untyped ? 0 : 1;
      if (unread.length < head + 4) return found;
      const length = head + unread.readUInt32BE(head);
      if (unread.length < length) return found;
      found.push(unread.subarray(0, length));
      unread = unread.subarray(length);
      untyped = false;
    }
  };
}

/**
 * A proxy in front of a database on a unix socket that counts the messages of its first connection, and cuts it at the
 * given point. Later connections pass through.
 */
export async function openWireProxy(url: string, cut?: Cut) {
  const { hostname, pathname, username } = new URL(url);
  const passed = { toServer: 0, toClient: 0 };
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((near) => {
    const isFirst = connections++ === 0;
    const far = connect(`${decodeURIComponent(hostname)}/.s.PGSQL.5432`);
    const end = () => [near, far].forEach((socket) => socket.destroy());
    for (const socket of [near, far]) {
      sockets.add(socket.on('error', end).on('close', end));
    }
    const pass = (from: Socket, to: Socket, direction: Direction) => {
      const split = messages(direction === 'toServer');
      from.on('data', (bytes: Buffer) => {
        if (!isFirst) return void to.write(bytes);
        for (const message of split(bytes)) {
          if (cut?.direction === direction && passed[direction] === cut.after) {
            // Earlier messages arrive; later ones never do.
            far.destroySoon();
            near.destroySoon();
            return;
          }
          passed[direction] += 1;
          to.write(message);
        }
      });
    };
    pass(near, far, 'toServer');
    pass(far, near, 'toClient');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `postgres://${username}@127.0.0.1:${address.port}${pathname}`,
    passed,
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}

function fatal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E....');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/**
 * A proxy in front of a database that shuts down repeatedly: each time a client has sent all texts of the next list in
 * order. The statement with the last text reaches the database, and its answer is lost. Until `comeBack`, new
 * connections are refused as by a starting server.
 */
export async function openLeavingProxy(url: string, leavings: readonly (readonly string[])[]) {
  const { hostname, port, pathname, username } = new URL(url);
  const host = decodeURIComponent(hostname);
  const target = host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.5432` }
    : { host, port: Number(port) };
  const lists = leavings.map((texts) => [...texts]);
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let isAway = false;
  const leave = () => {
    isAway = true;
    lists.shift();
    for (const { near, far } of pairs) {
      near.end(fatal('57P01', 'terminating connection due to administrator command'));
      far.removeAllListeners('data').resume().end();
    }
    pairs.clear();
  };
  const server = createServer((near) => {
    near.on('error', () => near.destroy());
    if (isAway) return void near.end(fatal('57P03', 'the database system is starting up'));
    const far = connect(target);
    const pair = { near, far };
    pairs.add(pair);
    far.on('error', () => near.destroy()).on('data', (bytes: Buffer) => near.write(bytes));
    near.on('close', () => {
      far.end();
      pairs.delete(pair);
    });
    near.on('data', (bytes: Buffer) => {
      if (isAway || !pairs.has(pair)) return;
      far.write(bytes);
      const sent = bytes.toString('latin1');
      const texts = lists[0];
      while (texts?.[0] !== undefined && sent.includes(texts[0])) texts.shift();
      if (texts?.length === 0) leave();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `postgres://${username}@127.0.0.1:${address.port}${pathname}`,
    isAway: () => isAway,
    comeBack: () => void (isAway = false),
    close: () => {
      for (const { near } of pairs) near.destroy();
      server.close();
    },
  };
}
