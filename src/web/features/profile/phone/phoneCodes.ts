/** Under which name a tab stores the codes of a change of number: the old one's, then the new one's. */
export const PHONE_CODES = 'phone-change';
