export const paymentMethodLabels: Readonly<Record<string, string>> = {
  bank: 'Transfer bank',
  midtrans: 'Midtrans',
  xendit: 'Xendit',
};
