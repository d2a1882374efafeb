/** A size as limits are told: `500 kB`, `5 MB`. */
export const inMegabytes = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${Math.round(bytes / 1_000_000)} MB`;
