import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const source = await readFile('src/web/styles/tokens.css', 'utf8');

type Rgb = readonly [number, number, number];

/** OKLCH to 8-bit sRGB as on a screen, and whether the colour is inside sRGB. */
function srgb(lightness: number, chroma: number, hue: number): { rgb: Rgb; inside: boolean } {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const coded = linear.map((part) =>
    part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055,
  );
  const eight = coded.map((part) => Math.round(Math.min(1, Math.max(0, part)) * 255));
  const inside = coded.every((part) => part > -0.002 && part < 1.002);
  return { rgb: [eight[0] ?? 0, eight[1] ?? 0, eight[2] ?? 0], inside };
}

function luminance(rgb: Rgb): number {
  const [r = 0, g = 0, b = 0] = rgb.map((part) => {
    const unit = part / 255;
    return unit <= 0.04045 ? unit / 12.92 : ((unit + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const parts = (colour: string | undefined) => colour?.split(' ').map(Number) ?? [];

const colour = String.raw`oklch\(([\d. ]+)\)`;
const both = new RegExp(String.raw`--([a-z0-9-]+): light-dark\(${colour}, ${colour}\)`, 'g');
const found = [...source.matchAll(both)];
const themes = ['light', 'dark'].map((name, index) => ({
  name,
  colours: new Map(
    found.map(([, token = '', ...values]) => {
      const [l = 0, c = 0, h = 0] = parts(values[index]);
      return [token, srgb(l, c, h)];
    }),
  ),
}));

const text = 4.5;
const mark = 3;
/** Foreground, background and minimum contrast (WCAG 2, 1.4.3 and 1.4.11). */
const pairs: readonly (readonly [string, string, number])[] = [
  ...[
    'ink',
    'ink-2',
    'ink-3',
    'link',
    'primary-text',
    'danger-text',
    'success-text',
    'accent-text',
  ].flatMap((ink) =>
    ['paper', 'surface', 'sunken'].map((resources) => [ink, resources, text] as const),
  ),
  ...['primary', 'accent', 'success', 'danger', 'info'].map(
    (hue) => [`${hue}-text`, `${hue}-soft`, text] as const,
  ),
  ...['primary', 'primary-hover', 'success', 'danger', 'info'].map(
    (fill) => ['on-solid', fill, text] as const,
  ),
  ['on-accent', 'accent', text],
  ['paper', 'ink-2', text],
  ['surface', 'ink-3', text],
  ...['ink', 'ink-3', 'link'].flatMap((ink) => [
    [ink, 'bubble-out', text] as const,
    [ink, 'bubble-in', text] as const,
  ]),
  ...['paper', 'surface', 'sunken'].flatMap((resources) => [
    ['line-control', resources, mark] as const,
    ['focus', resources, mark] as const,
    ['primary', resources, mark] as const,
    ['danger', resources, mark] as const,
  ]),
];

test('has a light and a dark value of every colour in tokens.css', () => {
  expect(found.length).toBe(source.match(/light-dark\(/g)?.length);
  expect(found.length).toBeGreaterThan(30);
});

for (const theme of themes) {
  test(`every ${theme.name} colour fits an ordinary screen`, () => {
    const outside = [...theme.colours].filter(([, colour]) => !colour.inside);
    expect(outside.map(([name]) => name)).toEqual([]);
  });

  test(`every text of the ${theme.name} theme contrasts with its background`, () => {
    const weak = pairs.flatMap(([front, back, least]) => {
      const [one, other] = [theme.colours.get(front), theme.colours.get(back)];
      if (!one || !other) return [`${front} or ${back} is not there`];
      const ratio = contrast(one.rgb, other.rgb);
      return ratio >= least ? [] : [`${front} on ${back}: ${ratio.toFixed(2)} of ${least}`];
    });
    expect(weak).toEqual([]);
  });
}
