import type {
  AuthStorage,
  EngineAnswer,
  EngineMessage,
} from '#server/domains/channels/web/engine/engine.ts';

/** What the process takes of memory, garbage collected, and how it stands with its phones. */
export type Memory = {
  bytes: number;
  /** The most that it took so far, with garbage. */
  highestBytes: number;
  open: number;
  received: number;
};

/** What the process with the phones does for its parent. */
export type PhoneCalls = {
  /** Resolves when the phone is connected and logged in. */
  open: (number: string) => Promise<void>;
  send: (number: string, message: EngineMessage) => Promise<EngineAnswer>;
  memory: () => Promise<Memory>;
};

/** What is stored of a phone. */
export type StorageCalls = {
  [Name in keyof AuthStorage]: (
    number: string,
    ...args: Parameters<AuthStorage[Name]>
  ) => ReturnType<AuthStorage[Name]>;
};

/** What the parent does for the process: it stores, and gives up when a connection ends. */
export type ParentCalls = StorageCalls & { closed: (code: number) => void };
