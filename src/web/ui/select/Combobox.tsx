import { ChevronDown, X } from 'lucide-react';
import {
  useId,
  useRef,
  type FocusEventHandler,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useState,
  type KeyboardEvent,
} from 'react';
import styles from '#web/ui/select/Combobox.module.css';
import {
  controlClass,
  Field,
  fieldTool,
  insideClass,
  type FieldProps,
} from '#web/ui/form/Field.tsx';
import { classes } from '#web/ui/classes.ts';
import { type Option, matchingOptions, optionNamed, stepOption } from '#web/ui/select/options.ts';
import { Popover } from '#web/ui/overlay/Popover.tsx';

export type ComboboxProps = FieldProps & {
  options: readonly Option[];
  /** The value of the selected option; '' for none, unless an option has that value. */
  value: string;
  onChange: (value: string) => void;
  /** Allows clearing: by the button, or by emptying the text. */
  clearable?: boolean;
  /** Shown if no option matches. */
  none?: ReactNode;
  placeholder?: string;
  name?: string;
  id?: string;
  className?: string;
  required?: boolean;
  disabled?: boolean;
  onBlur?: FocusEventHandler<HTMLInputElement>;
};

/**
 * A searchable select for long lists. Typing filters the list; Enter or Tab selects the first entry, arrows wrap,
 * Escape reverts the text. On blur the text is always an option's label: any other text reverts to the last choice.
 */
export function Combobox(props: ComboboxProps) {
  const { options, value, clearable = false, placeholder, name, required, disabled } = props;
  const { label, help, error, hideLabel, size, id, className, onBlur } = props;
  const listId = useId();
  const box = useRef<HTMLDivElement>(null);
  const combo = useCombobox({ options, value, clearable, listId, onChange: props.onChange });
  const words = typeof label === 'string' ? label : '';
  const frame = { label, help, error, id, className, required };
  return (
    <>
      <Field {...frame} hideLabel={hideLabel ?? false}>
        {(links) => (
          <div ref={box} className={controlClass(size, classes('relative', styles['box']))}>
            <input
              {...links}
              type="text"
              role="combobox"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              aria-autocomplete="list"
              aria-expanded={combo.open}
              aria-controls={combo.open ? listId : undefined}
              aria-activedescendant={combo.activeId}
              className={insideClass()}
              {...{ placeholder, required, disabled }}
              value={combo.text}
              onChange={(event) => combo.type(event.target.value)}
              onKeyDown={combo.press}
              onClick={(event) => {
                if (!combo.open) event.currentTarget.select();
                combo.show();
              }}
              onBlur={(event) => {
                combo.leave();
                onBlur?.(event);
              }}
            />
            {name !== undefined && <input type="hidden" name={name} value={value} />}
            {clearable && value !== '' && !disabled && (
              <Clear label={classes('Hapus pilihan', words)} onClear={() => props.onChange('')} />
            )}
            <ChevronDown size={18} className="faint pointer-none pin-end" />
            <span role="status" className="sr-only">
              {combo.announcement(props.none ?? NONE)}
            </span>
          </div>
        )}
      </Field>
      {combo.open && (
        <List combo={combo} id={listId} label={label} none={props.none ?? NONE} box={box} />
      )}
    </>
  );
}

const NONE = 'Tidak ada yang cocok';

const Clear = ({ label, onClear }: { label: string; onClear: () => void }) => (
  <button
    type="button"
    className={fieldTool(styles['clear'])}
    aria-label={label}
    onClick={({ currentTarget }) => {
      currentTarget.parentElement?.querySelector('input')?.focus();
      onClear();
    }}
  >
    <X size={16} />
  </button>
);

type ListProps = {
  combo: Combo;
  id: string;
  label: ReactNode;
  none: ReactNode;
  box: RefObject<HTMLElement | null>;
};

function List({ combo, id, label, none, box }: ListProps) {
  return (
    // The focus stays in the text field, which handles Escape too: it reverts the text.
    <Popover
      anchor={box}
      gap={4}
      edge={8}
      className={classes('column rounded', styles['popover'])}
      onLeave={combo.leave}
      onMouseDown={(event) => event.preventDefault()}
    >
      <div
        id={id}
        role="listbox"
        aria-label={typeof label === 'string' ? label : 'Pilihan'}
        className={styles['list']}
        hidden={combo.matches.length === 0}
      >
        {combo.matches.map((option) => (
          // The text field handles the keys; see `useCombobox`.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={option.value}
            id={combo.idOf(option.value)}
            role="option"
            tabIndex={-1}
            className={classes(
              'row gap-8 min-h-36 leading-ui hover selectable touch',
              option.value === combo.value && 'strong',
              styles['option'],
            )}
            aria-selected={option.value === combo.value}
            aria-disabled={option.disabled || undefined}
            data-active={option.value === combo.active || undefined}
            onClick={() => option.disabled || combo.choose(option.value)}
          >
            {option.label}
          </div>
        ))}
      </div>
      {combo.matches.length === 0 && <p className="muted py-10 px-12">{none}</p>}
    </Popover>
  );
}

type Given = {
  options: readonly Option[];
  value: string;
  clearable: boolean;
  listId: string;
  onChange: (value: string) => void;
};

type Combo = {
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

function useCombobox({ options, value, clearable, listId, onChange }: Given): Combo {
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
