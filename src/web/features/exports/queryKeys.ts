export const exportsKey = ['row_exports'] as const;
