import type { Readable } from 'node:stream';

/** Whole bytes from the first to the last one, both included. */
export type Span = { start: number; end: number };

/** A file of the store, as a listing names it. */
export type Listed = { key: string; sizeBytes: number; modifiedMs: number };

/**
 * Where whole files lie, by keys of ours such as `files/ab/ab…`: the data folder, or a bucket of an S3 store.
 *
 * Every call may throw `StoreAway`; nothing was done then, or what was done may be done again.
 */
export type FileStore = {
  /** How people call it: the folder's path, or `s3://bucket/prefix`. */
  name: string;
  /** True where all nodes reach it: what one node receives and another needs goes there, too. */
  isShared: boolean;
  /**
   * Puts the file at `path` under a key: there whole, or not at all; what lay there before is replaced. The disk
   * takes the file away from `path`, a bucket leaves it.
   *
   * @param sizeBytes its length.
   */
  put(key: string, path: string, sizeBytes: number): Promise<void>;
  /** The length of what lies under a key; undefined where nothing does. */
  size(key: string): Promise<number | undefined>;
  /** The bytes, or a span of them, as they are read. @throws an error of code ENOENT where there are none. */
  stream(key: string, span?: Span): Promise<Readable>;
  /**
   * Does something with the bytes as a file of this machine: on the disk where they lie, of a bucket a copy that
   * is deleted after. The file is only to be read.
   *
   * @throws an error of code ENOENT where there are none.
   */
  withFile<T>(key: string, work: (path: string) => Promise<T>): Promise<T>;
  /** Deletes what lies under a key; nothing is well, too. */
  delete(key: string): Promise<void>;
  /** All files whose keys begin so, in no order. */
  list(prefix: string): AsyncGenerator<Listed>;
  /**
   * Marks an empty store as this installation's.
   *
   * @throws StartError where it is another's: each would sweep away what the other keeps.
   */
  claim(): Promise<void>;
  /** Asks for a little. @throws `StoreAway`, and what `claim` throws. */
  check(): Promise<void>;
  close(): void;
};

/** The store does not answer, or refuses: trouble that passes by itself, or that the operator ends. */
export class StoreAway extends Error {
  /** As `isTransient` knows it. */
  readonly code = 'FILES_AWAY';
  /** What the store said no with, such as `AccessDenied`; undefined where it did not answer. */
  readonly refusal: string | undefined;

  constructor(what: string, { refusal }: { refusal?: string } = {}) {
    super(`the file store is away: ${what}`);
    this.name = 'StoreAway';
    this.refusal = refusal;
  }
}

/** What is read and is not there. */
export const fileGone = (key: string): Error =>
  Object.assign(new Error(`${key.split('/')[0]}: the file is gone`), { code: 'ENOENT' });
