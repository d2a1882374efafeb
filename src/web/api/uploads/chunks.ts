import { CHUNK_BYTES } from '#contract/uploads.ts';

/** From this byte up to, but without, that one. */
export type Chunk = readonly [from: number, to: number];

/**
 * The pieces a file goes in, or `null` when it goes whole: not longer than one piece, and not forced.
 * No piece is empty, but the only one of an empty file that is forced.
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

/**
 * The pieces that are still to be sent when the server has so many bytes. It may have a part of a piece:
 * the first one then starts there.
 */
export const chunksFrom = (offset: number, plan: readonly Chunk[]): readonly Chunk[] =>
  plan.filter(([, to]) => to > offset).map(([from, to]): Chunk => [Math.max(from, offset), to]);
