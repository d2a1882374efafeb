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

/** What the parent does for the process: it stores. */
export type ParentCalls = {
  [Name in keyof AuthStorage]: (
    number: string,
    ...args: Parameters<AuthStorage[Name]>
  ) => ReturnType<AuthStorage[Name]>;
};
