import { table } from '#bench/lib/results.ts';
import { median } from '#bench/lib/rounds.ts';

export type PartOptions = {
  against: string | undefined;
  rounds: number;
};

export type Part = {
  name: string;
  title: string;
  run: (options: PartOptions) => Promise<string>;
};

export const HERE = 'this';
export const OTHER = 'against';

type Closable = { close: () => Promise<void> };

/**
 * Opens this checkout's contender, and the other's if there is one, passes both to `work` by their names, and always
 * closes them.
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

export const forEach = <From, To>(
  contenders: Readonly<Record<string, From>>,
  make: (contender: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(contenders).map(([name, one]) => [name, make(one)]));

export type Figure<Measured> = {
  name: string;
  of: (measured: Measured) => number;
  digits: number;
};

/** 1 where both are 0. */
const ratio = (ours: number, other = ours): number => (ours === other ? 1 : ours / other);

/** The range of the rounds' ratios, as a sign of how far to trust the median. */
const rangeOf = (ratios: readonly number[]): string =>
  `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;

/** Medians of the rounds; of two contenders also the median and range of their ratios. */
export function figuresTable<Measured>(
  measured: Readonly<Record<string, readonly Measured[]>>,
  figures: readonly Figure<Measured>[],
): string {
  const names = Object.keys(measured);
  const head = ['', ...names, ...(names.length > 1 ? [names.join(' ÷ '), 'of the rounds'] : [])];
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
