/** True if a path, with or without a query, is an operator page. */
export const isOperators = (path: string): boolean => /^\/operator(?:[/?#]|$)/.test(path);
