import { CHUNK_BYTES } from '#contract/uploads.ts';

/** A byte range without its end. */
export type Chunk = readonly [from: number, to: number];

/**
 * The pieces of a file; `null` if it is sent whole (not longer than one piece, and not forced). Only an empty, forced
 * file has an empty piece.
 */
export function chunkPlan(
  size: number,
  chunk: number = CHUNK_BYTES,
  force = false,
): readonly Chunk[] | null {
  if (size <= chunk && !force) return null;
  const count = Math.max(1, Math.ceil(size / chunk));
  return Array.from({ length: count }, (_, nth) => [
    nth * chunk,
    Math.min((nth + 1) * chunk, size),
  ]);
}

/** The pieces left to send after `offset` bytes; the first one may start within a piece. */
export const chunksFrom = (offset: number, plan: readonly Chunk[]): readonly Chunk[] =>
  plan.filter(([, to]) => to > offset).map(([from, to]): Chunk => [Math.max(from, offset), to]);
