/** The value below which a share (0…1) of the measurements lies, by the nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  const value = sorted[rank - 1];
  if (value === undefined) throw new RangeError('no measurements');
  return value;
}

/** The middle measurement; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined) throw new RangeError('no measurements');
  return (low + high) / 2;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/**
 * Runs every contender once per round, in turn, so that a temporary slowdown of the machine affects all of them. A
 * figure is only compared with one of the same rounds.
 *
 * @returns measurements by contender, one entry per round.
 */
export async function interleaved<Name extends string, Measured>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<Measured>>>,
): Promise<Record<Name, Measured[]>> {
  const names = Object.keys(contenders) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    Measured[]
  >;
  for (let round = 0; round < rounds; round++) {
    // Each round starts with another contender, so that none always follows the same one.
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length];
      if (name !== undefined) measured[name].push(await contenders[name]());
    }
  }
  return measured;
}
