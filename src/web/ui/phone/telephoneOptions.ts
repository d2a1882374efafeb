import type { PhoneOptions } from '#web/ui/phone/telephone.ts';
import type { Choice } from '#web/ui/phone/telephoneCountries.ts';

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
