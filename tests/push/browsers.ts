import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type TextSocket, acceptSocket } from './websocket.ts';

/** Path prefix of endpoints, as in Firefox's own service. */
export const PATH = '/wpush/v2/';

type Waiting = { version: string; ttl: number; topic: string | undefined; data: string };

export type Channel = {
  id: string;
  /** The browser's id; undefined if a test created it. */
  uaid: string | undefined;
  channelID: string;
  key: string | undefined;
  waiting: Waiting[];
};

/** A browser's acknowledgement: 100 delivered, 101 not decrypted, 102 not delivered. */
export type Ack = { channelID: string; version: string; code?: number };

type ClientMessage = {
  messageType?: string;
  uaid?: string;
  channelID?: string;
  key?: string;
  updates?: Ack[];
};

type State = {
  channels: Map<string, Channel>;
  origin: () => string;
  sockets: Map<string, TextSocket>;
  known: Set<string>;
  acks: Ack[];
};

export function openChannel(
  channels: Map<string, Channel>,
  channel: Omit<Channel, 'id' | 'waiting'>,
): string {
  const id = `${randomUUID()}${randomUUID()}`.replaceAll('-', '');
  channels.set(id, { ...channel, id, waiting: [] });
  return id;
}

/** Firefox's side of the service: hello, register, notification, ack, unregister, ping. */
export function openBrowsers(channels: Map<string, Channel>, origin: () => string) {
  const state: State = { channels, origin, sockets: new Map(), known: new Set(), acks: [] };
  const { sockets, known, acks } = state;
  const streams = new Set<Duplex>();
  let isReached = true;

  const connect = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    if (!isReached) {
      stream.destroy();
      return;
    }
    streams.add(stream);
    const socket = acceptSocket(request, stream, head, 'push-notification');
    let uaid: string | undefined;
    socket.onText((text) => {
      const received = JSON.parse(text) as ClientMessage;
      if (received.messageType === 'hello') uaid = greet(state, socket, received);
      else heed(state, socket, uaid, received);
    });
    socket.onClose(() => {
      streams.delete(stream);
      if (uaid !== undefined && sockets.get(uaid) === socket) sockets.delete(uaid);
    });
  };
  const end = () => {
    for (const socket of sockets.values()) socket.close();
    sockets.clear();
  };
  return {
    acks,
    connect,
    deliver(channel: Channel, headers: IncomingHttpHeaders, body: Buffer) {
      if (channel.uaid === undefined) return;
      const topic = headers['topic'] === undefined ? undefined : String(headers['topic']);
      // A newer message of a topic replaces one that still waits (RFC 8030, 5.4).
      channel.waiting = channel.waiting.filter((one) => topic === undefined || one.topic !== topic);
      const data = body.toString('base64url');
      channel.waiting.push({ version: randomUUID(), ttl: Number(headers['ttl']), topic, data });
      hand(state, channel);
    },
    rotate() {
      for (const { id, uaid } of channels.values()) if (uaid !== undefined) channels.delete(id);
      known.clear();
      end();
    },
    reach(on: boolean) {
      isReached = on;
      if (!on) end();
    },
    cut() {
      for (const stream of streams) stream.destroy();
    },
  };
}

/** A browser without a valid id gets a new one. */
function greet(state: State, socket: TextSocket, received: ClientMessage): string {
  const { channels, sockets, known } = state;
  const uaid =
    received.uaid && known.has(received.uaid) ? received.uaid : randomUUID().replaceAll('-', '');
  known.add(uaid);
  sockets.set(uaid, socket);
  const answer = { messageType: 'hello', uaid, status: 200, use_webpush: true, broadcasts: {} };
  socket.send(JSON.stringify(answer));
  for (const channel of channels.values()) {
    if (channel.uaid === uaid) hand(state, channel);
  }
  return uaid;
}

function heed(
  state: State,
  socket: TextSocket,
  uaid: string | undefined,
  received: ClientMessage,
): void {
  const { channels, acks, origin } = state;
  const { messageType = 'ping', channelID = '' } = received;
  if (messageType === 'register') {
    const id = openChannel(channels, { uaid, channelID, key: received.key });
    const pushEndpoint = origin() + PATH + id;
    socket.send(JSON.stringify({ messageType, channelID, status: 200, pushEndpoint }));
  } else if (messageType === 'unregister') {
    for (const one of channels.values()) if (one.channelID === channelID) channels.delete(one.id);
    socket.send(JSON.stringify({ messageType, channelID, status: 200 }));
  } else if (messageType === 'ack') {
    acks.push(...(received.updates ?? []));
  } else if (messageType === 'ping') {
    socket.send('{}');
  }
}

function hand({ sockets }: State, channel: Channel): void {
  const socket = channel.uaid === undefined ? undefined : sockets.get(channel.uaid);
  if (!socket) return;
  const { channelID } = channel;
  const headers = { encoding: 'aes128gcm' };
  for (const { topic: _, ...message } of channel.waiting.splice(0)) {
    socket.send(JSON.stringify({ messageType: 'notification', channelID, ...message, headers }));
  }
}
