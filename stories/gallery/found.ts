import type { Piece } from '#stories/gallery/piece.ts';

/** `/stories/data-table.story.tsx` → `data-table`. */
const idOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1, -'.story.tsx'.length);

/** The loader of each piece; separate, so that a broken one does not affect the others. */
const found = new Map(
  Object.entries(import.meta.glob<Piece>('/stories/*.story.tsx', { import: 'piece' })).map(
    ([file, load]) => [idOf(file), load],
  ),
);

const loaded = new Map<string, Promise<Piece | undefined>>();

/** Loads a piece by its id, once; `undefined` if it does not exist. */
export function loadPiece(id: string): Promise<Piece | undefined> {
  const piece = loaded.get(id) ?? Promise.resolve(found.get(id)?.());
  loaded.set(id, piece);
  return piece;
}

type Loaded = { pieces: readonly Piece[]; broken: readonly { id: string; why: string }[] };

let everything: Promise<Loaded> | undefined;

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
