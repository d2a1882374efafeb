import { table } from '#bench/lib/results.ts';
import { median } from '#bench/lib/rounds.ts';

/** How a part is run. */
export type PartOptions = {
  /** The other checkouts' folder, when it is compared with one. */
  against: string | undefined;
  rounds: number;
};

/** One subject of the bench. */
export type Part = {
  name: string;
  /** The heading of its section in `bench/results.md`. */
  title: string;
  /** Runs it and answers what was found, as Markdown. */
  run: (options: PartOptions) => Promise<string>;
};

/** The names that contenders have in a part. */
export const HERE = 'this';
export const OTHER = 'against';

type Closable = { close: () => Promise<void> };

/**
 * Opens this checkout's contender, and the other's when there is one, hands both to `work` by their names,
 * and closes them, whatever happened.
 */
export async function withContenders<Opened extends Closable, Found>(
  { against }: PartOptions,
  open: (root: string | undefined) => Promise<Opened>,
  work: (contenders: Readonly<Record<string, Opened>>) => Promise<Found>,
): Promise<Found> {
  const opened: Record<string, Opened> = {};
  try {
    opened[HERE] = await open(undefined);
    if (against !== undefined) opened[OTHER] = await open(against);
    return await work(opened);
  } finally {
    for (const contender of Object.values(opened)) await contender.close();
  }
}

/** The same for each contender, by its name. */
export const forEach = <From, To>(
  contenders: Readonly<Record<string, From>>,
  make: (contender: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(contenders).map(([name, one]) => [name, make(one)]));

/** A figure that is printed of what was measured. */
export type Figure<Measured> = {
  name: string;
  of: (measured: Measured) => number;
  /** Digits behind the point. */
  digits: number;
};

/** 1 where both are nothing. */
const ratio = (ours: number, other = ours): number => (ours === other ? 1 : ours / other);

/** Between what the rounds' ratios lie: how far the median can be trusted. */
const rangeOf = (ratios: readonly number[]): string =>
  `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;

/** Medians of the rounds; beside another checkout's, with the median and the range of the rounds' ratios. */
export function figuresTable<Measured>(
  measured: Readonly<Record<string, readonly Measured[]>>,
  figures: readonly Figure<Measured>[],
): string {
  const names = Object.keys(measured);
  const head = ['', ...names, ...(names.length > 1 ? [`${HERE} ÷ ${OTHER}`, 'of the rounds'] : [])];
  const body = figures.map(({ name, of, digits }) => {
    const values = names.map((one) => (measured[one] ?? []).map(of));
    const [ours = [], others] = values;
    const ratios = others ? ours.map((value, round) => ratio(value, others[round])) : [];
    return [
      name,
      ...values.map((each) => median(each).toFixed(digits)),
      ...(others ? [median(ratios).toFixed(2), rangeOf(ratios)] : []),
    ];
  });
  return table(head, body);
}
