import { type BinaryNode, decodeBinaryNode, encodeBinaryNode } from 'baileys';
import { openWebSocketServer } from '#tests/support/channels/web-socket-server.ts';
import { NoiseServer, type Root } from './noise.ts';
import { type Bundle, acknowledgementOf, answerTo, uploadedBundle, welcomeOf } from './stanzas.ts';

/** A fake WhatsApp network: lets linked phones log in, answers queries, and passes messages on. */
export type Network = {
  url: string;
  readonly connected: number;
  bundleOf(number: string): Bundle;
  deliver(number: string, stanza: BinaryNode): void;
  /** The message, receipt or refusal that a phone sends with this id; call before it is sent. */
  next(id: string): Promise<BinaryNode>;
  close(): Promise<void>;
};

export type NetworkOptions = {
  bundles?: ReadonlyMap<string, Bundle>;
  onLogin?: (number: string) => void;
  onLogout?: (number: string) => void;
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
        // Decoding is asynchronous; the chain preserves the order of a connection.
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
