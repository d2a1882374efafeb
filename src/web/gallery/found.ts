import type { Piece } from '#web/gallery/piece.ts';

/** `…/ui/table/data-table.gallery.tsx` → `data-table`. */
const idOf = (file: string): string =>
  file.slice(file.lastIndexOf('/') + 1, -'.gallery.tsx'.length);

/** How each piece is fetched: by itself, so that one that is broken stops no other. */
const found = new Map(
  Object.entries(import.meta.glob<Piece>('/src/web/ui/**/*.gallery.tsx', { import: 'piece' })).map(
    ([file, load]) => [idOf(file), load],
  ),
);

const loaded = new Map<string, Promise<Piece | undefined>>();

/** A piece by its id, fetched once; `undefined` when no piece has it. */
export function loadPiece(id: string): Promise<Piece | undefined> {
  const piece = loaded.get(id) ?? Promise.resolve(found.get(id)?.());
  loaded.set(id, piece);
  return piece;
}

type Loaded = { pieces: readonly Piece[]; broken: readonly { id: string; why: string }[] };

let everything: Promise<Loaded> | undefined;

/** All pieces in the order of the alphabet, and those that cannot be loaded. */
export function loadAll(): Promise<Loaded> {
  everything ??= loadEach();
  return everything;
}

async function loadEach(): Promise<Loaded> {
  const pieces: Piece[] = [];
  const broken: { id: string; why: string }[] = [];
  const one = async ([id, load]: [string, () => Promise<Piece>]) => {
    try {
      pieces.push(await load());
    } catch (error) {
      broken.push({ id, why: String(error) });
    }
  };
  await Promise.all([...found].map(one));
  pieces.sort((a, b) => a.title.localeCompare(b.title, 'en'));
  return { pieces, broken };
}
