let on = true;

/** Whether single-letter shortcuts are on; a person can turn them off (WCAG 2.1.4). */
export const singleKeys = (): boolean => on;

export function setSingleKeys(next: boolean): void {
  on = next;
}
