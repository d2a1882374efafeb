import { type KeyObject, createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Origin and host of a request, as the browser reports them. */
type Page = { origin?: string; rpId?: string };

type Options = { challenge?: unknown };

const HOME: Required<Page> = { origin: 'http://localhost:3000', rpId: 'localhost' };
const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** A software security key: creates a passkey, and answers as a browser does (ES256). */
export function openAuthenticator(counter = 0) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  let uses = counter;
  const common = { id: id.toString('base64url'), rawId: id.toString('base64url') };
  const rest = { type: 'public-key', clientExtensionResults: {} };

  return {
    create({ challenge }: Options, page: Page = {}): string {
      const { origin, rpId } = { ...HOME, ...page };
      const client = clientData('webauthn.create', challenge, origin);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const authData = Buffer.concat([authDataOf(rpId, 0x45, uses), attested]);
      return JSON.stringify({
        ...common,
        ...rest,
        response: {
          clientDataJSON: client.toString('base64url'),
          attestationObject: attestation(authData).toString('base64url'),
          transports: ['internal'],
        },
      });
    },

    /** The result of `navigator.credentials.get` as JSON; each use increments the counter. */
    get({ challenge }: Options, page: Page = {}): string {
      const { origin, rpId } = { ...HOME, ...page };
      const client = clientData('webauthn.get', challenge, origin);
      if (counter > 0) uses += 1;
      const authData = authDataOf(rpId, 0x05, uses);
      const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), privateKey);
      return JSON.stringify({
        ...common,
        ...rest,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      });
    },

    /** Acts as a copy of the key that missed some uses. */
    turnBack(to: number): void {
      uses = to;
    },
  };
}

const clientData = (type: string, challenge: unknown, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

function authDataOf(rpId: string, flags: number, counter: number): Buffer {
  const end = Buffer.alloc(5);
  end.writeUInt8(flags, 0);
  end.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(rpId), end]);
}

const bytes = (data: Buffer): Buffer =>
  data.length < 256
    ? Buffer.concat([Buffer.of(0x58, data.length), data])
    : Buffer.concat([Buffer.of(0x59, data.length >> 8, data.length & 255), data]);
const text = (word: string): Buffer =>
  Buffer.concat([Buffer.of(0x60 + word.length), Buffer.from(word)]);

const attestation = (authData: Buffer): Buffer =>
  Buffer.concat([
    Buffer.of(0xa3),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.of(0xa0),
    text('authData'),
    bytes(authData),
  ]);

function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const [bx, by] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  return Buffer.concat([
    Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21),
    bytes(bx),
    Buffer.of(0x22),
    bytes(by),
  ]);
}
