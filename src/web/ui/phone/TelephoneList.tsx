import {
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
  type SyntheticEvent,
} from 'react';
import { controlClass } from '#web/ui/form/Field.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { classes } from '#web/ui/classes.ts';
import type { Country, Typed } from '#web/ui/phone/telephone.ts';
import {
  listed,
  pickCountry,
  SEARCH_DEBOUNCE_MS,
  searchCountries,
  typeAhead,
  type CountryTable,
  type TelephoneOptions,
} from '#web/ui/phone/telephoneCountries.ts';
import { Popover } from '#web/ui/overlay/Popover.tsx';
import { useWide } from '#web/ui/layout/useMedia.ts';
import styles from '#web/ui/phone/phone.module.css';

/** The focus after closing the list; null if it is elsewhere already. */
type Leave = 'button' | 'number' | null;

type Props = {
  table: CountryTable;
  options: TelephoneOptions;
  now: Typed;
  /** The opener; the list is placed below the box around it. */
  button: RefObject<HTMLButtonElement | null>;
  onPick: (next: Typed, event: SyntheticEvent) => void;
  onClose: (to: Leave) => void;
};

/** The country list: a popover below the field, or a sheet on phones. */
export function TelephoneList(props: Props) {
  const { button, options, onClose } = props;
  const wide = useWide();
  const box = useRef<HTMLElement>(button.current?.parentElement ?? null);
  if (!wide) {
    return (
      <Modal open title="Pilih negara" onClose={() => onClose('button')}>
        <Countries {...props} />
      </Modal>
    );
  }
  return (
    <Popover
      anchor={box}
      gap={6}
      edge={12}
      className={classes('column overflow-hidden', styles['popover'])}
      role="dialog"
      aria-label="Pilih negara"
      onLeave={() => options.enableClickOutside !== false && onClose(null)}
    >
      <Countries {...props} />
    </Popover>
  );
}

const PAGE = 8;

const isSame = (one: Country, other: Country | undefined) =>
  one.iso2 === other?.iso2 && one.dialCode === other.dialCode;

const placeIn = (list: readonly Country[], country: Country | undefined): number =>
  Math.max(
    0,
    list.findIndex((one) => isSame(one, country)),
  );

type Moving = { at: number; count: number; hasEnds: boolean };

function movedTo(key: string, { at, count, hasEnds }: Moving): number | undefined {
  const moves: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + PAGE,
    PageUp: at - PAGE,
    ...(hasEnds && { Home: 0, End: count - 1 }),
  };
  const to = moves[key];
  return to === undefined ? undefined : Math.min(Math.max(0, to), Math.max(0, count - 1));
}

function Countries({ table, options, now, onPick, onClose }: Props) {
  const { enableSearch = false, searchNotFound } = options;
  const [list] = useState(() => listed(table));
  /** The text in the search box; the list follows after a pause. */
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState('');
  const pause = useRef<number>(undefined);
  useEffect(() => () => window.clearTimeout(pause.current), []);
  const found = searchCountries(list, query);
  const placeOf = (country: Country | undefined) => placeIn(list, country);
  const [active, setActive] = useState(() => placeOf(now.country));
  const jump = useTypeAhead((word) => {
    const country = typeAhead(list, word);
    if (country) setActive(placeOf(country));
  });
  const startOf = (text: string) => (text.trim() ? 0 : placeOf(now.country));
  const search = (text: string) => {
    window.clearTimeout(pause.current);
    setTyped(text);
    setQuery(text);
    setActive(startOf(text));
  };
  const type = (text: string) => {
    window.clearTimeout(pause.current);
    setTyped(text);
    pause.current = window.setTimeout(() => search(text), SEARCH_DEBOUNCE_MS);
  };
  const pick = (country: Country, event: SyntheticEvent) =>
    onPick(pickCountry(now, country, options), event);

  const press = (event: KeyboardEvent) => {
    // A key does not wait for the pause: Enter takes the first match of the typed text.
    const isPending = typed !== query;
    const matches = isPending ? searchCountries(list, typed) : found;
    const at = isPending ? startOf(typed) : active;
    const to = movedTo(event.key, { at, count: matches.length, hasEnds: !enableSearch });
    const country = matches[at];
    if (to !== undefined) {
      if (isPending) search(typed);
      setActive(to);
    } else if (event.key === 'Enter' && country) pick(country, event);
    else if (event.key === 'Escape' && typed !== '') search('');
    else if (event.key === 'Escape') onClose('button');
    else if (event.key === 'Tab') onClose(event.shiftKey ? 'button' : 'number');
    else if (event.key !== 'Enter' && (enableSearch || !jump(event))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const id = useId();
  const idOf = (one: Country | undefined) => one && `${id}-${one.iso2}-${one.dialCode}`;
  const activeId = idOf(found[active]);
  useShown(activeId);
  const links = { 'aria-activedescendant': activeId, onKeyDown: press };
  return (
    <div className={classes('column', styles['countries'])}>
      {enableSearch && <SearchBox {...links} {...{ id, options }} text={typed} onType={type} />}
      <ListBox
        {...(!enableSearch && links)}
        id={id}
        found={found}
        active={active}
        split={query === '' ? table.preferred.length : 0}
        now={now.country}
        idOf={idOf}
        onPick={pick}
      />
      <p className={styles['none']} role="status">
        {found.length === 0 && searchNotFound}
      </p>
    </div>
  );
}

type Links = {
  'aria-activedescendant': string | undefined;
  onKeyDown: (event: KeyboardEvent) => void;
};

type SearchProps = Links & {
  id: string;
  text: string;
  options: TelephoneOptions;
  onType: (text: string) => void;
};

const SearchBox = ({ id, text, options, onType, ...links }: SearchProps) => (
  <div className={classes('flex-none border-b p-8', styles['search'])}>
    <input
      {...links}
      ref={takeFocus}
      role="combobox"
      aria-label={options.searchPlaceholder}
      aria-expanded
      aria-controls={`${id}-list`}
      aria-autocomplete="list"
      autoComplete="off"
      spellCheck={false}
      className={controlClass('md', '')}
      placeholder={options.searchPlaceholder}
      value={text}
      onChange={(event) => onType(event.target.value)}
    />
  </div>
);

type ListProps = Partial<Links> & {
  id: string;
  found: readonly Country[];
  active: number;
  split: number;
  now: Country | undefined;
  idOf: (country: Country) => string | undefined;
  onPick: (country: Country, event: SyntheticEvent) => void;
};

/** Takes the focus itself if there is no search box. */
const ListBox = ({ id, found, active, split, now, idOf, onPick, ...links }: ListProps) => (
  <div
    {...links}
    {...(links.onKeyDown && { tabIndex: 0, ref: takeFocus })}
    id={`${id}-list`}
    role="listbox"
    aria-label="Negara"
    className={classes('grow min-h-0 scroll-y p-6 no-outline', styles['list'])}
    hidden={found.length === 0}
  >
    {found.map((country, index) => (
      // The focused element handles the keys: the search box or the list.
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
      <div
        key={idOf(country)}
        id={idOf(country)}
        role="option"
        tabIndex={-1}
        aria-selected={isSame(country, now)}
        className={classes(
          'row gap-10 leading-ui pointer min-h-36 py-6 px-10 hover selectable rounded',
          styles['option'],
          index === split && split > 0 && classes('relative mt-12', styles['rest']),
        )}
        data-active={index === active || undefined}
        onMouseDown={(event) => event.preventDefault()}
        onClick={(event) => onPick(country, event)}
      >
        <span
          className={classes(
            'flex-none faint strong text-center border rounded-sm',
            styles['code'],
          )}
          aria-hidden="true"
        >
          {country.iso2}
        </span>
        <span className={classes('fill', isSame(country, now) && 'strong')}>{country.shown}</span>
        <span className="flex-none faint num">+{country.dialCode}</span>
      </div>
    ))}
  </div>
);

/** A `ref` that focuses the element, also in a dialog that is about to open. */
function takeFocus(element: HTMLElement | null): void {
  element?.setAttribute('autofocus', '');
  element?.focus({ preventScroll: true });
}

/** Scrolls the active option into view: to the middle at first, then as little as possible. */
function useShown(activeId: string | undefined): void {
  const block = useRef<ScrollLogicalPosition>('center');
  useEffect(() => {
    // Not before the list is laid out.
    const turn = requestAnimationFrame(() => {
      if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: block.current });
      block.current = 'nearest';
    });
    return () => cancelAnimationFrame(turn);
  }, [activeId]);
}

/**
 * Collects typed letters into a word; calls `onWord` after a pause.
 *
 * @returns a key handler; it returns false for keys that are not part of a word.
 */
function useTypeAhead(onWord: (word: string) => void): (event: KeyboardEvent) => boolean {
  const word = useRef('');
  const pause = useRef<number>(undefined);
  const newest = useRef(onWord);
  useEffect(() => {
    newest.current = onWord;
  });
  useEffect(() => () => window.clearTimeout(pause.current), []);
  return ({ key, ctrlKey, metaKey, altKey }) => {
    if ([...key].length !== 1 || ctrlKey || metaKey || altKey) return false;
    word.current += key;
    window.clearTimeout(pause.current);
    pause.current = window.setTimeout(() => {
      newest.current(word.current);
      word.current = '';
    }, SEARCH_DEBOUNCE_MS);
    return true;
  };
}
