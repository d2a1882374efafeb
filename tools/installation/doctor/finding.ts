export type Finding = { state: 'ok' | 'warning' | 'wrong'; says: string; remedy?: string };

export const ok = (says: string): Finding => ({ state: 'ok', says });
export const warning = (says: string, remedy: string): Finding => ({
  state: 'warning',
  says,
  remedy,
});
export const wrong = (says: string, remedy: string): Finding => ({ state: 'wrong', says, remedy });

const marks = { ok: 'ok     ', warning: 'warning', wrong: 'WRONG  ' };

export const linesOf = ({ state, says, remedy }: Finding): string =>
  `${marks[state]}  ${says}${remedy === undefined ? '' : `\n         → ${remedy}`}`;

/** A check that fails to run is itself a problem; the others still run. */
export async function finding(
  name: string,
  check: () => Finding | Promise<Finding>,
): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return wrong(`${name} could not be looked at: ${why}`, 'Look into this first.');
  }
}

export const megabytes = (bytes: number): string => `${Math.floor(bytes / 1_000_000)} MB`;

/** The age in everyday words. */
export function ago(at: Date, now: Date): string {
  const minutes = Math.max(0, Math.round((now.getTime() - at.getTime()) / 60_000));
  if (minutes < 120) return `${minutes} minutes ago`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} hours ago` : `${Math.round(hours / 24)} days ago`;
}
