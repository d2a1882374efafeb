/** How money came, by who took it. */
export const paymentMethodLabels: Readonly<Record<string, string>> = {
  bank: 'Transfer bank',
  midtrans: 'Midtrans',
  xendit: 'Xendit',
};
