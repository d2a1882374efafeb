import { isIgnored } from '#web/ui/upload/drop/uploadsAdmission.ts';

/** What somebody drops or pastes: files, or addresses where there are no files. */
export type Brought = { files: readonly File[]; links: readonly string[] };

export type Point = { x: number; y: number };

/** A place that takes files. */
export type DropPlace = {
  element: () => HTMLElement | null;
  /** Whether it takes anything now. */
  open: () => boolean;
  /** Whether it also takes what is dropped beside it, anywhere on the page. */
  wholePage: () => boolean;
  /** Whether it takes what is pasted. */
  pastes: () => boolean;
  /** Something is dragged over it, here; `undefined`: no more. */
  over: (point: Point | undefined) => void;
  /** It was dropped here; pasted without a point. */
  take: (brought: Brought, point: Point | undefined) => void;
};

// One observer for all places of a page: two of them would argue about the effect.
const places = new Set<DropPlace>();
let hovered: DropPlace | undefined;

/**
 * Lets a place take what is dropped on it, and what is pasted while the page is used.
 * @returns how to stop
 */
export function openDropPlace(place: DropPlace): () => void {
  if (places.size === 0) listen('addEventListener');
  places.add(place);
  return () => {
    places.delete(place);
    if (hovered === place) hovered = undefined;
    if (places.size === 0) listen('removeEventListener');
  };
}

function listen(how: 'addEventListener' | 'removeEventListener'): void {
  document[how]('dragenter', drag);
  document[how]('dragover', drag);
  document[how]('dragleave', leave);
  document[how]('drop', drop);
  document[how]('paste', paste);
}

function placeOf(target: EventTarget | null): DropPlace | undefined {
  const all = [...places];
  const inside = (place: DropPlace) =>
    target instanceof Node && place.element()?.contains(target) === true;
  return all.find(inside) ?? all.findLast((place) => place.wholePage());
}

const holds = (data: DataTransfer, type: string): boolean => data.types.includes(type);

function drag(event: Event): void {
  const { dataTransfer: data, target } = event as DragEvent;
  if (!data) return;
  const place = placeOf(target);
  const files = holds(data, 'Files');
  if (!files && !(place && holds(data, 'text/uri-list'))) return;
  // Somebody else's place for files, or a text field for a link.
  if (event.defaultPrevented && !place) return;
  const open = place?.open() === true;
  // Files dropped beside a place would open in this tab instead of the page.
  event.preventDefault();
  data.dropEffect = open ? 'copy' : 'none';
  hover(open ? place : undefined, event as DragEvent);
}

function hover(place: DropPlace | undefined, event?: DragEvent): void {
  if (hovered !== place) hovered?.over(undefined);
  hovered = place;
  if (place && event) place.over({ x: event.clientX, y: event.clientY });
}

function leave(event: Event): void {
  // Between two elements of the page there is the next `dragenter`; out of the window there is none.
  if ((event as DragEvent).relatedTarget === null) hover(undefined);
}

function drop(event: Event): void {
  const { dataTransfer: data, target, clientX, clientY } = event as DragEvent;
  const place = placeOf(target);
  hover(undefined);
  if (!data || (event.defaultPrevented && !place)) return;
  if (!holds(data, 'Files') && !place) return;
  event.preventDefault();
  if (!place?.open()) return;
  const point = { x: clientX, y: clientY };
  void broughtBy(data).then((brought) => place.take(brought, point));
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
  const taking = [...places].filter((place) => place.open() && place.pastes());
  const own = taking.find((place) => place.element()?.contains(active));
  if (!own && isTextField(active)) return;
  const place = own ?? taking[0];
  if (!place) return;
  event.preventDefault();
  place.take({ files, links: [] }, undefined);
}

/** What a drop brought. Folders are looked through; what is in them must be asked for at once. */
async function broughtBy(data: DataTransfer): Promise<Brought> {
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

/** The addresses of a list of them: http and https only. */
const linksIn = (list: string): readonly string[] =>
  list.split(/\r?\n/).filter((line) => /^https?:\/\//i.test(line) && URL.canParse(line));

async function filesUnder(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  // A reader gives a hundred at a time, and nothing when it is done.
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
