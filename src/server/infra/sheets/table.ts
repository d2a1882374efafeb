/** What a cell holds; null for an empty one. */
export type Cell = string | number | Date | null;

export type Column = {
  title: string;
  /** How wide a spreadsheet shows it, in characters. */
  width: number;
};

/** Rows that are written to a file as they are read, never all of them in memory. */
export type Table = {
  columns: readonly Column[];
  /** Some rows at a time, each with a cell for every column. */
  batches: AsyncIterable<readonly (readonly Cell[])[]>;
  /** How many hours the clocks that its times are written by are ahead of UTC. */
  hoursAhead: number;
};

/** The instant that a clock so many hours ahead of UTC shows as UTC. */
export const localTime = (at: Date, hoursAhead: number): Date =>
  new Date(at.getTime() + hoursAhead * 3_600_000);
