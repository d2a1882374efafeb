import { moved } from '#web/ui/upload/reorder/reorder.ts';

/** The origin of an item: a person, an unused upload, a stored file. */
export const uploadOrigins = { input: 1, limbo: 2, local: 3 } as const;
export type UploadOrigin = (typeof uploadOrigins)[keyof typeof uploadOrigins];

/** The status codes of an item, as FilePond numbers them. */
export const uploadStatus = {
  init: 1,
  idle: 2,
  processing: 3,
  complete: 5,
  processingError: 6,
  loading: 7,
  loadError: 8,
  queued: 9,
  revertError: 10,
} as const;
export type UploadStatus = (typeof uploadStatus)[keyof typeof uploadStatus];

export type UploadPhase =
  | 'init'
  | 'loading'
  | 'load-invalid'
  | 'load-error'
  | 'idle'
  | 'queued'
  | 'processing'
  | 'processing-complete'
  | 'processing-error'
  | 'cancelled'
  | 'reverting'
  | 'processing-revert-error'
  | 'removing'
  | 'remove-error';

/** An error for people: what happened, and what to do. */
export type UploadFault = { main: string; sub: string };

export type UploadItem = {
  /** A local key; the server's is `id`. */
  key: string;
  name: string;
  /** Bytes; `undefined` until known. */
  size: number | undefined;
  type: string;
  origin: UploadOrigin;
  phase: UploadPhase;
  /** The progress of fetching or sending, 0 to 1; `undefined` if unknown. */
  progress: number | undefined;
  file: File | undefined;
  /** The address it is fetched from, unless it is a local file. */
  source: string | undefined;
  /** The upload's id, once it is complete. */
  id: string | undefined;
  /** The started upload in pieces. */
  transferId: string | undefined;
  fault: UploadFault | undefined;
  poster: string | undefined;
};

export type UploadState = {
  items: readonly UploadItem[];
  /** Keys of the items that wait, the longest waiting first. */
  queue: readonly string[];
};

export type UploadEvent =
  | { kind: 'add'; items: readonly UploadItem[]; at: number }
  | {
      kind: 'load' | 'queue' | 'start' | 'abort' | 'revert' | 'reverted' | 'remove';
      key: string;
    }
  | { kind: 'loaded'; key: string; file: File; id?: string }
  | { kind: 'progress'; key: string; progress: number | undefined }
  | { kind: 'transfer'; key: string; transferId: string | undefined }
  | { kind: 'complete'; key: string; id: string }
  | {
      kind: 'invalid' | 'load-fail' | 'fail' | 'revert-fail' | 'remove-fail';
      key: string;
      fault: UploadFault;
    }
  | { kind: 'removed'; key: string }
  | { kind: 'move'; key: string; to: number };

type Step = Exclude<UploadEvent['kind'], 'add' | 'move' | 'removed' | 'progress' | 'transfer'>;

const anywhere: readonly UploadPhase[] = [
  'init',
  'loading',
  'load-invalid',
  'load-error',
  'idle',
  'queued',
  'processing',
  'processing-complete',
  'processing-error',
  'cancelled',
  'processing-revert-error',
  'remove-error',
];

/** The allowed phases of each step, and its target. Any other step changes nothing. */
const steps: Readonly<Record<Step, readonly [from: readonly UploadPhase[], to: UploadPhase]>> = {
  load: [['init', 'load-error'], 'loading'],
  loaded: [['init', 'loading'], 'idle'],
  invalid: [['init', 'loading'], 'load-invalid'],
  'load-fail': [['loading'], 'load-error'],
  queue: [['idle', 'cancelled', 'processing-error'], 'queued'],
  start: [['queued'], 'processing'],
  complete: [['processing'], 'processing-complete'],
  fail: [['processing'], 'processing-error'],
  abort: [['queued', 'processing'], 'cancelled'],
  revert: [['processing-complete', 'processing-revert-error'], 'reverting'],
  reverted: [['reverting'], 'idle'],
  'revert-fail': [['reverting'], 'processing-revert-error'],
  remove: [anywhere, 'removing'],
  'remove-fail': [['removing'], 'remove-error'],
};

export const noUploads: UploadState = { items: [], queue: [] };

/** The state after an event; the identical state if the event is not possible. */
export function afterUploadEvent(state: UploadState, event: UploadEvent): UploadState {
  if (event.kind === 'add') {
    const at = Math.min(Math.max(event.at, 0), state.items.length);
    return { ...state, items: state.items.toSpliced(at, 0, ...event.items) };
  }
  const index = state.items.findIndex(({ key }) => key === event.key);
  const item = state.items[index];
  if (!item) return state;
  if (event.kind === 'move') {
    const items = moved(state.items, index, event.to);
    return items === state.items ? state : { ...state, items };
  }
  if (event.kind === 'removed') {
    return { items: state.items.toSpliced(index, 1), queue: without(state.queue, item.key) };
  }
  const changed = itemAfter(item, event);
  if (!changed) return state;
  const waited = without(state.queue, item.key);
  const queue = changed.phase === 'queued' ? [...waited, item.key] : waited;
  return { items: state.items.with(index, changed), queue };
}

const without = (queue: readonly string[], key: string): readonly string[] =>
  queue.includes(key) ? queue.filter((one) => one !== key) : queue;

type ItemEvent = Exclude<UploadEvent, { kind: 'add' } | { kind: 'move' } | { kind: 'removed' }>;

function itemAfter(item: UploadItem, event: ItemEvent): UploadItem | undefined {
  if (event.kind === 'progress') {
    const moving = item.phase === 'processing' || item.phase === 'loading';
    return moving ? { ...item, progress: event.progress } : undefined;
  }
  if (event.kind === 'transfer') {
    return item.phase === 'processing' ? { ...item, transferId: event.transferId } : undefined;
  }
  const [from, to] = steps[event.kind];
  if (!from.includes(item.phase)) return undefined;
  const next = { ...item, phase: to, progress: undefined, fault: undefined };
  switch (event.kind) {
    case 'loaded':
      return { ...next, ...ofLoaded(item, event) };
    case 'start':
      return { ...next, progress: 0 };
    case 'complete':
      return { ...next, id: event.id, transferId: undefined, progress: 1 };
    case 'reverted':
      return { ...next, id: undefined };
    case 'invalid':
      return { ...next, fault: event.fault, id: undefined };
    case 'load-fail':
    case 'fail':
    case 'revert-fail':
    case 'remove-fail':
      return { ...next, fault: event.fault };
    default:
      return next;
  }
}

function ofLoaded(item: UploadItem, { file, id }: { file: File; id?: string }) {
  const { name, size, type } = file;
  const known = item.origin === uploadOrigins.limbo;
  return {
    file,
    name: name || item.name,
    size,
    type,
    id: item.origin === uploadOrigins.input ? undefined : (id ?? item.source),
    phase: known ? ('processing-complete' as const) : ('idle' as const),
  };
}

/** Keys of the items to send now: the longest waiting first, at most `parallel` at a time. */
export function startable({ items, queue }: UploadState, parallel: number): readonly string[] {
  const busy = items.filter(({ phase }) => phase === 'processing').length;
  return queue.slice(0, Math.max(0, parallel - busy));
}

const statuses: Readonly<Record<UploadPhase, UploadStatus>> = {
  init: uploadStatus.init,
  loading: uploadStatus.loading,
  'load-invalid': uploadStatus.loadError,
  'load-error': uploadStatus.loadError,
  idle: uploadStatus.idle,
  cancelled: uploadStatus.idle,
  queued: uploadStatus.queued,
  processing: uploadStatus.processing,
  'processing-complete': uploadStatus.complete,
  reverting: uploadStatus.complete,
  removing: uploadStatus.idle,
  'remove-error': uploadStatus.idle,
  'processing-error': uploadStatus.processingError,
  'processing-revert-error': uploadStatus.revertError,
};

/** The status code of an item. */
export const statusOf = (phase: UploadPhase): UploadStatus => statuses[phase];

/** The display state of an item, by FilePond's names. */
export function viewStateOf(phase: UploadPhase): string {
  if (phase === 'init' || phase === 'reverting' || phase === 'removing') return 'busy';
  return phase === 'queued' ? 'busy processing' : phase;
}

/**
 * The ids of usable uploads, in the order of the items. Files on the server count from the start, until they turn out
 * to be missing.
 */
export const uploadedIds = ({ items }: UploadState): readonly string[] =>
  items.flatMap(({ id, phase, origin }) => {
    const there = phase === 'processing-complete' || origin !== uploadOrigins.input;
    return there && id !== undefined && !leaving.includes(phase) ? [id] : [];
  });

const leaving: readonly UploadPhase[] = ['removing', 'reverting', 'processing-revert-error'];

/** The overall state, in FilePond's five words. */
export type UploadsStand = 'empty' | 'idle' | 'error' | 'busy' | 'ready';

/** The overall state: errors before activity, activity before completion. */
export function standOf({ items }: UploadState): UploadsStand {
  if (items.length === 0) return 'empty';
  if (items.some(({ fault }) => fault !== undefined)) return 'error';
  const busy: readonly UploadPhase[] = ['init', 'loading', 'queued', 'processing', 'reverting'];
  if (items.some(({ phase }) => busy.includes(phase))) return 'busy';
  const done = items.every(
    ({ phase, origin }) => phase === 'processing-complete' || origin === uploadOrigins.local,
  );
  return done ? 'ready' : 'idle';
}

export type UploadAct =
  | 'remove'
  | 'process'
  | 'abort-load'
  | 'retry-load'
  | 'abort-process'
  | 'retry-process'
  | 'undo';

type Allowed = { process: boolean; revert: boolean; remove: boolean };

const buttons: Readonly<Record<UploadPhase, readonly UploadAct[]>> = {
  init: [],
  loading: ['abort-load'],
  'load-invalid': ['remove'],
  'load-error': ['retry-load', 'remove'],
  idle: ['process', 'remove'],
  cancelled: ['process', 'remove'],
  queued: ['abort-process'],
  processing: ['abort-process'],
  'processing-complete': ['undo'],
  'processing-error': ['retry-process', 'remove'],
  reverting: [],
  'processing-revert-error': ['undo'],
  removing: [],
  'remove-error': ['remove'],
};

/**
 * The buttons of an item, in order. A stored (`local`) file can only be removed; without reverts, a complete upload has
 * no button.
 */
export function buttonsOf(
  { phase, origin }: Pick<UploadItem, 'phase' | 'origin'>,
  allowed: Allowed = { process: true, revert: true, remove: true },
): readonly UploadAct[] {
  return buttons[phase].filter((act) => {
    if (act === 'process') return allowed.process && origin !== uploadOrigins.local;
    if (act === 'retry-process') return allowed.process;
    if (act === 'undo') return allowed.revert;
    return act !== 'remove' || allowed.remove;
  });
}
