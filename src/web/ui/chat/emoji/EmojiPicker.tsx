import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { useStore, createStore } from '#web/browser/store.ts';
import printed from '#web/ui/chat/emoji/emoji.json' with { type: 'json' };
import {
  findEmoji,
  groupsOf,
  stepInGrid,
  toned,
  tones,
  type Emoji,
  withRecent,
  type Tone,
} from '#web/ui/chat/emoji/emoji.ts';
import styles from '#web/ui/chat/emoji/emoji.module.css';
import { classes } from '#web/ui/classes.ts';
import { TextField } from '#web/ui/text/TextField.tsx';
import { readJson } from '#web/browser/json.ts';
import { storageGet, storageSet } from '#web/browser/storage.ts';

const groups = groupsOf(printed);
const byEmoji = new Map(groups.flatMap(({ all }) => all.map((one) => [one.emoji, one])));
const RECENT = -1;
const QUERY_MAX = 40;

type Props = { onPick: (emoji: string) => void };

/** The emoji picker: by Indonesian words, by groups, and recent ones. */
export function EmojiPicker({ onPick }: Props) {
  const recent = useStore(recentEmoji);
  const tone = useStore(emojiTone);
  const [typed, setTyped] = useState('');
  const [group, setGroup] = useState(recent.length > 0 ? RECENT : 0);
  // The recent ones do not move while the picker is open.
  const [remembered] = useState(() => recent.map(rememberedOf));
  const grid = useRef<HTMLDivElement>(null);
  const isSearching = typed.trim() !== '';
  const shown = isSearching
    ? findEmoji(groups, typed)
    : group === RECENT
      ? remembered
      : (groups[group]?.all ?? []);
  const title = isSearching
    ? 'Hasil pencarian'
    : group === RECENT
      ? 'Terakhir dipakai'
      : (groups[group]?.title ?? '');
  const pick = (one: Emoji) => {
    const emoji = toned(one, tone);
    noteEmoji(emoji);
    onPick(emoji);
  };
  return (
    <div className={classes('stack gap-8 max-w-full', styles['picker'])}>
      <div>
        <TextField
          label="Cari emoji"
          hideLabel
          type="search"
          autoComplete="off"
          placeholder="Cari emoji, misalnya jempol"
          maxLength={QUERY_MAX}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onClear={() => setTyped('')}
          onKeyDown={(event) => {
            const first = shown[0];
            if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
            // Must not submit a surrounding form.
            event.preventDefault();
            if (event.key === 'ArrowDown') grid.current?.querySelector('button')?.focus();
            else if (first) pick(first);
          }}
        />
      </div>
      {!isSearching && (
        <Groups chosen={group} hasRecent={remembered.length > 0} onChoose={setGroup} />
      )}
      <h3 className="tiny muted strong">{title}</h3>
      <Grid key={isSearching ? typed : group} ref={grid} title={title} all={shown} onPick={pick} />
      <Tones />
    </div>
  );
}

const rememberedOf = (emoji: string): Emoji => ({
  emoji,
  hasTones: false,
  name: byEmoji.get(untoned(emoji))?.name ?? emoji,
  words: '',
});

const untoned = (emoji: string): string =>
  [...emoji].filter((point) => !tones.some((tone) => tone === point)).join('');

type GroupsProps = { chosen: number; hasRecent: boolean; onChoose: (group: number) => void };

function Groups({ chosen, hasRecent, onChoose }: GroupsProps) {
  const all = [
    ...(hasRecent ? [{ place: RECENT, title: 'Terakhir dipakai', icon: '🕘' }] : []),
    ...groups.map(({ title, icon }, place) => ({ place, title, icon })),
  ];
  return (
    <div role="group" aria-label="Kelompok emoji" className="flex justify-between border-b">
      {all.map(({ place, title, icon }) => (
        <button
          key={place}
          type="button"
          className={classes('fill hover ring-inset min-h-40', styles['group'])}
          aria-label={title}
          aria-pressed={place === chosen}
          title={title}
          onClick={() => onChoose(place)}
        >
          {icon}
        </button>
      ))}
    </div>
  );
}

type GridProps = {
  ref: RefObject<HTMLDivElement | null>;
  title: string;
  all: readonly Emoji[];
  onPick: (one: Emoji) => void;
};

function Grid({ ref, title, all, onPick }: GridProps) {
  const tone = useStore(emojiTone);
  const [stop, setStop] = useState(0);
  useEffect(() => {
    ref.current?.scrollTo(0, 0);
  }, [ref]);
  const walk = (event: KeyboardEvent) => {
    const buttons = [...(ref.current?.querySelectorAll('button') ?? [])];
    const top = buttons[0]?.offsetTop;
    const columns = buttons.findIndex(({ offsetTop }) => offsetTop !== top);
    const count = buttons.length;
    const to = stepInGrid(event.key, stop, { count, columns: columns < 0 ? count : columns });
    if (to === undefined) return;
    event.preventDefault();
    setStop(to);
    buttons[to]?.focus();
  };
  if (all.length === 0) {
    return (
      <p className={classes('muted text-center', styles['none'])} role="status">
        Tidak ada emoji untuk kata itu.
      </p>
    );
  }
  return (
    // Keys bubble from the emoji, one of which is focusable.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div
      ref={ref}
      role="group"
      aria-label={title}
      className={classes('grid content-start scroll-y', styles['grid'])}
      onKeyDown={walk}
    >
      {all.map((one, place) => (
        <button
          key={one.emoji}
          type="button"
          tabIndex={place === stop ? 0 : -1}
          className={classes('place-center rounded leading-none hover ring-inset', styles['emoji'])}
          aria-label={one.name}
          title={one.name}
          onClick={() => onPick(one)}
        >
          {toned(one, tone)}
        </button>
      ))}
    </div>
  );
}

const toneNames = ['kuning', 'cerah', 'cerah sedang', 'sedang', 'gelap sedang', 'gelap'] as const;

function Tones() {
  const selected = useStore(emojiTone);
  return (
    <div role="group" aria-label="Warna kulit" className="flex gap-2 border-t ruled">
      {(['', ...tones] as const).map((tone, place) => (
        <button
          key={tone}
          type="button"
          className={classes(
            'place-center size-40 rounded-full leading-none hover ring-inset',
            styles['tone'],
          )}
          aria-label={`Warna kulit ${toneNames[place]}`}
          aria-pressed={tone === selected}
          onClick={() => setEmojiTone(tone)}
        >
          {toned({ emoji: '✋', hasTones: true }, tone)}
        </button>
      ))}
    </div>
  );
}

const RECENT_KEY = 'emoji recent';
const TONE_KEY = 'emoji tone';

const recentEmoji = createStore<readonly string[]>(() => {
  const stored = readJson(storageGet('browser', RECENT_KEY));
  return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
});

function noteEmoji(chosen: string): void {
  recentEmoji.set(withRecent(recentEmoji.get(), chosen));
  storageSet('browser', RECENT_KEY, JSON.stringify(recentEmoji.get()));
}

const emojiTone = createStore<Tone>(
  () => tones.find((tone) => tone === storageGet('browser', TONE_KEY)) ?? '',
);

function setEmojiTone(tone: Tone): void {
  emojiTone.set(tone);
  storageSet('browser', TONE_KEY, tone === '' ? undefined : tone);
}
