import { isIgnored } from '#web/ui/upload/drop/uploadsAdmission.ts';

/** Dropped or pasted data: files, or addresses if there are no files. */
export type DroppedData = { files: readonly File[]; links: readonly string[] };

export type Point = { x: number; y: number };

export type DropZone = {
  element: () => HTMLElement | null;
  open: () => boolean;
  /** True if it also accepts drops elsewhere on the page. */
  wholePage: () => boolean;
  pastes: () => boolean;
  /** Called while something is dragged over it; `undefined`: no more. */
  over: (point: Point | undefined) => void;
  /** Called on a drop at a point, or on a paste without a point. */
  take: (dropped: DroppedData, point: Point | undefined) => void;
};

// One listener for all zones of a page: two would set conflicting drop effects.
const zones = new Set<DropZone>();
let hovered: DropZone | undefined;

/**
 * Registers a drop zone, also for pasted files.
 * @returns the stop function
 */
export function openDropZone(zone: DropZone): () => void {
  if (zones.size === 0) listen('addEventListener');
  zones.add(zone);
  return () => {
    zones.delete(zone);
    if (hovered === zone) hovered = undefined;
    if (zones.size === 0) listen('removeEventListener');
  };
}

function listen(how: 'addEventListener' | 'removeEventListener'): void {
  document[how]('dragenter', drag);
  document[how]('dragover', drag);
  document[how]('dragleave', leave);
  document[how]('drop', drop);
  document[how]('paste', paste);
}

function placeOf(target: EventTarget | null): DropZone | undefined {
  const all = [...zones];
  const inside = (zone: DropZone) =>
    target instanceof Node && zone.element()?.contains(target) === true;
  return all.find(inside) ?? all.findLast((zone) => zone.wholePage());
}

const holds = (data: DataTransfer, type: string): boolean => data.types.includes(type);

function drag(event: Event): void {
  const { dataTransfer: data, target } = event as DragEvent;
  if (!data) return;
  const zone = placeOf(target);
  const files = holds(data, 'Files');
  if (!files && !(zone && holds(data, 'text/uri-list'))) return;
  // A foreign drop zone, or a text field for a link.
  if (event.defaultPrevented && !zone) return;
  const open = zone?.open() === true;
  // Files dropped outside a zone would replace the page in this tab.
  event.preventDefault();
  data.dropEffect = open ? 'copy' : 'none';
  hover(open ? zone : undefined, event as DragEvent);
}

function hover(zone: DropZone | undefined, event?: DragEvent): void {
  if (hovered !== zone) hovered?.over(undefined);
  hovered = zone;
  if (zone && event) zone.over({ x: event.clientX, y: event.clientY });
}

function leave(event: Event): void {
  // A `dragenter` follows between two elements, but not on leaving the window.
  if ((event as DragEvent).relatedTarget === null) hover(undefined);
}

function drop(event: Event): void {
  const { dataTransfer: data, target, clientX, clientY } = event as DragEvent;
  const zone = placeOf(target);
  hover(undefined);
  if (!data || (event.defaultPrevented && !zone)) return;
  if (!holds(data, 'Files') && !zone) return;
  event.preventDefault();
  if (!zone?.open()) return;
  const point = { x: clientX, y: clientY };
  void readDropped(data).then((dropped) => zone.take(dropped, point));
}

const isTextField = (one: Element | null): boolean =>
  (one instanceof HTMLInputElement && one.type !== 'file') ||
  one instanceof HTMLTextAreaElement ||
  (one instanceof HTMLElement && one.isContentEditable);

function paste(event: Event): void {
  const { clipboardData: data } = event as ClipboardEvent;
  const files = [...(data?.files ?? [])];
  if (files.length === 0 || event.defaultPrevented) return;
  const active = document.activeElement;
  const taking = [...zones].filter((zone) => zone.open() && zone.pastes());
  const own = taking.find((zone) => zone.element()?.contains(active));
  if (!own && isTextField(active)) return;
  const zone = own ?? taking[0];
  if (!zone) return;
  event.preventDefault();
  zone.take({ files, links: [] }, undefined);
}

/** Reads a drop, including folders; their entries must be requested synchronously. */
async function readDropped(data: DataTransfer): Promise<DroppedData> {
  const links = linksIn(data.getData('text/uri-list'));
  const found = [...data.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: entryOf(item), file: item.getAsFile() }));
  const lists = await Promise.all(
    found.map(async ({ entry, file }) => {
      if (entry?.isDirectory) return filesUnder(entry as FileSystemDirectoryEntry);
      return file ? [file] : [];
    }),
  );
  const files = lists.flat().filter(({ name }) => !isIgnored(name));
  return { files, links: found.length > 0 ? [] : links };
}

const entryOf = (item: DataTransferItem): FileSystemEntry | null =>
  (item as { webkitGetAsEntry?: () => FileSystemEntry | null }).webkitGetAsEntry?.() ?? null;

/** The http and https addresses of a URI list. */
const linksIn = (list: string): readonly string[] =>
  list.split(/\r?\n/).filter((line) => /^https?:\/\//i.test(line) && URL.canParse(line));

async function filesUnder(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  // A reader returns up to a hundred entries at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => {
      reader.readEntries(done, failed);
    }).catch(() => []);
    if (some.length === 0) break;
    entries.push(...some);
  }
  const lists = await Promise.all(
    entries.map((entry) =>
      entry.isDirectory
        ? filesUnder(entry as FileSystemDirectoryEntry)
        : fileOf(entry as FileSystemFileEntry),
    ),
  );
  return lists.flat();
}

const fileOf = (entry: FileSystemFileEntry): Promise<File[]> =>
  new Promise((done) => {
    entry.file(
      (file) => done([file]),
      () => done([]),
    );
  });
