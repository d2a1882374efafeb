import type {
  AuthStorage,
  Download,
  EngineAnswer,
  EngineEvent,
  EngineMessage,
  SentStorage,
} from '#server/domains/channels/web/engine/engine.ts';

export type ThreadData = { url: string | undefined };

type OfSocket<F extends (...args: never[]) => unknown> = (
  socketId: number,
  ...args: Parameters<F>
) => ReturnType<F>;

export type ThreadCalls = {
  open: (socketId: number, options: { pairingPhone?: string }) => Promise<void>;
  send: (socketId: number, message: EngineMessage) => Promise<EngineAnswer>;
  download: (socketId: number, reference: string) => Promise<Download>;
  logout: (socketId: number) => Promise<void>;
  close: (socketId: number) => Promise<void>;
  /** Answers at once, unless the thread is blocked. */
  ping: () => boolean;
};

/** Calls that the thread makes: only the worker has the database and the sealing keys. */
export type WorkerCalls = {
  [Name in keyof AuthStorage]: OfSocket<AuthStorage[Name]>;
} & { [Name in keyof SentStorage]: OfSocket<SentStorage[Name]> } & {
  event: (socketId: number, event: EngineEvent) => void;
  report: (error: unknown) => void;
};
