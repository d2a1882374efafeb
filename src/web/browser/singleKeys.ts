let on = true;

/** Whether letters alone may do something: a person can turn that off (WCAG 2.1.4). */
export const singleKeys = (): boolean => on;

export function setSingleKeys(next: boolean): void {
  on = next;
}
