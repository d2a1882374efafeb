import {
  type SyntheticEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ChangeEvent,
  type ClipboardEvent,
  type ComponentPropsWithRef,
  type FocusEvent,
} from 'react';
import { digitsOf, caretFor } from '#web/ui/phone/phone.ts';
import {
  telError,
  type Country,
  enterText,
  guessAtHome,
  startWith,
  type Typed,
} from '#web/ui/phone/telephone.ts';
import type { TelephoneOptions, CountryTable, tableOf } from '#web/ui/phone/telephoneCountries.ts';
import { controlClass, Field, insideClass, type FieldProps } from '#web/ui/form/Field.tsx';
import type { TelephoneList } from '#web/ui/phone/TelephoneList.tsx';
import styles from '#web/ui/phone/phone.module.css';
import { classes } from '#web/ui/classes.ts';

/** The country reported by `onChange`; all '' when there is none. */
export type CountryData = Pick<Country, 'name' | 'dialCode' | 'format'> & { countryCode: string };

type Props = Omit<TelephoneAttributes, 'label'> &
  TelephoneOptions & {
    label?: TelephoneAttributes['label'];
    /** The default of `label`. */
    specialLabel?: string;
    /** Digits with the country code; '' when empty. */
    value: string;
    onChange: (
      digits: string,
      country: CountryData,
      event: SyntheticEvent,
      formatted: string,
    ) => void;
    /** Shown after the field was touched, while the number is empty or too short. */
    validate?: string;
    /** `realNumber`, if the number must exist. */
    verify?: (digits: string) => Promise<string | undefined>;
  };

/**
 * A telephone number of any country, as in react-phone-input-2 2.15.1: the country is guessed from the digits or picked
 * from a list, and its mask groups the digits. Input is normalized first: `0812…` in Indonesia is 62812….
 */
export function TelephoneField({ value, onChange, validate, verify, ...props }: Props) {
  const { options, input } = split(props);
  const { specialLabel = 'Phone', label = specialLabel, ...attributes } = input;
  return (
    <TelephoneInput
      placeholder="1 (702) 123-4567"
      {...attributes}
      label={label}
      value={value}
      options={options}
      verify={verify}
      judge={({ text, country }, dirty) => {
        const { dialCode = '', format = '' } = country ?? {};
        const digits = (options.disableCountryCode ? dialCode : '') + digitsOf(text);
        return telError(digits, { dialCode, format }, dirty) ? validate : undefined;
      }}
      onEnter={({ text, country }, event) => {
        const { name = '', dialCode = '', iso2: countryCode = '', format = '' } = country ?? {};
        onChange(digitsOf(text), { name, dialCode, countryCode, format }, event, text);
      }}
    />
  );
}

/** Splits the field's own props, with their defaults, from those of its `<input>`. */
function split(props: Omit<Props, 'value' | 'onChange' | 'validate' | 'verify'>) {
  const {
    country = 'fr',
    prefix,
    autoFormat,
    countryCodeEditable,
    enableLongNumbers,
    disableCountryCode,
    masks,
    enableAreaCodes,
    onlyCountries,
    excludeCountries,
    preferredCountries,
    regions,
    enableSearch,
    searchPlaceholder = 'search',
    searchNotFound = 'No entries to show',
    jumpCursorToEnd,
    copyNumbersOnly,
    enableClickOutside,
    ...input
  } = props;
  const options: TelephoneOptions = {
    country,
    prefix,
    autoFormat,
    countryCodeEditable,
    enableLongNumbers,
    disableCountryCode,
    masks,
    enableAreaCodes,
    onlyCountries,
    excludeCountries,
    preferredCountries,
    regions,
    enableSearch,
    searchPlaceholder,
    searchNotFound,
    jumpCursorToEnd,
    copyNumbersOnly,
    enableClickOutside,
  };
  return { options, input };
}

type HomeProps = Omit<TelephoneAttributes, 'onChange'> & {
  /** Digits with the country code: `6281234567890`; '' when empty. */
  value: string;
  onChange: (digits: string) => void;
  verify?: (digits: string) => Promise<string | undefined>;
};

/** The product's format, +62 812-3456-7890; as long as the usual mask of Indonesia. */
const homeMasks = { id: '...-....-.........' };

/**
 * The variant of our screens for numbers of any country: starts in Indonesia, with Indonesian texts. A dial code alone
 * counts as empty.
 */
export const HomeTelephoneField = ({ value, onChange, ...props }: HomeProps) => (
  <TelephoneField
    placeholder="0812-3456-7890"
    {...props}
    // The value has the country code: without a `+`, digits that begin with 8 would be read as Indonesian.
    value={value && `+${value}`}
    country="id"
    masks={homeMasks}
    enableSearch
    searchPlaceholder="Cari negara atau kode"
    searchNotFound="Negara tidak ditemukan"
    onChange={(digits, { dialCode }) => onChange(dialCode.startsWith(digits) ? '' : digits)}
  />
);

type TelephoneAttributes = FieldProps &
  Omit<
    ComponentPropsWithRef<'input'>,
    'ref' | 'size' | 'type' | 'value' | 'defaultValue' | 'onChange' | 'onCopy' | 'onDoubleClick'
  >;

type InputProps = TelephoneAttributes & {
  /** Digits with the country code; '' when empty. */
  value: string;
  options: TelephoneOptions;
  onEnter: (entered: Typed, event: SyntheticEvent) => void;
  /** Returns the error of the current text; `error` has precedence. */
  judge?: (now: Typed, dirty: boolean) => string | undefined;
  /** Checks the digits on blur; resolves to an error if they are wrong. */
  verify?: ((digits: string) => Promise<string | undefined>) | undefined;
};

type List = typeof TelephoneList;
type Tables = typeof tableOf;
type Entry = Typed & { table: CountryTable | undefined };

const ignore = () => undefined;

/** True if a text is no more than the beginning of its country's dial code. */
const isBare = ({ text, country }: Typed) => (country?.dialCode ?? '').startsWith(digitsOf(text));

/**
 * The field's text: as typed while it matches the value, else the formatted value. Text typed before the country table
 * is loaded is read again afterwards.
 */
function useEntered(value: string, options: TelephoneOptions) {
  const [tables, setTables] = useState<{ of: Tables }>();
  const [entry, setEntry] = useState<Entry>();
  const table = tables?.of(options);
  const guess = table?.guess ?? guessAtHome(options);
  const own = entry && (digitsOf(entry.text) === digitsOf(value) || (!value && isBare(entry)));
  const now: Typed = own && entry.table === table ? entry : startWith(value, options, guess);

  const load = () => {
    void import('#web/ui/phone/telephoneCountries.ts').then(
      (made) => setTables({ of: made.tableOf }),
      ignore,
    );
  };
  const lacking = !tables && (options.country !== 'id' || !now.country);
  useEffect(() => {
    if (lacking) load();
  }, [lacking]);
  const update = (next: Typed) => setEntry({ ...next, table });
  return { now, dirty: Boolean(own), table, guess, update, load };
}

function useList(load: () => void) {
  const [List, setList] = useState<List>();
  const [open, setOpen] = useState(false);
  const next = useRef<HTMLElement>(null);
  useEffect(() => {
    if (open) return;
    next.current?.focus();
    next.current = null;
  }, [open]);
  const show = () => {
    load();
    void import('#web/ui/phone/TelephoneList.tsx').then(
      (made) => setList(() => made.TelephoneList),
      ignore,
    );
    setOpen(true);
  };
  const hide = (focus: HTMLElement | null) => {
    next.current = focus;
    setOpen(false);
  };
  return { List, open, show, hide };
}

type Entered = ReturnType<typeof useEntered>;

function useNumber(props: InputProps, { now, guess, update }: Entered) {
  const { options, onEnter, verify, placeholder = '', onFocus, onBlur } = props;
  const { prefix = '+', disableCountryCode, jumpCursorToEnd, copyNumbersOnly } = options;
  const [wrong, setWrong] = useState<{ digits: string; sentence: string | undefined }>();
  const field = useRef<HTMLInputElement>(null);
  const digits = digitsOf(now.text);

  useLayoutEffect(() => {
    if (now.caret !== undefined && document.activeElement === field.current) {
      field.current?.setSelectionRange(now.caret, now.caret);
    }
  }, [now]);
  const enter = (next: Typed, event: SyntheticEvent) => {
    update(next);
    if (next.text !== now.text || next.country !== now.country) onEnter(next, event);
  };
  const toEnd = () => {
    const end = caretFor(field.current?.value ?? '', 0);
    if (document.activeElement === field.current) field.current?.setSelectionRange(end, end);
  };
  const handlers = {
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      const { value: text, selectionStart } = event.target;
      enter(enterText({ text, caret: selectionStart ?? text.length }, now, options, guess), event);
    },
    onFocus: (event: FocusEvent<HTMLInputElement>) => {
      event.target.placeholder = '';
      if (now.country && !disableCountryCode && now.text === prefix) {
        update({ ...now, text: prefix + now.country.dialCode });
      }
      // After this event the browser places the caret, or selects all.
      if (jumpCursorToEnd !== false) setTimeout(toEnd);
      onFocus?.(event);
    },
    onBlur: (event: FocusEvent<HTMLInputElement>) => {
      event.target.placeholder = placeholder;
      void verify?.(digits).then((sentence) => setWrong({ digits, sentence }), ignore);
      onBlur?.(event);
    },
    onCopy: (event: ClipboardEvent<HTMLInputElement>) => {
      if (copyNumbersOnly === false) return;
      const { value: text, selectionStart, selectionEnd } = event.currentTarget;
      const copied = digitsOf(text.slice(selectionStart ?? 0, selectionEnd ?? 0));
      event.clipboardData.setData('text/plain', copied);
      event.preventDefault();
    },
    onDoubleClick: () => field.current?.select(),
  };
  return { field, handlers, enter, wrong: wrong?.digits === digits ? wrong.sentence : undefined };
}

/** The base of the `TelephoneField` variants: the country's button and the number. */
function TelephoneInput(props: InputProps) {
  const { value, options, onEnter: _, judge, verify: __, ...rest } = props;
  const { label, help, error, hideLabel = false, size, id, className, ...input } = rest;
  const entered = useEntered(value, options);
  const { now, dirty, table } = entered;
  const { List, open, show, hide } = useList(entered.load);
  const { field, handlers, enter, wrong } = useNumber(props, entered);
  const button = useRef<HTMLButtonElement>(null);
  const frame = { label, help, id, className, hideLabel, required: input.required };
  return (
    <Field {...frame} error={error ?? judge?.(now, dirty) ?? wrong}>
      {(links) => (
        <>
          <div className={controlClass(size, styles['box'])}>
            <button
              ref={button}
              type="button"
              className={classes(
                'row justify-between small muted strong ring-inset gap-8 hover-ink',
                styles['country'],
              )}
              aria-label={nameOf(now.country)}
              aria-haspopup="dialog"
              aria-expanded={open}
              disabled={input.disabled}
              onClick={() => (open ? hide(button.current) : show())}
              // Visual only, by the stylesheet: the accessible name has the full country.
              data-code={now.country?.iso2 ?? '–'}
            />
            <input
              autoComplete="tel"
              {...input}
              {...links}
              {...handlers}
              ref={field}
              type="tel"
              inputMode="tel"
              className={insideClass('num', styles['number'])}
              value={now.text}
            />
          </div>
          {open && List && table && (
            <List
              table={table}
              options={options}
              now={now}
              button={button}
              onPick={(next, event) => {
                enter(next, event);
                hide(field.current);
              }}
              onClose={(to) => hide(to && (to === 'button' ? button : field).current)}
            />
          )}
        </>
      )}
    </Field>
  );
}

const nameOf = (country: Country | undefined) =>
  country ? `Negara: ${country.shown} (+${country.dialCode})` : 'Negara: belum dikenali';
