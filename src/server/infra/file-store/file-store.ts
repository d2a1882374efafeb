import type { Readable } from 'node:stream';

/** A byte range; both ends are included. */
export type Span = { start: number; end: number };

export type Listed = { key: string; sizeBytes: number; modifiedMs: number };

/**
 * Stores whole files under keys such as `files/ab/ab…`: in the data folder, or in a bucket of an S3 store.
 *
 * Every call may throw `StoreAway`; it may then be repeated.
 */
export type FileStore = {
  name: string;
  /** True if all nodes reach it; files that one node receives and another needs must then go there. */
  isShared: boolean;
  /**
   * Stores the file at `path` under a key, atomically; replaces an existing one. On disk the file is moved, for a
   * bucket it is copied.
   */
  put(key: string, path: string, sizeBytes: number): Promise<void>;
  size(key: string): Promise<number | undefined>;
  /** @throws an error of code ENOENT if the key does not exist. */
  stream(key: string, span?: Span): Promise<Readable>;
  /**
   * The file must not be changed; for a bucket it is a temporary copy.
   *
   * @throws an error of code ENOENT if the key does not exist.
   */
  withFile<T>(key: string, work: (path: string) => Promise<T>): Promise<T>;
  /** Deletes a key; succeeds if it does not exist. */
  delete(key: string): Promise<void>;
  /** In no particular order. */
  list(prefix: string): AsyncGenerator<Listed>;
  /**
   * Marks an empty store as this installation's.
   *
   * @throws StartError if another installation owns the store: each would delete the other's files.
   */
  claim(): Promise<void>;
  /** @throws `StoreAway`, and the errors of `claim`. */
  check(): Promise<void>;
  close(): void;
};

/** The store does not answer or refuses: transient, or to be fixed by the operator. */
export class StoreAway extends Error {
  /** Recognized by `isTransient`. */
  readonly code = 'FILES_AWAY';
  /** The store's error code, such as `AccessDenied`; undefined if it did not answer. */
  readonly refusal: string | undefined;

  constructor(what: string, { refusal }: { refusal?: string } = {}) {
    super(`the file store is away: ${what}`);
    this.name = 'StoreAway';
    this.refusal = refusal;
  }
}

export const fileGone = (key: string): Error =>
  Object.assign(new Error(`${key.split('/')[0]}: the file is gone`), { code: 'ENOENT' });
