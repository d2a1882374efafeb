import { useLayoutEffect, useState, type KeyboardEvent, type ReactNode } from 'react';
import { matchingOptions, optionNamed, stepOption, type Option } from '#web/ui/select/options.ts';

type Given = {
  options: readonly Option[];
  value: string;
  clearable: boolean;
  listId: string;
  onChange: (value: string) => void;
};

export type Combo = {
  open: boolean;
  value: string;
  text: string;
  matches: readonly Option[];
  active: string | undefined;
  activeId: string | undefined;
  idOf: (value: string) => string;
  show: () => void;
  type: (text: string) => void;
  choose: (value: string) => void;
  /** On blur: a complete label selects its option, any other text reverts. */
  leave: () => void;
  press: (event: KeyboardEvent) => void;
  announcement: (none: ReactNode) => ReactNode;
};

const PAGE = 10;

export function useCombobox({ options, value, clearable, listId, onChange }: Given): Combo {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState<string>();
  const [active, setActive] = useState<string>();
  const matches = typed === undefined ? options : matchingOptions(options, typed);
  const idOf = (one: string) => `${listId}-${options.findIndex((option) => option.value === one)}`;
  const activeId = open && active !== undefined ? idOf(active) : undefined;

  useLayoutEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);

  const close = () => {
    setOpen(false);
    setTyped(undefined);
    setActive(undefined);
  };
  const choose = (next: string) => {
    close();
    if (next !== value) onChange(next);
  };
  const selected = options.some((option) => option.value === value) ? value : undefined;
  const show = (at: string | undefined) => {
    setOpen(true);
    setActive(at);
  };
  const leave = () => {
    const named = typed === undefined ? undefined : optionNamed(options, typed);
    if (named) choose(named.value);
    else if (typed === '' && clearable) choose('');
    else close();
  };
  const press = pressing({
    open,
    unfold: () => show(selected),
    step: (by) => {
      if (open) setActive(stepOption(matches, active, by));
      else show(selected ?? stepOption(options, undefined, by));
    },
    take: () => (active === undefined ? leave() : choose(active)),
    close,
  });

  return {
    open,
    value,
    text: typed ?? options.find((option) => option.value === value)?.label ?? '',
    matches,
    active,
    activeId,
    idOf,
    show: () => open || show(selected),
    type: (text) => {
      setTyped(text);
      setOpen(true);
      // Without text no option is active: Enter must not select the first.
      setActive(
        text.trim() === '' ? undefined : stepOption(matchingOptions(options, text), undefined, 1),
      );
    },
    choose,
    leave,
    press,
    announcement: (none) => {
      if (!open || typed === undefined) return '';
      return matches.length === 0 ? none : `${matches.length} pilihan`;
    },
  };
}

type Moves = {
  open: boolean;
  unfold: () => void;
  step: (by: number) => void;
  take: () => void;
  close: () => void;
};

/** Handles a key; the page does not see keys handled here. */
function pressing({ open, unfold, step, take, close }: Moves): (event: KeyboardEvent) => void {
  return (event) => {
    const { key, altKey } = event;
    if (event.nativeEvent.isComposing) return;
    // Tab selects the marked option and still moves the focus.
    if (key === 'Tab' && open) return take();
    const move = (() => {
      if (key === 'ArrowDown') return altKey ? unfold : () => step(1);
      if (key === 'ArrowUp') return altKey && open ? take : () => step(-1);
      if (!open) return undefined;
      if (key === 'PageDown') return () => step(PAGE);
      if (key === 'PageUp') return () => step(-PAGE);
      if (key === 'Enter') return take;
      return key === 'Escape' ? close : undefined;
    })();
    if (!move) return;
    event.preventDefault();
    // Escape closes the list, not the dialog around it.
    event.stopPropagation();
    move();
  };
}
