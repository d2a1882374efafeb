import type { OtherKind } from '#contract/messages/captions.ts';
import type { MediaKind } from '#contract/media.ts';
import type { ContactBody } from '#server/domains/channels/inbound-card.ts';

/**
 * Storage of a session, which must encrypt the values. A resolved write is stored for good; one that throws ends the
 * connection.
 */
export type AuthStorage = {
  readCreds(): Promise<string | undefined>;
  writeCreds(creds: string): Promise<void>;
  readKeys(type: string, ids: readonly string[]): Promise<Readonly<Record<string, string>>>;
  writeKeys(changes: readonly KeyChange[]): Promise<void>;
};

/** A key to store, or to delete (null). */
export type KeyChange = { type: string; id: string; value: string | null };

/** Sent messages as the engine encoded them, by wire id. */
export type SentStorage = {
  readSent(wireId: string): Promise<Uint8Array | undefined>;
  /** Called before the message leaves. */
  writeSent(wireId: string, content: Uint8Array): Promise<void>;
};

export type NamedMessage = { wireId: string; fromMe: boolean; text: string };

export type EngineContent =
  | { kind: 'text'; text: string }
  | {
      kind: 'media';
      media: MediaKind;
      bytes: Uint8Array;
      mime: string;
      caption?: string;
      filename?: string;
      voice?: boolean;
      seconds?: number;
    }
  | { kind: 'location'; latitude: number; longitude: number; name?: string; address?: string }
  | ({ kind: 'contact' } & ContactBody)
  | { kind: 'reaction'; emoji: string; to: NamedMessage };

/** A message to send. The same `wireId` again is the same message to the network. */
export type EngineMessage = {
  to: string;
  wireId: string;
  content: EngineContent;
  quoted?: NamedMessage;
  /** The first to this number: the network is queried for the number. */
  isNewChat: boolean;
};

export type EngineAnswer =
  | { outcome: 'acknowledged' }
  | { outcome: 'refused'; code: number }
  | { outcome: 'not_on_whatsapp' };

export type ReceivedContent =
  | { kind: 'text'; text: string }
  | {
      kind: 'media';
      media: MediaKind;
      reference: string;
      mime: string;
      caption?: string;
      filename?: string;
      voice?: boolean;
    }
  | { kind: 'location'; latitude: number; longitude: number; name?: string; address?: string }
  | ({ kind: 'contact' } & ContactBody)
  /** An empty emoji removes the previous reaction. */
  | { kind: 'reaction'; emoji: string }
  | { kind: 'other'; other: OtherKind; details?: string }
  /** New text of an earlier message of this sender, by wire id; without `text`, deletes it. */
  | { kind: 'change'; of: string; text?: string }
  | { kind: 'waiting' };

/** A message of a one-to-one chat; may be repeated, late, or our own. */
export type ReceivedMessage = {
  wireId: string;
  /** The other side's number; undefined while only its LID, the network's anonymous address, is known. */
  phone?: string;
  lid?: string;
  fromMe: boolean;
  name?: string;
  atMs: number;
  content: ReceivedContent;
  quotes?: string;
  /** Facts beside its content, named as the Cloud API names them: `forwarded`, `frequently_forwarded`, `referral`. */
  about?: Readonly<Record<string, unknown>>;
};

export type EngineReceipt = {
  wireId: string;
  status: 'delivered' | 'read' | 'failed';
  code?: number;
  atMs: number;
};

/** Events of a connection, in order. `closed` is the last. */
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
  | { kind: 'heard' }
  /** `isLive` false: history, or messages that came while disconnected. */
  | { kind: 'messages'; isLive: boolean; messages: readonly ReceivedMessage[] }
  | { kind: 'receipts'; receipts: readonly EngineReceipt[] }
  | { kind: 'numbers'; numbers: readonly { lid: string; phone: string }[] }
  /** No new chats until then; `isActive` false: the restriction is over. */
  | { kind: 'time_lock'; isActive: boolean; untilMs?: number }
  | { kind: 'capping'; isCapped: boolean; untilMs?: number };

export type OpenOptions = {
  auth: AuthStorage;
  sent: SentStorage;
  pairingPhone?: string;
  onEvent(event: EngineEvent): void;
};

/** The bytes of a file; `gone` if the network no longer has it, `refused` if it is not accepted. */
export type Download = Uint8Array | 'gone' | 'refused';

export type EngineSocket = {
  /** Resolves with the network's answer; throws without one. */
  send(message: EngineMessage): Promise<EngineAnswer>;
  /** The file of an inbound message. @throws temporary errors */
  download(reference: string): Promise<Download>;
  logout(): Promise<void>;
  close(): Promise<void>;
};

export type WebEngine = {
  open(options: OpenOptions): Promise<EngineSocket>;
  close(): Promise<void>;
};
