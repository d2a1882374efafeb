/**
 * Prints `src/web/ui/chat/emoji/emoji.json` from the Unicode Consortium's data (docs/decisions/016-web-components.md):
 *
 *   npm pack cldr-annotations-modern emojibase-data, unpack both, then
 *   node tools/print-emoji.ts <annotations/id/annotations.json> <emojibase-data/en/compact.json>
 */
import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';

const Words = z.object({
  annotations: z.object({
    annotations: z.record(
      z.string(),
      z.object({ default: z.optional(z.array(z.string())), tts: z.array(z.string()) }),
    ),
  }),
});
const Variant = z.object({ unicode: z.string() });
const All = z.array(
  z.object({
    unicode: z.string(),
    group: z.optional(z.int()),
    order: z.optional(z.int()),
    skins: z.optional(z.array(Variant)),
  }),
);

/** Emojibase's groups in keyboard order; parts of emoji (2) and flags of regions are omitted. */
const GROUPS = [0, 1, 3, 4, 5, 6, 7, 8, 9];
const LIGHTEST = '\u{1F3FB}';

const [words = '', emoji = ''] = process.argv.slice(2);
const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const said = Words.parse(read(words)).annotations.annotations;
const bare = (one: string) => one.replaceAll('\uFE0F', '');
/** Drops the variation selector where the default is a picture anyway. */
const shortest = (one: string) => one.replaceAll(/(\p{Emoji_Presentation})\uFE0F/gu, '$1');
/** With a skin tone after its first code point, as `toned` builds it. */
const toned = (one: string): string => {
  const [first = '', ...rest] = [...bare(one)];
  return first + LIGHTEST + rest.join('');
};

const regions = new Intl.DisplayNames(['id'], { type: 'region', fallback: 'none' });
const FIRST_LETTER = 0x1f1e6;

/** `bendera Indonesia`; undefined for anything but a country's flag. */
function flagName(one: string): string | undefined {
  const letters = [...one].map((letter) => (letter.codePointAt(0) ?? 0) - FIRST_LETTER);
  if (letters.length !== 2 || letters.some((letter) => letter < 0 || letter > 25)) return undefined;
  const code = letters.map((letter) => String.fromCodePoint(65 + letter)).join('');
  const region = regions.of(code);
  return region && `bendera ${region}`;
}

/** `emoji|has tones|name|other words`, for emoji with Indonesian words in CLDR. */
const groups = GROUPS.map((group) =>
  All.parse(read(emoji))
    .filter((one) => one.group === group)
    .toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))
    .flatMap(({ unicode: shown, skins = [] }) => {
      const known = said[bare(shown)] ?? said[shown];
      const name = known?.tts[0] ?? flagName(shown);
      if (name === undefined) return [];
      const others = (known?.default ?? []).filter((word) => word !== name);
      const hasTones = skins.some((skin) => bare(skin.unicode) === toned(shown));
      return [[shortest(shown), hasTones ? '1' : '', name, others.join(' ')].join('|')];
    }),
);
writeFileSync('src/web/ui/chat/emoji/emoji.json', `${JSON.stringify(groups, undefined, 1)}\n`);
