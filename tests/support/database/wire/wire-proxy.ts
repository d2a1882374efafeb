import { once } from 'node:events';
import { type Socket, connect, createServer } from 'node:net';

type Direction = 'toServer' | 'toClient';

/** Where a conversation is cut: when so many messages of a direction have passed. */
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
 * A proxy in front of a database on a unix socket that counts the messages of its first connection, and
 * cuts that connection where it is told to. Later connections pass through.
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
            // What has passed arrives; what came after it never does.
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
