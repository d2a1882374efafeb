/**
 * Checks a number against the numbering plans of all countries (libphonenumber, 28 KB gz, loaded at the first call).
 * Resolves to an error if it is impossible; to nothing if it is possible, or so short that the form has its own
 * message.
 *
 * @param digits with the country code.
 */
export async function realNumber(digits: string): Promise<string | undefined> {
  if (digits.length < 8) return undefined;
  const { parsePhoneNumberFromString: parse } = await import('libphonenumber-js/min');
  const number = parse(`+${digits}`);
  if (number?.isValid()) return undefined;
  const country = number?.country;
  if (!country) return 'Nomor ini tidak ada di negara mana pun. Periksa kode negaranya.';
  const name = new Intl.DisplayNames('id', { type: 'region' }).of(country) ?? country;
  return `Nomor ini tidak ada di ${name}. Periksa lagi angkanya.`;
}
