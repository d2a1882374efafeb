import { bytesOf, wasNeverSent } from '#server/infra/net/answers.ts';
import { asJson } from '#server/infra/net/json-values.ts';
import { GatewayTrouble } from './gateway.ts';

export type GatewayHttpRequest = {
  url: string;
  method: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: object;
  /** The user of `Authorization: Basic`; these gateways want an empty password. */
  key: string;
  timeoutMs: number;
};

export type GatewayAnswer = { status: number; json: unknown };

const ANSWER_BYTES_MAX = 262_144;

/**
 * Sends one request to a gateway, within a total time limit, without following redirects. The address is the operator's
 * setting, so a private network is allowed.
 *
 * @throws GatewayTrouble `unreachable` or `unknown`; never contains the key or the body.
 */
export async function requestGateway(ask: GatewayHttpRequest): Promise<GatewayAnswer> {
  const { url, method, headers = {}, body, key, timeoutMs } = ask;
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: asJson(await textOf(response)) };
  } catch (error) {
    if (error instanceof GatewayTrouble) throw error;
    const code = codeOf(error);
    const kind = wasNeverSent(code) ? 'unreachable' : 'unknown';
    throw new GatewayTrouble(kind, `the gateway did not answer: ${code}`, { cause: error });
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}

async function textOf(response: Response): Promise<string> {
  const bytes = await bytesOf(response, ANSWER_BYTES_MAX);
  if (!bytes) throw new GatewayTrouble('unknown', 'the answer is too large');
  return bytes.toString('utf8');
}
