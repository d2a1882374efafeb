/* What a telephone field needs of other countries and of their list: loaded when asked for. */

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

/** Which countries a field knows; ISO codes in lower case. */
export type Choice = {
  /** Lists areas as well (the Dominican Republic by its 809, …); for all countries, or for some. */
  enableAreaCodes?: boolean | readonly string[] | undefined;
  onlyCountries?: readonly string[] | undefined;
  excludeCountries?: readonly string[] | undefined;
  /** First in the list. */
  preferredCountries?: readonly string[] | undefined;
  /** 'europe', 'asia', …: of these regions only. */
  regions?: readonly string[] | undefined;
};

/** The countries of a field, as its options want them. */
export type CountryTable = {
  /** In the order of their English names; an area follows its country. */
  all: readonly Country[];
  /** Those that stand first in the list, in the order of their English names. */
  preferred: readonly Country[];
  guess: Guess;
};

/** The areas of a country, each like a country of its own. */
const areasOf = (country: Country, codes: readonly string[]): readonly Country[] =>
  codes.map((code) => ({
    ...country,
    dialCode: country.dialCode + code,
    area: code.length,
  }));

/** The country of a row, with its mask as the options want it. */
function asCountry({ areaCodes: _, mask, ...facts }: CountryFacts, options: PhoneOptions): Country {
  const national = options.masks?.[facts.iso2] ?? mask;
  return { ...facts, area: 0, format: maskOf(facts.dialCode, national, options.prefix) };
}

const madeTables = new Map<string, CountryTable>();

/** The countries that options leave, and how to guess among them; always the same for the same. */
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
 * How to guess the country of a number: an area code that is not listed decides first (1416… is
 * Canada); else the longest dial code that begins the number, the lower priority among equals.
 * Only the first six digits are looked at.
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
 * What stands in the field after a country was picked from the list: the old dial code gives way
 * to the new one, and the country stays until the digits leave it.
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

/** The countries as they are listed: preferred ones first, the others by their shown name. */
export function listed({ all, preferred }: CountryTable): readonly Country[] {
  const byName = all.toSorted((one, other) => one.shown.localeCompare(other.shown, 'id'));
  return [...new Set([...preferred, ...byName])];
}

/**
 * The countries that a search finds. Digits are looked for in dial codes; a text finds first the
 * ISO codes, then the names, English and Indonesian, that contain it. Spaces around and one `+` do
 * not count; an empty search finds all.
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
 * The first country whose name begins with what was typed on the list: by its Indonesian name, else
 * by its English one. `undefined` when there is none.
 */
export function typeAhead(list: readonly Country[], typed: string): Country | undefined {
  const start = typed.toLowerCase();
  if (start === '') return undefined;
  const named = (of: (country: Country) => string) =>
    list.find((country) => of(country).toLowerCase().startsWith(start));
  return named(({ shown }) => shown) ?? named(({ name }) => name);
}
