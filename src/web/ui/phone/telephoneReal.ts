/**
 * Whether there can be such a number, by the numbering plans of all countries (libphonenumber,
 * 28 KB gz, loaded at the first call). Comes out with the sentence to show when there cannot; with
 * nothing when there can, and when the number is so short that the form has words of its own.
 *
 * @param digits with the country in front.
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
