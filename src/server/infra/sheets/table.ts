export type Cell = string | number | Date | null;

export type Column = {
  title: string;
  width: number;
};

export type Table = {
  columns: readonly Column[];
  batches: AsyncIterable<readonly (readonly Cell[])[]>;
  hoursAhead: number;
};

/** Shifts an instant so that its UTC fields show the local time. */
export const localTime = (at: Date, hoursAhead: number): Date =>
  new Date(at.getTime() + hoursAhead * 3_600_000);
