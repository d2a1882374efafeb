export type Emoji = {
  emoji: string;
  hasTones: boolean;
  name: string;
  words: string;
};

export type EmojiGroup = { title: string; icon: string; all: readonly Emoji[] };

/** The groups of `emoji.json`, in its order. */
const titles: readonly [icon: string, title: string][] = [
  ['😀', 'Wajah dan perasaan'],
  ['👋', 'Orang dan tubuh'],
  ['🐻', 'Hewan dan alam'],
  ['🍜', 'Makanan dan minuman'],
  ['🛵', 'Perjalanan dan tempat'],
  ['⚽', 'Kegiatan'],
  ['💡', 'Benda'],
  ['❤️', 'Simbol'],
  ['🚩', 'Bendera'],
];

/** The emoji as printed by `tools/print-emoji.ts`: one per line, by groups. */
export const groupsOf = (printed: readonly (readonly string[])[]): readonly EmojiGroup[] =>
  printed.map((lines, place) => {
    const [icon = '', title = ''] = titles[place] ?? [];
    return { title, icon, all: lines.map(emojiOf) };
  });

function emojiOf(line: string): Emoji {
  const [emoji = '', tones = '', name = '', words = ''] = line.split('|');
  return { emoji, hasTones: tones !== '', name, words };
}

/** From the lightest to the darkest. */
export const tones = ['\u{1F3FB}', '\u{1F3FC}', '\u{1F3FD}', '\u{1F3FE}', '\u{1F3FF}'] as const;
export type Tone = (typeof tones)[number] | '';

/** An emoji with a skin tone, inserted after its first code point. */
export function toned({ emoji, hasTones }: Pick<Emoji, 'emoji' | 'hasTones'>, tone: Tone): string {
  if (!hasTones || tone === '') return emoji;
  const [first = '', ...rest] = [...emoji].filter((point) => point !== '\uFE0F');
  return first + tone + rest.join('');
}

const FOUND_MAX = 160;

/** The emoji that match every typed word by the beginning of a search word; name matches first. */
export function findEmoji(groups: readonly EmojiGroup[], typed: string): readonly Emoji[] {
  const query = wordsIn(typed);
  const rank = ({ name, words }: Emoji): number => {
    const named = wordsIn(name);
    const all = [...named, ...wordsIn(words)];
    if (!query.every((word) => all.some((one) => one.startsWith(word)))) return 0;
    return query.every((word) => named.some((one) => one.startsWith(word))) ? 2 : 1;
  };
  const ranked = groups.flatMap(({ all }) => all.map((one) => ({ one, rank: rank(one) })));
  return [2, 1]
    .flatMap((wanted) => ranked.filter((found) => found.rank === wanted))
    .map(({ one }) => one)
    .slice(0, FOUND_MAX);
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}+-]+/gu) ?? [];

const RECENT_MAX = 24;

export const withRecent = (recent: readonly string[], chosen: string): readonly string[] =>
  [chosen, ...recent.filter((one) => one !== chosen)].slice(0, RECENT_MAX);

/**
 * The target of an arrow key in a grid with so many columns; `undefined` if it leaves the grid.
 *
 * @param at the focused index
 */
export function stepInGrid(
  key: string,
  at: number,
  { count, columns }: { count: number; columns: number },
): number | undefined {
  const steps: Partial<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: Math.min(at + columns, Math.max(count - 1, at)),
    ArrowUp: at - columns,
    Home: 0,
    End: count - 1,
  };
  const to = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return to === undefined || to < 0 || to >= count ? undefined : to;
}
