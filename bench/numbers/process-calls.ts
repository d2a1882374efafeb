import type {
  AuthStorage,
  EngineAnswer,
  EngineMessage,
} from '#server/domains/channels/web/engine/engine.ts';

/** Memory of the process after garbage collection, and the state of its phones. */
export type Memory = {
  bytes: number;
  /** The peak so far, with garbage. */
  highestBytes: number;
  open: number;
  received: number;
};

export type PhoneCalls = {
  open: (number: string) => Promise<void>;
  send: (number: string, message: EngineMessage) => Promise<EngineAnswer>;
  memory: () => Promise<Memory>;
};

export type StorageCalls = {
  [Name in keyof AuthStorage]: (
    number: string,
    ...args: Parameters<AuthStorage[Name]>
  ) => ReturnType<AuthStorage[Name]>;
};

export type ParentCalls = StorageCalls & { closed: (code: number) => void };
