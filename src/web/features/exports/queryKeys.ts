/** The files of rows that an account has asked for. */
export const exportsKey = ['row_exports'] as const;
