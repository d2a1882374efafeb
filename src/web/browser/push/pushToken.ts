let token = '';

/** The device push token: one value, empty until it is known (docs/screens.md#calls). */
export const pushToken = (): string => token;

/** Saves the device push token once it is resolved. */
export function setPushToken(resolved: string): void {
  token = resolved;
}
