/** How money came, by who took it. */
export const wayNames: Readonly<Record<string, string>> = {
  bank: 'Transfer bank',
  midtrans: 'Midtrans',
  xendit: 'Xendit',
};
