import {
  Browsers,
  type ConnectionState,
  type WASocket,
  generateWAMessage,
  makeCacheableSignalKeyStore,
  makeWASocket,
  proto,
  type SocketConfig,
  type CacheStore,
  type BinaryNode,
  type AuthenticationCreds,
  BufferJSON,
  type SignalDataTypeMap,
  type SignalKeyStore,
  initAuthCreds,
  type AnyMessageContent,
  type WAMessage,
} from 'baileys';
import type {
  Download,
  EngineAnswer,
  EngineEvent,
  EngineMessage,
  EngineSocket,
  OpenOptions,
  WebEngine,
  AuthStorage,
  KeyChange,
  EngineContent,
  NamedMessage,
} from '#server/domains/channels/web/engine/engine.ts';
import type { FileClient } from '#server/infra/net/outbound-file.ts';
import { channelOfHidden } from '#contract/messages/peer.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';
import { addressOf, wireIdIn } from './addresses.ts';
import { forwardEvents } from './events.ts';
import { download } from './media.ts';

const GOODBYE_MS = 1_000;
const REUPLOAD_MS = 30_000;

type Options = {
  url?: string | undefined;
  files: FileClient;
  report: (error: unknown) => void;
};

export function openBaileysEngine(options: Options): WebEngine {
  const open = new Set<BaileysSocket>();
  return {
    async open(given) {
      const socket = await BaileysSocket.connect(options, given, () => open.delete(socket));
      open.add(socket);
      return socket;
    },
    async close() {
      await Promise.all([...open].map((socket) => socket.close()));
    },
  };
}

class BaileysSocket implements EngineSocket {
  readonly #sock: WASocket;
  readonly #files: FileClient;
  readonly #given: OpenOptions;
  readonly #acknowledgements: Acknowledgements;
  #isClosed = false;

  static async connect(
    { url, files, report }: Options,
    given: OpenOptions,
    onClosed: () => void,
  ): Promise<BaileysSocket> {
    const creds = await readCreds(given.auth);
    const sock = makeWASocket({
      auth: { creds, keys: makeCacheableSignalKeyStore(keyStoreOf(given.auth), silent) },
      logger: silent,
      // Another name would break pairing codes.
      browser: Browsers.macOS('Chrome'),
      // Otherwise the phone shows no notifications while the number is connected.
      markOnlineOnConnect: false,
      syncFullHistory: false,
      generateHighQualityLinkPreview: false,
      countryCode: 'ID',
      msgRetryCounterCache: memoryCache(),
      shouldIgnoreJid: (address) => /@(g\.us|broadcast|newsletter)$/.test(address),
      getMessage: async ({ id }) => {
        const content = id ? await given.sent.readSent(wireIdIn(id)) : undefined;
        return content && proto.Message.decode(content);
      },
      ...(url !== undefined && { waWebSocketUrl: url }),
    });
    let writing: Promise<void> = Promise.resolve();
    sock.ev.on('creds.update', () => {
      writing = writing
        .then(() => writeCreds(given.auth, creds))
        // Without its stored identity, later messages could not be read after a restart.
        .catch((error: unknown) => {
          report(error);
          void sock.end(undefined);
        });
    });
    return new BaileysSocket(sock, { files, report }, given, onClosed);
  }

  private constructor(
    sock: WASocket,
    { files, report }: Pick<Options, 'files' | 'report'>,
    given: OpenOptions,
    onClosed: () => void,
  ) {
    this.#sock = sock;
    this.#files = files;
    this.#given = given;
    this.#acknowledgements = new Acknowledgements(sock);
    const onEvent = (event: EngineEvent) => {
      if (event.kind === 'closed') {
        onClosed();
        this.#acknowledgements.close();
      }
      if (!this.#isClosed) given.onEvent(event);
    };
    forwardEvents(sock, onEvent, report);
    if (given.pairingPhone !== undefined) this.#requestCode(given.pairingPhone);
  }

  async send(message: EngineMessage): Promise<EngineAnswer> {
    const { to, wireId, isNewChat } = message;
    const address = addressOf(to);
    // A hidden number cannot be looked up; it is known because it wrote.
    if (isNewChat && channelOfHidden(to) === undefined) {
      // One number at a time: lists look like a search to the network.
      const [found] = (await this.#sock.onWhatsApp(address)) ?? [];
      if (found && !found.exists) return { outcome: 'not_on_whatsapp' };
    }
    const content = await this.#encode(message);
    const answer = this.#acknowledgements.next(wireId);
    await this.#sock.relayMessage(address, content, { messageId: wireId });
    const code = await answer;
    return code === undefined ? { outcome: 'acknowledged' } : { outcome: 'refused', code };
  }

  async download(reference: string): Promise<Download> {
    return download(this.#files, reference, (message) =>
      withTimeout(this.#sock.updateMediaMessage(message), REUPLOAD_MS, () => {
        throw new Error('the phone did not upload the file of a message again');
      }),
    );
  }

  async logout(): Promise<void> {
    this.#isClosed = true;
    await this.#sock.logout();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#acknowledgements.close();
    // The library waits half a minute for the network's goodbye.
    await withTimeout(this.#sock.end(undefined), GOODBYE_MS, () => undefined);
  }

  /** Encodes and stores the message before it leaves; a later try sends the stored encoding. */
  async #encode(message: EngineMessage): Promise<proto.IMessage> {
    const { to, wireId, quoted } = message;
    const stored = await this.#given.sent.readSent(wireId);
    if (stored) return proto.Message.decode(stored);
    const made = await generateWAMessage(addressOf(to), baileysContent(message), {
      userJid: this.#sock.user?.id ?? '',
      messageId: wireId,
      upload: this.#sock.waUploadToServer,
      logger: silent,
      ...(quoted && { quoted: quotedOf(to, quoted) }),
    });
    if (!made.message) throw new Error('the library has made no message');
    await this.#given.sent.writeSent(wireId, proto.Message.encode(made.message).finish());
    return made.message;
  }

  #requestCode(phone: string) {
    const ask = ({ qr }: Partial<ConnectionState>) => {
      if (qr === undefined) return;
      this.#sock.ev.off('connection.update', ask);
      this.#sock.requestPairingCode(phone).then(
        (code) => this.#given.onEvent({ kind: 'pairing_code', code }),
        // The QR still works.
        () => undefined,
      );
    };
    this.#sock.ev.on('connection.update', ask);
  }
}

/** Silences the library's own log, which would name numbers and texts. */
export const silent: SocketConfig['logger'] = {
  level: 'silent',
  child: () => silent,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const ENTRIES_MAX = 1_000;

export function memoryCache(): CacheStore {
  const entries = new Map<string, unknown>();
  return {
    get: <T>(key: string) => entries.get(key) as T | undefined,
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > ENTRIES_MAX && oldest !== undefined) entries.delete(oldest);
    },
    del: (key) => void entries.delete(key),
    flushAll: () => entries.clear(),
  };
}

type Waiting = { resolve: (code: number | undefined) => void; reject: (error: Error) => void };

/** The server's acknowledgements: the library reports refusals only, and does not wait. */
class Acknowledgements {
  readonly #waiting = new Map<string, Waiting>();

  constructor(sock: Pick<WASocket, 'ws'>) {
    sock.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => {
      const one = attrs['id'] === undefined ? undefined : this.#waiting.get(attrs['id']);
      if (!one) return;
      this.#waiting.delete(attrs['id'] ?? '');
      const { error } = attrs;
      one.resolve(error === undefined ? undefined : Number.parseInt(error, 10) || 0);
    });
  }

  /** Resolves with the code of a refusal, or undefined; rejects if the connection ends first. */
  next(wireId: string): Promise<number | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    this.#waiting.set(wireId, { resolve, reject });
    promise.catch(() => undefined);
    return promise;
  }

  close(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('the connection ended'));
    this.#waiting.clear();
  }
}

const written = (value: unknown): string => JSON.stringify(value, BufferJSON.replacer);
const read = (text: string): unknown => JSON.parse(text, BufferJSON.reviver);

export async function readCreds(auth: AuthStorage): Promise<AuthenticationCreds> {
  const stored = await auth.readCreds();
  return stored === undefined ? initAuthCreds() : (read(stored) as AuthenticationCreds);
}

export const writeCreds = (auth: AuthStorage, creds: AuthenticationCreds): Promise<void> =>
  auth.writeCreds(written(creds));

export const keyStoreOf = (auth: AuthStorage): SignalKeyStore => ({
  async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
    const found = await auth.readKeys(type, ids);
    return Object.fromEntries(
      Object.entries(found).map(([id, text]) => [id, revived(type, read(text))]),
    ) as Record<string, SignalDataTypeMap[T]>;
  },
  async set(data) {
    const changes = Object.entries(data).flatMap(([type, values]) =>
      Object.entries(values ?? {}).map(([id, value]): KeyChange => ({
        type,
        id,
        value: value === null || value === undefined ? null : written(value),
      })),
    );
    if (changes.length > 0) await auth.writeKeys(changes);
  },
});

/** Keys of this type are protocol messages, and must be restored as such. */
const revived = (type: string, value: unknown): unknown =>
  type === 'app-state-sync-key'
    ? proto.Message.AppStateSyncKeyData.fromObject(value as Record<string, unknown>)
    : value;

export function baileysContent({ to, content }: EngineMessage): AnyMessageContent {
  switch (content.kind) {
    case 'text':
      return { text: content.text };
    case 'location':
      return {
        location: {
          degreesLatitude: content.latitude,
          degreesLongitude: content.longitude,
          ...(content.name !== undefined && { name: content.name }),
          ...(content.address !== undefined && { address: content.address }),
        },
      };
    case 'contact':
      return {
        contacts: {
          displayName: content.name,
          contacts: [{ displayName: content.name, vcard: vcardOf(content) }],
        },
      };
    case 'reaction': {
      const { wireId: id, fromMe } = content.to;
      return { react: { text: content.emoji, key: { remoteJid: addressOf(to), id, fromMe } } };
    }
    case 'media':
      return mediaContent(content);
  }
}

type Media = Extract<EngineContent, { kind: 'media' }>;

function mediaContent({
  media,
  bytes,
  mime,
  caption,
  filename,
  voice,
  seconds,
}: Media): AnyMessageContent {
  const file = Buffer.from(bytes);
  const words = caption === undefined ? {} : { caption };
  switch (media) {
    case 'image':
      return { image: file, mimetype: mime, ...words };
    case 'video':
      return { video: file, mimetype: mime, ...words };
    case 'audio':
      return {
        audio: file,
        mimetype: voice ? 'audio/ogg; codecs=opus' : mime,
        ptt: voice === true,
        ...(seconds !== undefined && { seconds: Math.round(seconds) }),
      };
    case 'document':
      return { document: file, mimetype: mime, fileName: filename ?? 'dokumen', ...words };
    case 'sticker':
      return { sticker: file, mimetype: mime };
  }
}

const quotedOf = (to: string, { wireId, fromMe, text }: NamedMessage): WAMessage => ({
  key: { remoteJid: addressOf(to), id: wireId, fromMe },
  message: { conversation: text },
});

const escaped = (words: string): string =>
  words.replace(/[\\,;]/g, '\\$&').replace(/[\r\n]+/g, ' ');

type Card = Extract<EngineContent, { kind: 'contact' }>;

const vcardOf = ({ name, phone, phones, organization, email }: Card): string =>
  [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `FN:${escaped(name)}`,
    ...(organization === undefined ? [] : [`ORG:${escaped(organization)};`]),
    ...(phones ?? (phone === undefined ? [] : [phone])).map(
      (digits) => `TEL;type=CELL;type=VOICE;waid=${digits}:+${digits}`,
    ),
    ...(email === undefined ? [] : [`EMAIL:${escaped(email)}`]),
    'END:VCARD',
  ].join('\n');
