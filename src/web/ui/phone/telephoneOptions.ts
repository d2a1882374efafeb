import type { PhoneOptions } from '#web/ui/phone/telephone.ts';
import type { Choice } from '#web/ui/phone/telephoneCountries.ts';

/** What a telephone field takes; the names and defaults are those of react-phone-input-2. */
export type TelephoneOptions = PhoneOptions &
  Choice & {
    /** A search box above the list; without one, typing jumps to a name. False when left out. */
    enableSearch?: boolean | undefined;
    searchPlaceholder?: string | undefined;
    searchNotFound?: string | undefined;
    /** The caret goes to the end when the field gets the focus; true when left out. */
    jumpCursorToEnd?: boolean | undefined;
    /** Copies digits without what groups them; true when left out. */
    copyNumbersOnly?: boolean | undefined;
    /** A press beside the list closes it; true when left out. */
    enableClickOutside?: boolean | undefined;
  };
