/** The push services of all browsers; `*.` stands for one or more labels. */
const services = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.notify.windows.com',
  '*.push.apple.com',
];

const ENDPOINT_MAX = 2_000;

/**
 * The push service of an endpoint: one of the known ones, over https, or an origin of PUSH_SERVICES.
 *
 * @returns its name for the log; `undefined` for unknown addresses.
 */
export function serviceOf(endpoint: string, listed: readonly string[]): string | undefined {
  if (endpoint.length > ENDPOINT_MAX || !URL.canParse(endpoint)) return undefined;
  const { origin, protocol, hostname, port, username, password } = new URL(endpoint);
  if (username !== '' || password !== '') return undefined;
  if (listed.includes(origin)) return origin;
  if (protocol !== 'https:' || port !== '') return undefined;
  return services.find((name) =>
    name.startsWith('*.')
      ? hostname.endsWith(name.slice(1)) && hostname.length >= name.length
      : hostname === name,
  );
}
