import {
  Browsers,
  type ConnectionState,
  type WASocket,
  generateWAMessage,
  makeCacheableSignalKeyStore,
  makeWASocket,
  proto,
} from 'baileys';
import type {
  Download,
  EngineAnswer,
  EngineEvent,
  EngineMessage,
  EngineSocket,
  OpenOptions,
  WebEngine,
} from '#server/domains/channels/web/engine/engine.ts';
import type { FileClient } from '#server/infra/net/outbound-file.ts';
import { channelOfHidden } from '#contract/messages/peer.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { addressOf, wireIdIn } from './addresses.ts';
import { keyStoreOf, readCreds, writeCreds } from './auth-state.ts';
import { baileysContent, quotedOf } from './content.ts';
import { forwardEvents } from './events.ts';
import { download } from './media.ts';
import { memoryCache } from './memory-cache.ts';
import { silent } from './silent-log.ts';

/** How long the end of a connection may take. */
const GOODBYE_MS = 1_000;
/** The longest wait for a sender's phone to upload a file again. */
const REUPLOAD_MS = 30_000;

type Options = {
  /** Where the network is; without it, WhatsApp itself. */
  url?: string | undefined;
  files: FileClient;
  report: (error: unknown) => void;
};

/** The client of WhatsApp Web by Baileys. */
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
      // A name of its own would break pairing codes.
      browser: Browsers.macOS('Chrome'),
      // Otherwise the phone shows no notices of its own while the number is connected.
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
        // Without its identity stored, what comes next could not be read after a restart.
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
      // One number at a time: lists of them are taken for a search.
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

  /** The message as it leaves: of an earlier try, the very same. Stored before it leaves. */
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

  /** Asks for a pairing code with the first QR; the network's verdict on it comes later, or never. */
  #requestCode(phone: string) {
    const ask = ({ qr }: Partial<ConnectionState>) => {
      if (qr === undefined) return;
      this.#sock.ev.off('connection.update', ask);
      this.#sock.requestPairingCode(phone).then(
        (code) => this.#given.onEvent({ kind: 'pairing_code', code }),
        // The QR is there all the same.
        () => undefined,
      );
    };
    this.#sock.ev.on('connection.update', ask);
  }
}
