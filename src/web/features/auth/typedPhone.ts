let typed = '';

/** The number that was typed on the page before, so that nobody types it twice; '' when none was. */
export const typedPhone = (): string => typed;

/** Kept while the page is open, and nowhere else. */
export const keepTypedPhone = (digits: string): void => {
  typed = digits;
};
