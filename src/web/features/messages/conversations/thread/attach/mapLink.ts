export type Coordinates = { latitude: number; longitude: number };

const DEGREES = String.raw`(-?\d{1,3}(?:\.\d+)?)`;

/** Notations of locations in map addresses, the most exact first; then in plain text. */
const ways: readonly RegExp[] = [
  new RegExp(`!3d${DEGREES}!4d${DEGREES}`),
  new RegExp(
    `[?&](?:q|query|ll|sll|destination|center)=(?:loc:)?${DEGREES}(?:,|%2C)\\s*${DEGREES}`,
    'i',
  ),
  new RegExp(`[?&]mlat=${DEGREES}&mlon=${DEGREES}`),
  new RegExp(`#map=\\d+(?:\\.\\d+)?/${DEGREES}/${DEGREES}`),
  new RegExp(`@${DEGREES},${DEGREES}`),
  new RegExp(`^geo:${DEGREES},${DEGREES}`),
  new RegExp(`^${DEGREES}[,;\\s]\\s*${DEGREES}$`),
];

/** The location in a map's or `geo:` address, or in two numbers; `undefined` without one. */
export function placeIn(pasted: string): Coordinates | undefined {
  const text = pasted.trim();
  for (const way of ways) {
    const [, north, east] = way.exec(text) ?? [];
    const place = { latitude: Number(north), longitude: Number(east) };
    const isOnEarth = Math.abs(place.latitude) <= 90 && Math.abs(place.longitude) <= 180;
    if (north !== undefined && isOnEarth) return place;
  }
  return undefined;
}

/** Whether it is a short link, which only the map's server can resolve. */
export const isShortLink = (pasted: string): boolean =>
  /^https?:\/\/(?:maps\.app\.goo\.gl|goo\.gl\/maps|g\.co)\//i.test(pasted.trim());
