import type * as z from 'zod/mini';
import { StartError } from '#server/infra/start-error.ts';

/** One setting: its meaning, what is accepted, and the words that stand for it when nobody sets it. */
export type Setting<T> = {
  means: string;
  reads: z.ZodMiniType<T, string>;
  fallback: string | undefined;
  /** True when its value is never shown, not even in the sentence that refuses it. */
  secret: boolean;
};

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
