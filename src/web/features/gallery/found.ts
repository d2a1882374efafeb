import type { Piece } from '#web/features/gallery/piece.ts';

type Found = ReadonlyMap<string, () => Promise<Piece>>;

const idOf = (file: string): string => file.slice('./pieces/'.length, -'.tsx'.length);

/**
 * While developing each piece is a file of its own, so that one that is broken stops no other. In a
 * build all are one chunk: as sixty they would cut the product's own chunks into crumbs.
 */
async function find(): Promise<Found> {
  if (import.meta.env.DEV) {
    const files = import.meta.glob<Piece>('./pieces/*.tsx', { import: 'piece' });
    return new Map(Object.entries(files).map(([file, load]) => [idOf(file), load]));
  }
  const { everyPiece } = await import('#web/features/gallery/everyPiece.ts');
  const pieces = Object.entries(everyPiece);
  return new Map(pieces.map(([file, piece]) => [idOf(file), () => Promise.resolve(piece)]));
}

let found: Promise<Found> | undefined;
const loaded = new Map<string, Promise<Piece | undefined>>();

/** A piece by its id, fetched once; `undefined` when no piece has it. */
export function loadPiece(id: string): Promise<Piece | undefined> {
  found ??= find();
  const piece = loaded.get(id) ?? found.then((pieces) => pieces.get(id)?.());
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
  found ??= find();
  const pieces: Piece[] = [];
  const broken: { id: string; why: string }[] = [];
  const one = async ([id, load]: [string, () => Promise<Piece>]) => {
    try {
      pieces.push(await load());
    } catch (error) {
      broken.push({ id, why: String(error) });
    }
  };
  await Promise.all([...(await found)].map(one));
  pieces.sort((a, b) => a.title.localeCompare(b.title, 'en'));
  return { pieces, broken };
}
