/** Whether a path, with or without its query, is one of the operators' pages. */
export const isOperators = (path: string): boolean => /^\/operator(?:[/?#]|$)/.test(path);
