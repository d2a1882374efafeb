import type { SyntheticEvent } from 'react';
import { digitsOf } from '#web/ui/phone/phone.ts';
import { telError, type Country } from '#web/ui/phone/telephone.ts';
import { TelephoneInput, type TelephoneAttributes } from '#web/ui/phone/TelephoneInput.tsx';
import type { TelephoneOptions } from '#web/ui/phone/telephoneOptions.ts';

/** What `onChange` tells of the country; all '' when there is none. */
export type CountryData = Pick<Country, 'name' | 'dialCode' | 'format'> & { countryCode: string };

type Props = Omit<TelephoneAttributes, 'label'> &
  TelephoneOptions & {
    label?: TelephoneAttributes['label'];
    /** The label where `label` is left out. */
    specialLabel?: string;
    /** Digits, the country's in front; '' when empty. */
    value: string;
    onChange: (
      digits: string,
      country: CountryData,
      event: SyntheticEvent,
      formatted: string,
    ) => void;
    /** Shown once the field was touched and as long as the number is empty or too short. */
    validate?: string;
    /** `realNumber`, where a number that exists is asked for. */
    verify?: (digits: string) => Promise<string | undefined>;
  };

/**
 * A telephone number of any country, as react-phone-input-2 2.15.1 has it: the country is guessed
 * from the digits or picked from a list, and the digits are grouped by its mask. What is typed is
 * normalised first: `0812…` in Indonesia is 62812….
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

/** The field's own properties apart from those of its `<input>`, with their defaults. */
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
  /** Digits with the country in front: `6281234567890`; '' when empty. */
  value: string;
  onChange: (digits: string) => void;
  verify?: (digits: string) => Promise<string | undefined>;
};

/** As numbers are shown everywhere, +62 812-3456-7890; as long as the usual mask of Indonesia. */
const homeMasks = { id: '...-....-.........' };

/**
 * The variant of our screens, where a number may be of any country: starts in Indonesia and speaks
 * Indonesian. A dial code alone counts as empty.
 */
export const HomeTelephoneField = ({ value, onChange, ...props }: HomeProps) => (
  <TelephoneField
    placeholder="0812-3456-7890"
    {...props}
    // Digits with the country: without a `+` those that begin with 8 would be read as Indonesian.
    value={value && `+${value}`}
    country="id"
    masks={homeMasks}
    enableSearch
    searchPlaceholder="Cari negara atau kode"
    searchNotFound="Negara tidak ditemukan"
    onChange={(digits, { dialCode }) => onChange(dialCode.startsWith(digits) ? '' : digits)}
  />
);
