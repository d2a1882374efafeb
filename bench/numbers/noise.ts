/** The server's half of the network's handshake (Noise XX) and of the encryption after it. */
import {
  Curve,
  NOISE_MODE,
  NOISE_WA_HEADER,
  type KeyPair,
  WA_CERT_DETAILS,
  aesDecryptGCM,
  aesEncryptGCM,
  hkdf,
  proto,
  sha256,
} from 'baileys';

/** The key that signs the network's certificates; clients must be made to trust it. */
export type Root = KeyPair;

const NOTHING = Buffer.alloc(0);
const LENGTH_BYTES = 3;

const ivOf = (counter: number): Buffer => {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(counter, 8);
  return iv;
};

function certificatesFor(root: Root, key: Uint8Array): Uint8Array {
  const { NoiseCertificate } = proto.CertChain;
  const middle = Curve.generateKeyPair();
  const issuer = NoiseCertificate.Details.encode({
    serial: 1,
    issuerSerial: WA_CERT_DETAILS.SERIAL,
    key: middle.public,
  }).finish();
  const leaf = NoiseCertificate.Details.encode({ serial: 2, issuerSerial: 1, key }).finish();
  return proto.CertChain.encode({
    intermediate: { details: issuer, signature: Curve.sign(root.private, issuer) },
    leaf: { details: leaf, signature: Curve.sign(middle.private, leaf) },
  }).finish();
}

class Handshake {
  #hash: Buffer = Buffer.from(NOISE_MODE);
  #salt: Buffer = this.#hash;
  #key: Buffer = this.#hash;
  #counter = 0;

  add(data: Uint8Array) {
    this.#hash = sha256(Buffer.concat([this.#hash, data]));
  }

  mix(shared: Uint8Array) {
    [this.#salt, this.#key] = this.#derive(shared);
    this.#counter = 0;
  }

  encrypt(plain: Uint8Array): Buffer {
    const sealed = aesEncryptGCM(plain, this.#key, ivOf(this.#counter++), this.#hash);
    this.add(sealed);
    return sealed;
  }

  decrypt(sealed: Uint8Array): Buffer {
    const plain = aesDecryptGCM(sealed, this.#key, ivOf(this.#counter++), this.#hash);
    this.add(sealed);
    return plain;
  }

  /** The transport keys: the client's, and the server's. */
  split(): [client: Buffer, server: Buffer] {
    return this.#derive(NOTHING);
  }

  #derive(shared: Uint8Array): [Buffer, Buffer] {
    const derived = Buffer.from(hkdf(Buffer.from(shared), 64, { salt: this.#salt, info: '' }));
    return [derived.subarray(0, 32), derived.subarray(32)];
  }
}

export type NoiseEvents = {
  send: (frame: Buffer) => void;
  onLogin: (payload: proto.ClientPayload) => void;
  onStanza: (content: Buffer) => void;
};

export class NoiseServer {
  readonly #root: Root;
  readonly #events: NoiseEvents;
  readonly #handshake = new Handshake();
  readonly #ephemeral = Curve.generateKeyPair();
  readonly #static = Curve.generateKeyPair();
  #received: Buffer = NOTHING;
  #step: 'header' | 'hello' | 'finish' | 'open' = 'header';
  #keys: [client: Buffer, server: Buffer] = [NOTHING, NOTHING];
  #read = 0;
  #written = 0;

  constructor(root: Root, events: NoiseEvents) {
    this.#root = root;
    this.#events = events;
  }

  receive(data: Buffer) {
    this.#received = Buffer.concat([this.#received, data]);
    if (this.#step === 'header') {
      this.#received = this.#received.subarray(NOISE_WA_HEADER.length);
      this.#handshake.add(NOISE_WA_HEADER);
      this.#step = 'hello';
    }
    while (this.#received.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + this.#received.readUIntBE(0, LENGTH_BYTES);
      if (this.#received.length < end) return;
      const frame = this.#received.subarray(LENGTH_BYTES, end);
      this.#received = this.#received.subarray(end);
      this.#handle(frame);
    }
  }

  sendStanza(content: Uint8Array) {
    this.#send(aesEncryptGCM(content, this.#keys[1], ivOf(this.#written++), NOTHING));
  }

  #handle(frame: Buffer) {
    if (this.#step === 'open') {
      const plain = aesDecryptGCM(frame, this.#keys[0], ivOf(this.#read++), NOTHING);
      this.#events.onStanza(plain);
      return;
    }
    const { clientHello, clientFinish } = proto.HandshakeMessage.decode(frame);
    if (clientHello?.ephemeral) this.#answerHello(clientHello.ephemeral);
    else if (clientFinish?.static && clientFinish.payload) {
      this.#finish(clientFinish.static, clientFinish.payload);
    } else throw new Error('a client sent neither its hello nor its identity');
  }

  #answerHello(theirs: Uint8Array) {
    const handshake = this.#handshake;
    handshake.add(theirs);
    handshake.add(this.#ephemeral.public);
    handshake.mix(Curve.sharedKey(this.#ephemeral.private, theirs));
    const sealedStatic = handshake.encrypt(this.#static.public);
    handshake.mix(Curve.sharedKey(this.#static.private, theirs));
    const payload = handshake.encrypt(certificatesFor(this.#root, this.#static.public));
    const serverHello = { ephemeral: this.#ephemeral.public, static: sealedStatic, payload };
    this.#send(proto.HandshakeMessage.encode({ serverHello }).finish());
    this.#step = 'finish';
  }

  #finish(sealedStatic: Uint8Array, payload: Uint8Array) {
    const handshake = this.#handshake;
    const theirs = handshake.decrypt(sealedStatic);
    handshake.mix(Curve.sharedKey(this.#ephemeral.private, theirs));
    const login = proto.ClientPayload.decode(handshake.decrypt(payload));
    this.#keys = handshake.split();
    this.#step = 'open';
    this.#events.onLogin(login);
  }

  #send(content: Uint8Array) {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUIntBE(content.length, 0, LENGTH_BYTES);
    this.#events.send(Buffer.concat([length, content]));
  }
}
