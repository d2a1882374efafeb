/** Tells the browser's password manager which account the password in the same form belongs to. */
export const UsernameField = ({ phone }: { phone: string }) => (
  <input hidden name="username" autoComplete="username" value={phone} readOnly />
);
