import type * as z from 'zod/mini';
import type { SettingGroup, SettingKind } from '#contract/operator/settings.ts';
import { StartError } from '#server/infra/start-error.ts';
import { whole } from './readers.ts';

/** One setting: its meaning, what is accepted, and the words that stand for it when nobody sets it. */
export type Setting<T> = {
  means: string;
  reads: z.ZodMiniType<T, string>;
  fallback: string | undefined;
  /** True when its value is never shown, not even in the sentence that refuses it. */
  secret: boolean;
};

/** How the operators' page shows a setting that may be changed while it runs. */
export type LiveFacts = {
  group: SettingGroup;
  label: string;
  help: string;
  kind: SettingKind;
  /** The least and the most, of numbers; the longest, of texts. */
  min?: number;
  max?: number;
  /** Raising it takes a safeguard away: whoever does it gives the password once more. */
  guarded?: boolean;
  /** Raising it lets one operator give more money alone: it waits for a second admin, or for a day. */
  guardsMoney?: boolean;
};

/** A setting that an operator may change while it runs: every node has it within two seconds. */
export type LiveSetting<T> = Setting<T> & { live: LiveFacts };

/** Lets operators change a setting while it runs. Never one that is secret or read at the start only. */
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

/** A whole number that may be changed while it runs. */
export const liveWhole = ({
  means,
  fallback,
  kind = 'whole',
  min,
  max,
  ...facts
}: Amount): LiveSetting<number> =>
  live(setting(means, whole(min, max), String(fallback)), { ...facts, kind, min, max });

/** A setting with a default, written as one would write it in the environment. */
export const setting = <T>(
  means: string,
  reads: z.ZodMiniType<T, string>,
  fallback: string,
): Setting<T> => ({ means, reads, fallback, secret: false });

/** A setting that may be absent. */
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
 * @throws StartError that names the setting, what it must be, and (unless secret) what it was.
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
