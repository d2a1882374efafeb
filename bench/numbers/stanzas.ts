/** The network's answers to the stanzas of a linked phone. */
import {
  type BinaryNode,
  Curve,
  S_WHATSAPP_NET,
  encodeBigEndian,
  generateRegistrationId,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildUInt,
  getBinaryNodeChildren,
  jidDecode,
  signedKeyPair,
  xmppPreKey,
  xmppSignedPreKey,
} from 'baileys';

export type Bundle = {
  registrationId: number;
  identity: Uint8Array;
  signedPreKey: { keyId: number; public: Uint8Array; signature: Uint8Array };
  preKeys: { keyId: number; public: Uint8Array }[];
};

export type Encrypted = { type: 'pkmsg' | 'msg'; ciphertext: Uint8Array };

const KEY_TYPE = Buffer.from([5]);

export const lidOf = (number: string): string => `9${number}`;

const node = (
  tag: string,
  attrs: BinaryNode['attrs'] = {},
  content?: BinaryNode['content'],
): BinaryNode => ({ tag, attrs, ...(content !== undefined && { content }) });

const result = (id: string, content?: BinaryNode[]): BinaryNode =>
  node('iq', { id, type: 'result', from: S_WHATSAPP_NET }, content);

const seconds = (): string => `${Math.floor(Date.now() / 1_000)}`;

/** Messages to devices of others are never read: one set of keys is enough for all. */
const unread = (() => {
  const identity = Curve.generateKeyPair();
  return {
    registration: encodeBigEndian(generateRegistrationId()),
    identity: identity.public,
    signedPreKey: signedKeyPair(identity, 1),
    preKey: Curve.generateKeyPair(),
  };
})();

/** A successful login, with no offline messages. */
export const welcomeOf = (number: string): BinaryNode[] => [
  node('success', { t: seconds(), lid: `${lidOf(number)}:5@lid`, location: 'cgk' }),
  node('ib', {}, [node('offline', { count: '0' })]),
];

export const acknowledgementOf = ({ tag, attrs }: BinaryNode): BinaryNode =>
  node('ack', { class: tag, id: attrs['id'] ?? '', from: attrs['to'] ?? '', t: seconds() });

export const messageFrom = (number: string, id: string, encrypted: Encrypted): BinaryNode =>
  node(
    'message',
    {
      id,
      from: `${lidOf(number)}@lid`,
      sender_pn: `${number}@s.whatsapp.net`,
      addressing_mode: 'lid',
      type: 'text',
      notify: 'Budi Santoso',
      t: seconds(),
    },
    [node('enc', { v: '2', type: encrypted.type }, encrypted.ciphertext)],
  );

/** The part of a phone's message for one number; undefined when it contains none. */
export function encryptedFor(message: BinaryNode, number: string): Encrypted | undefined {
  const participants = getBinaryNodeChild(message, 'participants');
  const own = getBinaryNodeChildren(participants, 'to').find(({ attrs }) =>
    [number, lidOf(number)].includes(jidDecode(attrs['jid'])?.user ?? ''),
  );
  const enc = getBinaryNodeChild(own, 'enc');
  if (!(enc?.content instanceof Uint8Array)) return undefined;
  const type = enc.attrs['type'] === 'pkmsg' ? 'pkmsg' : 'msg';
  return { type, ciphertext: enc.content };
}

/** The keys that a phone uploads; undefined when the query uploads none. */
export function uploadedBundle(query: BinaryNode): Bundle | undefined {
  const { xmlns, type } = query.attrs;
  if (xmlns !== 'encrypt' || type !== 'set') return undefined;
  const signed = getBinaryNodeChild(query, 'skey');
  const identity = getBinaryNodeChildBuffer(query, 'identity');
  if (!signed || !identity) return undefined;
  const publicOf = (key: BinaryNode) => ({
    keyId: getBinaryNodeChildUInt(key, 'id', 3) ?? 0,
    public: getBinaryNodeChildBuffer(key, 'value') ?? KEY_TYPE,
  });
  return {
    registrationId: getBinaryNodeChildUInt(query, 'registration', 4) ?? 0,
    identity,
    signedPreKey: {
      ...publicOf(signed),
      signature: getBinaryNodeChildBuffer(signed, 'signature') ?? KEY_TYPE,
    },
    preKeys: getBinaryNodeChildren(getBinaryNodeChild(query, 'list'), 'key').map(publicOf),
  };
}

/** @param preKeys how many the network has of this phone. */
export function answerTo(query: BinaryNode, preKeys: number): BinaryNode {
  const { id = '', xmlns = '', type = '' } = query.attrs;
  const [asked] = Array.isArray(query.content) ? query.content : [];
  switch (`${xmlns} ${type} ${asked?.tag ?? ''}`) {
    case 'encrypt get count':
      return result(id, [node('count', { value: `${preKeys}` })]);
    case 'encrypt get digest':
      return result(id, [node('digest')]);
    case 'encrypt get key':
      return result(id, [node('list', {}, getBinaryNodeChildren(asked, 'user').map(bundleOf))]);
    case 'usync get usync':
      return result(id, [node('usync', {}, [node('list', {}, usersOf(asked))])]);
    case 'abt get props':
      return result(id, [node('props')]);
    case 'privacy get privacy':
      return result(id, [node('privacy')]);
    case 'privacy set tokens':
      return result(id, [node('tokens')]);
    case 'blocklist get ':
      return result(id, [node('list')]);
    default:
      return result(id);
  }
}

const bundleOf = ({ attrs }: BinaryNode): BinaryNode =>
  node('user', { jid: attrs['jid'] ?? '' }, [
    node('registration', {}, unread.registration),
    node('type', {}, KEY_TYPE),
    node('identity', {}, unread.identity),
    xmppSignedPreKey(unread.signedPreKey),
    xmppPreKey(unread.preKey, 1),
  ]);

/** Every user has one phone and no other device; queries for addresses alone omit devices. */
function usersOf(usync: BinaryNode | undefined): BinaryNode[] {
  const query = getBinaryNodeChild(usync, 'query');
  const wantsDevices = getBinaryNodeChild(query, 'devices') !== undefined;
  const devices = node('devices', {}, [node('device-list', {}, [node('device', { id: '0' })])]);
  return getBinaryNodeChildren(getBinaryNodeChild(usync, 'list'), 'user').map(({ attrs }) => {
    const jid = attrs['jid'] ?? '';
    const lid = node('lid', { val: `${lidOf(jidDecode(jid)?.user ?? '')}@lid` });
    return node('user', { jid }, [wantsDevices ? devices : lid]);
  });
}
