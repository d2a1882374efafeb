import type { SyntheticEvent } from 'react';
import { digitsOf } from '#web/ui/phone/phone.ts';
import { telError, type Country } from '#web/ui/phone/telephone.ts';
import { TelephoneInput, type TelephoneAttributes } from '#web/ui/phone/TelephoneInput.tsx';
import type { TelephoneOptions } from '#web/ui/phone/telephoneOptions.ts';

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
