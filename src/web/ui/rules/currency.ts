const factors: Record<string, number> = { k: 1e3, m: 1e6, b: 1e9 };

/**
 * Whole rupiah from what the currency input holds (group `.`, decimal `,`): `1.250.000` → 1250000.
 * Decimals are dropped; `undefined` when there is no number or it is not a safe integer.
 */
export function readRupiah(shown: string | undefined): number | undefined {
  if (shown === undefined) return undefined;
  const [whole = ''] = shown.replaceAll('.', '').split(',');
  if (!/^-?\d+$/.test(whole)) return undefined;
  const amount = Number(whole);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/**
 * What the library must never be handed. `0k` and a suffix that is not last (`1k2`) make it show
 * NaN, so the letters go; a pasted `1500000.50` would become 150.000.050, so it is read as decimals.
 */
export function tameTyped(typed: string, { pasted = false }: { pasted?: boolean } = {}): string {
  let text = typed.trim().replace(/^rp\.?\s*/i, '');
  if (pasted && /^-?\d+(?:,\d{3})*\.\d{1,2}$/.test(text)) {
    text = text.replaceAll(',', '').replace('.', ',');
  }
  const suffixed = /^(-?[\d.]*(?:,\d*)?)([kmb])$/i.exec(text);
  if (suffixed) {
    const [, number = '', letter = ''] = suffixed;
    const value = Number(number.replaceAll('.', '').replace(',', '.'));
    const factor = factors[letter.toLowerCase()] ?? 1;
    const fits = value !== 0 && Number.isSafeInteger(Math.round(value * factor));
    return fits ? text : number;
  }
  return text.replace(/[kmb]/gi, '');
}
