/** Tells the browser's list of passwords whose the one is that stands in the same form. */
export const UsernameField = ({ phone }: { phone: string }) => (
  <input hidden name="username" autoComplete="username" value={phone} readOnly />
);
