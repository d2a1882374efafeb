import type { Piece } from '#web/features/gallery/piece.ts';

/** Every piece by its file. */
export const everyPiece = import.meta.glob<Piece>('./pieces/*.tsx', {
  import: 'piece',
  eager: true,
});
