export type S3Address = {
  bucket: string;
  prefix: string;
  /** Undefined: the region's AWS endpoint. */
  endpoint: string | undefined;
  region: string;
  pathStyle: boolean;
};

const EXAMPLE =
  'an address such as s3://bucket/prefix?endpoint=https://s3.example&region=ap-southeast-3';

const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const prefixWords = /^(?:[\w.-]+(?:\/[\w.-]+)*\/?)?$/;
const parameters: ReadonlySet<string> = new Set(['endpoint', 'region', 'pathStyle']);

/**
 * Reads `s3://bucket/prefix?endpoint=…&region=…&pathStyle=true|false`. AWS needs a region; another endpoint defaults
 * to `us-east-1` and the bucket in the path, as self-hosted stores expect.
 *
 * @returns the address, or the requirement, worded to follow “must be”.
 */
export function readS3Address(words: string): S3Address | { mustBe: string } {
  const url = URL.canParse(words) ? new URL(words) : undefined;
  if (url?.protocol !== 's3:') return { mustBe: EXAMPLE };
  if (url.username !== '' || url.password !== '') {
    return {
      mustBe:
        'without a user and a password; they are the settings AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    };
  }
  const prefix = url.pathname.replace(/^\//, '');
  const isNamed = bucketName.test(url.hostname) && url.port === '' && url.hash === '';
  if (!isNamed || !prefixWords.test(prefix) || /(^|\/)\.{1,2}(\/|$)/.test(prefix)) {
    return { mustBe: EXAMPLE };
  }
  const given = [...url.searchParams.keys()];
  if (given.some((name) => !parameters.has(name)) || new Set(given).size < given.length) {
    return { mustBe: 'an address with endpoint, region and pathStyle, once each, behind the ?' };
  }
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !isEndpoint(endpoint)) {
    return { mustBe: 'an address whose endpoint is one such as https://s3.example' };
  }
  const region = url.searchParams.get('region') ?? (endpoint === undefined ? '' : 'us-east-1');
  if (!/^[a-z0-9-]+$/i.test(region)) {
    return { mustBe: 'an address with the region of the bucket, such as region=ap-southeast-3' };
  }
  const style = url.searchParams.get('pathStyle') ?? String(endpoint !== undefined);
  if (style !== 'true' && style !== 'false') {
    return { mustBe: 'an address whose pathStyle is true or false' };
  }
  return {
    bucket: url.hostname,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    endpoint,
    region,
    pathStyle: style === 'true',
  };
}

function isEndpoint(words: string): boolean {
  if (!/^https?:\/\//.test(words) || !URL.canParse(words)) return false;
  const { username, password, search, hash } = new URL(words);
  return username === '' && password === '' && search === '' && hash === '';
}

export const nameOfBucket = ({ bucket, prefix }: S3Address): string =>
  `s3://${bucket}/${prefix}`.replace(/\/$/, '');
