import { holdReload } from '#web/browser/install/appUpdate.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import { Fault } from '#web/api/uploads/uploadFault.ts';
import type { UploadServer } from '#web/api/uploads/uploadWire.ts';
import {
  afterUploadEvent,
  noUploads,
  startable,
  uploadOrigins,
  type UploadEvent,
  type UploadFault,
  type UploadItem,
  type UploadState,
} from '#web/ui/upload/queue/uploadState.ts';

/** A file on the server: an unused upload (`limbo`), or a stored one (`local`). */
export type StoredUpload = {
  id: string;
  origin: 'limbo' | 'local';
  /** With name and size it is shown without being fetched. */
  name?: string;
  /** Bytes. */
  size?: number;
  type?: string;
  poster?: string;
};

export type UploadNews = {
  what: 'added' | 'removed' | 'complete' | 'cancelled' | 'fault';
  item: UploadItem;
};

/** Settings that may change during uploads; read each time they are needed. */
export type UploadSettings = {
  server: UploadServer;
  parallel: number;
  instant: boolean;
  /** True if an upload that the server cannot revert stays, with a retry button. */
  forceRevert: boolean;
  check: (file: File) => UploadFault | undefined;
  faultOf: (step: 'load' | 'process' | 'revert' | 'remove', fault: Fault) => UploadFault;
  /** Deletes a stored (`local`) file; omitted: such a file only leaves the list. */
  discard: ((id: string) => Promise<void>) | undefined;
  onNews: (news: UploadNews) => void;
};

const blank = {
  size: undefined,
  type: '',
  phase: 'init',
  progress: undefined,
  file: undefined,
  source: undefined,
  id: undefined,
  transferId: undefined,
  fault: undefined,
  poster: undefined,
} as const;

const fromFile = (file: File): UploadItem => ({
  ...blank,
  key: newIdempotencyKey(),
  name: file.name,
  size: file.size,
  type: file.type,
  origin: uploadOrigins.input,
  file,
});

const fromLink = (link: string): UploadItem => ({
  ...blank,
  key: newIdempotencyKey(),
  name: link,
  origin: uploadOrigins.input,
  source: link,
});

function fromStored({ id, origin, name, size, type, poster }: StoredUpload): UploadItem {
  const known = name !== undefined && size !== undefined;
  const ready = origin === 'limbo' ? 'processing-complete' : 'idle';
  return {
    ...blank,
    key: newIdempotencyKey(),
    name: name ?? id,
    size,
    type: type ?? '',
    origin: uploadOrigins[origin],
    source: id,
    id,
    phase: known ? ready : 'init',
    poster,
  };
}

const failures = {
  load: 'load-fail',
  process: 'fail',
  revert: 'revert-fail',
  remove: 'remove-fail',
} as const;

/** Fetches items that are not local files, by origin. */
const fetches = {
  [uploadOrigins.input]: 'fetch',
  [uploadOrigins.limbo]: 'restore',
  [uploadOrigins.local]: 'load',
} as const;

/**
 * The uploads of one widget: a store of items and their side effects. The state transitions are in
 * `ui/upload/queue/uploadState.ts`.
 */
export class Uploads {
  readonly #settings: () => UploadSettings;
  readonly #listeners = new Set<() => void>();
  readonly #work = new Map<string, AbortController>();
  #state = noUploads;

  constructor(settings: () => UploadSettings) {
    this.#settings = settings;
  }

  /** Calls back after every change; returns the stop function. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): UploadState => this.#state;

  add(files: readonly File[], at: number): void {
    this.#bring(files.map(fromFile), at);
  }

  addLinks(links: readonly string[], at: number): void {
    this.#bring(links.map(fromLink), at);
  }

  addStored(stored: readonly StoredUpload[]): void {
    this.#bring(stored.map(fromStored), this.#state.items.length);
  }

  /** Sends, or sends again; also fetches again after a failed fetch. */
  start(key: string): void {
    if (this.#itemOf(key)?.phase === 'load-error') this.#fetch(key);
    else if (this.#dispatch({ kind: 'queue', key })) this.#pump();
  }

  /** Stops fetching (removes the item) or sending (keeps the item). */
  abort(key: string): void {
    this.#stop(key);
    if (this.#itemOf(key)?.phase === 'loading') return this.#gone(key);
    if (!this.#dispatch({ kind: 'abort', key })) return;
    this.#news('cancelled', key);
    this.#pump();
  }

  /** Reverts a complete upload; with instant uploads the item is removed too. */
  revert(key: string): void {
    const id = this.#itemOf(key)?.id;
    if (id === undefined || !this.#dispatch({ kind: 'revert', key })) return;
    this.#working(key, async () => {
      try {
        await this.#settings().server.revert(id);
      } catch (error) {
        if (this.#settings().forceRevert) return this.#failed(key, 'revert', error);
      }
      this.#news('cancelled', key);
      if (this.#settings().instant) this.#gone(key);
      else this.#dispatch({ kind: 'reverted', key });
    });
  }

  /** Removes the item; reverts an unused upload. */
  remove(key: string): void {
    const item = this.#itemOf(key);
    this.#stop(key);
    if (!item || !this.#dispatch({ kind: 'remove', key })) return;
    const { server, discard } = this.#settings();
    const { id, origin, transferId } = item;
    if (origin === uploadOrigins.local) {
      if (id === undefined || !discard) return this.#gone(key);
      return this.#working(key, () =>
        discard(id).then(
          () => this.#gone(key),
          (error: unknown) => this.#failed(key, 'remove', error),
        ),
      );
    }
    const unused = id ?? transferId;
    // The server deletes unused uploads by itself after a day.
    if (unused !== undefined) server.revert(unused).catch(() => undefined);
    this.#gone(key);
    this.#pump();
  }

  /** Removes items whose uploads were used. */
  forget(ids: readonly string[]): void {
    for (const { key, id } of this.#state.items) {
      if (id !== undefined && ids.includes(id)) this.#dispatch({ kind: 'removed', key });
    }
  }

  move(key: string, to: number): void {
    this.#dispatch({ kind: 'move', key, to });
  }

  close(): void {
    for (const { key, phase } of this.#state.items) {
      this.#stop(key);
      if (phase === 'loading') this.#dispatch({ kind: 'removed', key });
      else this.#dispatch({ kind: 'abort', key });
    }
  }

  #itemOf(key: string): UploadItem | undefined {
    return this.#state.items.find((item) => item.key === key);
  }

  #dispatch(event: UploadEvent): boolean {
    const next = afterUploadEvent(this.#state, event);
    if (next === this.#state) return false;
    this.#state = next;
    for (const listener of this.#listeners) listener();
    return true;
  }

  #news(what: UploadNews['what'], key: string): void {
    const item = this.#itemOf(key);
    if (item) this.#settings().onNews({ what, item });
  }

  /** Runs abortable work on an item; its results after an abort are ignored. */
  #working(key: string, doing: (signal: AbortSignal) => Promise<void>): void {
    this.#stop(key);
    const gone = new AbortController();
    this.#work.set(key, gone);
    const release = holdReload();
    void doing(gone.signal)
      // The steps report external failures themselves: anything here is a bug.
      .catch((error: unknown) => reportError(error))
      .finally(() => {
        release();
        if (this.#work.get(key) === gone) this.#work.delete(key);
        this.#pump();
      });
  }

  #stop(key: string): void {
    this.#work.get(key)?.abort();
    this.#work.delete(key);
  }

  #pump(): void {
    for (const key of startable(this.#state, this.#settings().parallel)) {
      if (this.#dispatch({ kind: 'start', key })) {
        this.#working(key, (signal) => this.#send(key, signal));
      }
    }
  }

  async #send(key: string, signal: AbortSignal): Promise<void> {
    const item = this.#itemOf(key);
    if (!item?.file) return;
    try {
      const id = await this.#settings().server.process({
        file: item.file,
        transferId: item.transferId,
        signal,
        onTransfer: (transferId) => void this.#dispatch({ kind: 'transfer', key, transferId }),
        onProgress: (progress) => void this.#dispatch({ kind: 'progress', key, progress }),
      });
      if (!signal.aborted && this.#dispatch({ kind: 'complete', key, id }))
        this.#news('complete', key);
    } catch (error) {
      if (!signal.aborted) this.#failed(key, 'process', error);
    }
  }

  #failed(key: string, step: keyof typeof failures, error: unknown): void {
    const known = error instanceof Fault ? error : new Fault(0);
    const fault = this.#settings().faultOf(step, known);
    const kind = step === 'load' && known.lasting ? ('invalid' as const) : failures[step];
    if (this.#dispatch({ kind, key, fault })) this.#news('fault', key);
  }

  #bring(items: readonly UploadItem[], at: number): void {
    this.#dispatch({ kind: 'add', items, at });
    for (const { key, file, phase } of items) {
      if (file) this.#accept(key, file);
      else if (phase === 'init') this.#fetch(key);
    }
  }

  #accept(key: string, file: File, id?: string): void {
    const { check, instant } = this.#settings();
    const isNew = this.#itemOf(key)?.origin === uploadOrigins.input;
    const fault = isNew ? check(file) : undefined;
    if (fault) {
      if (this.#dispatch({ kind: 'invalid', key, fault })) this.#news('fault', key);
      return;
    }
    if (!this.#dispatch({ kind: 'loaded', key, file, ...(id !== undefined && { id }) })) return;
    this.#news('added', key);
    if (instant && isNew) this.start(key);
  }

  #fetch(key: string): void {
    const { source, origin = uploadOrigins.input } = this.#itemOf(key) ?? {};
    if (source === undefined || !this.#dispatch({ kind: 'load', key })) return;
    this.#working(key, async (signal) => {
      try {
        const { file, id } = await this.#settings().server.load({
          how: fetches[origin],
          source,
          signal,
          onProgress: (progress) => void this.#dispatch({ kind: 'progress', key, progress }),
        });
        if (!signal.aborted) this.#accept(key, file, id);
      } catch (error) {
        if (!signal.aborted) this.#failed(key, 'load', error);
      }
    });
  }

  #gone(key: string): void {
    const item = this.#itemOf(key);
    if (item && this.#dispatch({ kind: 'removed', key })) {
      this.#settings().onNews({ what: 'removed', item });
    }
  }
}
