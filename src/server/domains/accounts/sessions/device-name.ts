const browsers: readonly [name: string, mark: RegExp][] = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/[\d.]+ .*Safari\//],
];
const systems: readonly [name: string, mark: RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows NT\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

const first = (list: readonly [string, RegExp][], agent: string): string | undefined =>
  list.find(([, mark]) => mark.test(agent))?.[0];

/** A browser's User-Agent in words: `Chrome di Android`. Not verified. */
export function deviceName(agent: string): string {
  const browser = first(browsers, agent) ?? 'Peramban lain';
  const system = first(systems, agent);
  return system === undefined ? browser : `${browser} di ${system}`;
}
