import type { OtherKind } from '#contract/messages/captions.ts';
import type { MediaKind } from '#contract/media.ts';
import type { ContactBody } from '#server/domains/channels/inbound-card.ts';

/**
 * What a session stores with us. Values are texts of the engine's own; whoever stores them keeps them
 * unreadable. A write that resolves is stored for good; one that throws ends the connection.
 */
export type AuthStorage = {
  readCreds(): Promise<string | undefined>;
  writeCreds(creds: string): Promise<void>;
  /** Those of a type that are there, by id. */
  readKeys(type: string, ids: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /** Stores all of them or none. */
  writeKeys(changes: readonly KeyChange[]): Promise<void>;
};

/** A key that is stored, or forgotten (null). */
export type KeyChange = { type: string; id: string; value: string | null };

/** What was sent, as the engine encoded it, by its id in the network. */
export type SentStorage = {
  readSent(wireId: string): Promise<Uint8Array | undefined>;
  /** Stored before it leaves. */
  writeSent(wireId: string, content: Uint8Array): Promise<void>;
};

/** A message that another one answers or reacts to. */
export type NamedMessage = { wireId: string; fromMe: boolean; text: string };

/** What a message says, as an engine sends it. */
export type EngineContent =
  | { kind: 'text'; text: string }
  | {
      kind: 'media';
      media: MediaKind;
      bytes: Uint8Array;
      mime: string;
      caption?: string;
      filename?: string;
      /** A sound that was spoken into a phone. */
      voice?: boolean;
      seconds?: number;
    }
  | { kind: 'location'; latitude: number; longitude: number; name?: string; address?: string }
  | ({ kind: 'contact' } & ContactBody)
  | { kind: 'reaction'; emoji: string; to: NamedMessage };

/** One message on its way. The same `wireId` again is the same message to the network. */
export type EngineMessage = {
  to: string;
  wireId: string;
  content: EngineContent;
  quoted?: NamedMessage;
  /** The first to this number: whether it is in the network is looked up. */
  isNewChat: boolean;
};

/** What the network said to it. */
export type EngineAnswer =
  | { outcome: 'acknowledged' }
  | { outcome: 'refused'; code: number }
  | { outcome: 'not_on_whatsapp' };

/** What a message that came in says. */
export type ReceivedContent =
  | { kind: 'text'; text: string }
  | {
      kind: 'media';
      media: MediaKind;
      /** For `download`. */
      reference: string;
      mime: string;
      caption?: string;
      filename?: string;
      voice?: boolean;
    }
  | { kind: 'location'; latitude: number; longitude: number; name?: string; address?: string }
  | ({ kind: 'contact' } & ContactBody)
  /** An empty emoji takes the one before back. */
  | { kind: 'reaction'; emoji: string }
  /** No type of its own. */
  | { kind: 'other'; other: OtherKind; details?: string }
  /** An earlier message of this sender, by its wire id, says `text` now; without it, it is deleted. */
  | { kind: 'change'; of: string; text?: string }
  /** Not decrypted yet: the library requests it again, under the same wire id. */
  | { kind: 'waiting' };

/** A message of a chat of two, as the network brings it; also again, also late, also our own. */
export type ReceivedMessage = {
  wireId: string;
  /** The other side's number; undefined while only its LID, the network's anonymous address, is known. */
  phone?: string;
  lid?: string;
  fromMe: boolean;
  name?: string;
  atMs: number;
  content: ReceivedContent;
  /** The wire id of the message that it answers or reacts to. */
  quotes?: string;
  /** Facts beside its content, named as the Cloud API names them: `forwarded`, `frequently_forwarded`, `referral`. */
  about?: Readonly<Record<string, unknown>>;
};

/** What became of a message of ours. */
export type EngineReceipt = {
  wireId: string;
  status: 'delivered' | 'read' | 'failed';
  /** Of `failed`: the network's code. */
  code?: number;
  atMs: number;
};

/** What happens on a connection, in its order. After `closed` nothing more does. */
export type EngineEvent =
  | { kind: 'qr'; text: string }
  | { kind: 'pairing_code'; code: string }
  /** While linking: the network wants a passkey, which only WhatsApp's own page can give. */
  | { kind: 'passkey' }
  /** A phone has read the QR; the network closes next (515), and the session begins with the next connection. */
  | { kind: 'paired'; phone: string }
  | { kind: 'open'; phone: string }
  /** `isLoggedOut`: the network says that the phone has removed this session. */
  | { kind: 'closed'; code: number; isLoggedOut?: boolean }
  /** The network said something, whatever it was. */
  | { kind: 'heard' }
  /** `isLive` false: history, or what came while nobody was connected. */
  | { kind: 'messages'; isLive: boolean; messages: readonly ReceivedMessage[] }
  | { kind: 'receipts'; receipts: readonly EngineReceipt[] }
  | { kind: 'numbers'; numbers: readonly { lid: string; phone: string }[] }
  /** No new chats until then; `isActive` false: the restriction is over. */
  | { kind: 'time_lock'; isActive: boolean; untilMs?: number }
  /** Of new chats the network allows so many. */
  | { kind: 'capping'; isCapped: boolean; untilMs?: number };

export type OpenOptions = {
  auth: AuthStorage;
  sent: SentStorage;
  /** While linking: asks for a pairing code for this number, beside the QR. */
  pairingPhone?: string;
  onEvent(event: EngineEvent): void;
};

/** The bytes of a file; `gone` where the network has it no more, `refused` where it is not taken. */
export type Download = Uint8Array | 'gone' | 'refused';

/** A connection of one session. */
export type EngineSocket = {
  /** Resolves with the network's answer; throws when none came. */
  send(message: EngineMessage): Promise<EngineAnswer>;
  /** The file of a message that came in. @throws what passes. */
  download(reference: string): Promise<Download>;
  /** Ends the session for good, also on the phone. */
  logout(): Promise<void>;
  /** Ends the connection: no event follows. */
  close(): Promise<void>;
};

/** A client of WhatsApp Web: the real one, or one for tests. */
export type WebEngine = {
  /** Begins to connect. */
  open(options: OpenOptions): Promise<EngineSocket>;
  /** Ends all connections. */
  close(): Promise<void>;
};
