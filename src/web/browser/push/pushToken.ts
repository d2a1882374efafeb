let token = '';

/** The device push token: one value, empty until it is resolved (docs/screens.md#calls). */
export const pushToken = (): string => token;

export function setPushToken(resolved: string): void {
  token = resolved;
}
