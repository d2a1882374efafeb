import type * as z from 'zod/mini';
import type { SettingGroup, SettingKind } from '#contract/operator/settings.ts';
import { StartError } from '#server/infra/start-error.ts';
import { whole } from './readers.ts';

export type Setting<T> = {
  means: string;
  reads: z.ZodMiniType<T, string>;
  fallback: string | undefined;
  /** Its value is never shown, not even in error messages. */
  secret: boolean;
};

export type LiveFacts = {
  group: SettingGroup;
  label: string;
  help: string;
  kind: SettingKind;
  /** Limits of numbers; for texts `max` is the longest length. */
  min?: number;
  max?: number;
  expects?: string;
  /** Raising it weakens a safeguard and requires the password again. */
  guarded?: boolean;
  /**
   * Lets one operator give more money alone if raised: needs a second admin, or waits for a day.
   */
  guardsMoney?: boolean;
};

export type LiveSetting<T> = Setting<T> & { live: LiveFacts };

/** Not for secrets or settings that are only read at the start. */
export const live = <T>(how: Setting<T>, facts: LiveFacts): LiveSetting<T> => ({
  ...how,
  live: facts,
});

type Amount = Omit<LiveFacts, 'kind' | 'min' | 'max'> & {
  means: string;
  kind?: 'rupiah' | 'whole';
  min: number;
  max: number;
  fallback: number;
};

export const liveWhole = ({
  means,
  fallback,
  kind = 'whole',
  min,
  max,
  ...facts
}: Amount): LiveSetting<number> =>
  live(setting(means, whole(min, max), String(fallback)), { ...facts, kind, min, max });

export const setting = <T>(
  means: string,
  reads: z.ZodMiniType<T, string>,
  fallback: string,
): Setting<T> => ({ means, reads, fallback, secret: false });

export const optional = <T>(
  means: string,
  reads: z.ZodMiniType<T, string>,
  { secret = false }: { secret?: boolean } = {},
): Setting<T | undefined> => ({
  means,
  reads,
  fallback: undefined,
  secret,
});

/**
 * The value of a setting; an empty one counts as absent.
 *
 * @throws StartError with the setting's name, what it must be, and (unless secret) what it was.
 */
export function readSetting(name: string, how: Setting<unknown>, given?: string): unknown {
  const words = given?.trim() || how.fallback;
  if (words === undefined) return undefined;
  const read = how.reads.safeParse(words);
  if (read.success) return read.data;
  const expected = read.error.issues[0]?.message ?? 'something else';
  const found = how.secret ? '' : `, not "${words}"`;
  throw new StartError(`${name} must be ${expected}${found}.`);
}
