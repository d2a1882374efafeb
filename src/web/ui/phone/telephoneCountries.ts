/* The parts of a telephone field that need other countries and their list; loaded on demand. */

import { countries, type CountryFacts } from '#web/ui/phone/countries.ts';
import { digitsOf } from '#web/ui/phone/phone.ts';
import {
  formatDigits,
  type Guess,
  type PhoneOptions,
  maskOf,
  type Country,
  type Typed,
} from '#web/ui/phone/telephone.ts';

export type Choice = {
  /** Lists areas as well (the Dominican Republic by its 809, …); for all countries, or for some. */
  enableAreaCodes?: boolean | readonly string[] | undefined;
  onlyCountries?: readonly string[] | undefined;
  excludeCountries?: readonly string[] | undefined;
  /** At the top of the list. */
  preferredCountries?: readonly string[] | undefined;
  /** 'europe', 'asia', …: countries of these regions only. */
  regions?: readonly string[] | undefined;
};

export type CountryTable = {
  /** In the order of their English names; an area follows its country. */
  all: readonly Country[];
  /** Those at the top of the list, in the order of their English names. */
  preferred: readonly Country[];
  guess: Guess;
};

const areasOf = (country: Country, codes: readonly string[]): readonly Country[] =>
  codes.map((code) => ({
    ...country,
    dialCode: country.dialCode + code,
    area: code.length,
  }));

function asCountry({ areaCodes: _, mask, ...facts }: CountryFacts, options: PhoneOptions): Country {
  const national = options.masks?.[facts.iso2] ?? mask;
  return { ...facts, area: 0, format: maskOf(facts.dialCode, national, options.prefix) };
}

const madeTables = new Map<string, CountryTable>();

/** The countries for these options, and how to guess among them; cached by options. */
export function tableOf(options: PhoneOptions & Choice): CountryTable {
  const { masks, prefix, enableAreaCodes, onlyCountries, excludeCountries } = options;
  const { preferredCountries, regions } = options;
  const key = JSON.stringify([
    [masks, prefix, enableAreaCodes, onlyCountries],
    [excludeCountries, preferredCountries, regions],
  ]);
  const made = madeTables.get(key) ?? makeTable(options);
  madeTables.set(key, made);
  return made;
}

function makeTable(options: PhoneOptions & Choice): CountryTable {
  const { enableAreaCodes: listed = false, onlyCountries = [], excludeCountries = [] } = options;
  const { preferredCountries = [], regions = [] } = options;
  const all: Country[] = [];
  const hidden: Country[] = [];
  for (const facts of countries) {
    const { iso2, areaCodes } = facts;
    if (onlyCountries.length > 0 && !onlyCountries.includes(iso2)) continue;
    if (excludeCountries.includes(iso2)) continue;
    if (regions.length > 0 && !facts.regions.some((region) => regions.includes(region))) continue;
    const country = asCountry(facts, options);
    const areas = areasOf(country, areaCodes);
    all.push(country);
    if (listed === true || (listed && listed.includes(iso2))) all.push(...areas);
    else hidden.push(...areas);
  }
  const preferred = all.filter(({ iso2, area }) => !area && preferredCountries.includes(iso2));
  return { all, preferred, guess: guessAmong(all, listed === false ? hidden : []) };
}

/**
 * Guesses the country of a number: an unlisted area code decides first (1416… is Canada); else the longest dial code
 * that begins the number, the lower priority among equals. Only the first six digits count.
 */
export const guessAmong =
  (all: readonly Country[], areas: readonly Country[]): Guess =>
  (digits, iso2, current) => {
    const start = digits.slice(0, 6);
    const begins = ({ dialCode }: Country) => start.startsWith(dialCode);
    const area = areas.find(begins);
    const [best] = area
      ? all.filter((country) => country.iso2 === area.iso2)
      : all
          .filter(begins)
          .toSorted(
            (one, other) =>
              other.dialCode.length - one.dialCode.length || one.priority - other.priority,
          );
    return best ?? all.find((country) => country.iso2 === iso2) ?? current;
  };

/**
 * The content after a country was picked from the list: the new dial code replaces the old one, and the country stays
 * until the digits leave it.
 */
export function pickCountry(now: Typed, country: Country, options: PhoneOptions): Typed {
  const digits = digitsOf(now.text);
  const swapped = now.country ? digits.replace(now.country.dialCode, country.dialCode) : digits;
  const whole =
    options.disableCountryCode || swapped.startsWith(country.dialCode) ? swapped : country.dialCode;
  const { enableLongNumbers: long } = options;
  const limited = long === true ? whole : whole.slice(0, typeof long === 'number' ? long : 15);
  return { text: formatDigits(limited, country, options), country, frozen: true };
}

/** The countries in list order: preferred ones first, the others by their displayed name. */
export function listed({ all, preferred }: CountryTable): readonly Country[] {
  const byName = all.toSorted((one, other) => one.shown.localeCompare(other.shown, 'id'));
  return [...new Set([...preferred, ...byName])];
}

/**
 * Searches the countries. Digits match dial codes; a text matches ISO codes first, then English and Indonesian names
 * that contain it. Surrounding spaces and one `+` are ignored; an empty search finds all.
 */
export function searchCountries(list: readonly Country[], query: string): readonly Country[] {
  const search = query.trim().toLowerCase().replace('+', '');
  if (search === '') return list;
  if (/^\d+$/.test(search)) return list.filter(({ dialCode }) => dialCode.includes(search));
  const codes = list.filter(({ iso2 }) => iso2.includes(search));
  const called = list.filter(({ name, shown }) =>
    [name, shown].some((one) => one.toLowerCase().includes(search)),
  );
  return [...new Set([...codes, ...called])];
}

/** The debounce of the country search, in the search box and of a word typed on the list. */
export const SEARCH_DEBOUNCE_MS = 250;

/**
 * The first country whose Indonesian, else English, name begins with the text typed on the list. `undefined` when there
 * is none.
 */
export function typeAhead(list: readonly Country[], typed: string): Country | undefined {
  const start = typed.toLowerCase();
  if (start === '') return undefined;
  const named = (of: (country: Country) => string) =>
    list.find((country) => of(country).toLowerCase().startsWith(start));
  return named(({ shown }) => shown) ?? named(({ name }) => name);
}

/** The options of a telephone field; names and defaults of react-phone-input-2. */
export type TelephoneOptions = PhoneOptions &
  Choice & {
    /** A search box above the list; without one, typing jumps to a name. False when omitted. */
    enableSearch?: boolean | undefined;
    searchPlaceholder?: string | undefined;
    searchNotFound?: string | undefined;
    /** Moves the caret to the end on focus; true when omitted. */
    jumpCursorToEnd?: boolean | undefined;
    /** Copies digits without grouping; true when omitted. */
    copyNumbersOnly?: boolean | undefined;
    /** A press outside the list closes it; true when omitted. */
    enableClickOutside?: boolean | undefined;
  };
