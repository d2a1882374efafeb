import { type BinaryNode, decodeBinaryNode, encodeBinaryNode } from 'baileys';
import { openWebSocketServer } from '#tests/support/channels/web-socket-server.ts';
import { NoiseServer, type Root } from './noise.ts';
import { type Bundle, acknowledgementOf, answerTo, uploadedBundle, welcomeOf } from './stanzas.ts';

/** A network of our own that lets linked phones log in, answers what they ask, and passes messages on. */
export type Network = {
  url: string;
  /** Phones that are connected now. */
  readonly connected: number;
  /** What a phone uploaded of its keys; others begin chats with these. */
  bundleOf(number: string): Bundle;
  /** Sends a stanza to a phone. */
  deliver(number: string, stanza: BinaryNode): void;
  /** Resolves with the message, receipt or refusal that a phone sends with this id; call it before it is sent. */
  next(id: string): Promise<BinaryNode>;
  close(): Promise<void>;
};

/** Extra events that a benchmark follows. */
export type NetworkOptions = {
  /** Keys that phones uploaded before. */
  bundles?: ReadonlyMap<string, Bundle>;
  onLogin?: (number: string) => void;
  /** A connection that had logged in has ended. */
  onLogout?: (number: string) => void;
  /** A phone has sent a message. */
  onMessage?: (number: string) => void;
};

type Login = { noise: NoiseServer; bundle: Bundle | undefined };

/** @param root signs the network's certificates. */
export async function openNetwork(
  root: Root,
  { bundles, onLogin, onLogout, onMessage }: NetworkOptions = {},
): Promise<Network> {
  const logins = new Map<string, Login>();
  const waiting = new Map<string, (stanza: BinaryNode) => void>();
  const loginOf = (number: string): Login => {
    const login = logins.get(number);
    if (!login) throw new Error('a phone is not logged in');
    return login;
  };
  const deliver = (number: string, stanza: BinaryNode) =>
    loginOf(number).noise.sendStanza(encodeBinaryNode(stanza));

  const handle = (number: string, stanza: BinaryNode) => {
    const { tag, attrs } = stanza;
    if (tag === 'iq' && attrs['type'] !== 'result') {
      const login = loginOf(number);
      login.bundle = uploadedBundle(stanza) ?? login.bundle;
      deliver(number, answerTo(stanza, login.bundle?.preKeys.length ?? 0));
    }
    const { id = '' } = attrs;
    if (tag === 'message') onMessage?.(number);
    if (tag === 'message' || tag === 'receipt') deliver(number, acknowledgementOf(stanza));
    else if (tag !== 'ack' || attrs['error'] === undefined) return;
    waiting.get(id)?.(stanza);
    waiting.delete(id);
  };

  const server = await openWebSocketServer((connection) => {
    let number = '';
    let work: Promise<void> = Promise.resolve();
    const noise = new NoiseServer(root, {
      send: (frame) => connection.send(frame),
      onLogin: ({ username }) => {
        number = String(username);
        logins.set(number, { noise, bundle: bundles?.get(number) });
        onLogin?.(number);
        for (const stanza of welcomeOf(number)) deliver(number, stanza);
      },
      onStanza: (content) => {
        // Decoding is asynchronous; the order of a connection stays.
        work = work.then(async () => {
          const stanza = await decodeBinaryNode(content);
          if (logins.has(number)) handle(number, stanza);
        });
      },
    });
    connection.onMessage = (data) => noise.receive(data);
    connection.onClose = () => {
      if (number === '') return;
      if (logins.get(number)?.noise === noise) logins.delete(number);
      onLogout?.(number);
    };
  });
  return {
    url: server.url,
    get connected() {
      return server.size;
    },
    bundleOf: (number) => {
      const { bundle } = loginOf(number);
      if (!bundle) throw new Error('a phone has uploaded no keys');
      return bundle;
    },
    deliver,
    next: (id) => new Promise((resolve) => waiting.set(id, resolve)),
    close: () => server.close(),
  };
}
