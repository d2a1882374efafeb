import type { Language } from '#contract/language/language.ts';
import type { ShownChoices } from '#contract/messages/captions.ts';
import type { TemplateFile } from '#contract/messages/templates.ts';
import { at, given } from '#server/infra/net/json-values.ts';
import type { DraftChoices } from './choices.ts';

/**
 * A message as `/v1` takes it, not yet looked at: whatever was given stands where its schema will find it.
 * `places` says by which names the caller knows the fields that are called otherwise there.
 */
export type Draft = {
  fields: Record<string, unknown>;
  places: Readonly<Record<string, string>>;
  /** What its receiver may choose. */
  choices?: DraftChoices | undefined;
  /** How its sender wrote it. */
  interactive?: ShownChoices | undefined;
  /** What the buttons of a template carry, by their place. */
  payloads?: readonly unknown[] | undefined;
  /** The kind of file that a template's header was given as. */
  headerKind?: TemplateFile | undefined;
};

/** The variables that a template's text names, in its order. */
export type VariableNames = readonly string[];

export type DraftOptions = { language: Language; variableNames?: VariableNames | undefined };

/** The named fields, where there is an object; else what stands in its place, to be refused as such. */
export const objectWith = (object: unknown, fields: Record<string, unknown>): unknown =>
  typeof object === 'object' && object !== null ? given(fields) : object;

/** A file by its id, or by its link; where both are given, the id. */
export function media(
  type: 'image' | 'video' | 'audio' | 'document' | 'sticker',
  object: unknown,
  beside: Record<string, unknown>,
  own: Record<string, unknown> = {},
): Draft {
  const id = at(object, 'id') || undefined;
  const link = id === undefined ? at(object, 'link') || undefined : undefined;
  const file = objectWith(object, { id, link, ...own });
  return {
    fields: given({ type, [type]: file, ...beside }),
    places: { caption: `${type}.caption` },
  };
}
