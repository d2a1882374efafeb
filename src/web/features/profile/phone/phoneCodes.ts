/** The storage key of the codes for a change of number: the old number's, then the new one's. */
export const PHONE_CODES = 'phone-change';
