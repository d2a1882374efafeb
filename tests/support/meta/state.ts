import { randomUUID } from 'node:crypto';

export type BusinessNumber = {
  /** Its phone number id, as in addresses. */
  id: string;
  wabaId: string;
  /** Digits, as in webhooks. */
  phone: string;
  verifiedName: string;
  qualityRating: 'GREEN' | 'YELLOW' | 'RED' | 'UNKNOWN';
  isRegistered: boolean;
  /** The code of two-step verification; registering with another one is refused. */
  pin?: string;
  profile: Record<string, unknown>;
};

export type Accepted = {
  wamid: string;
  phoneNumberId: string;
  /** Digits, or the id of a group. */
  to: string;
  type: string;
  body: Readonly<Record<string, unknown>>;
  acceptedAt: Date;
  category: string;
  isBillable: boolean;
  callbackData: string | undefined;
  /** The code it fails with, reported by a status. */
  failure: number | undefined;
};

export type MarkedRead = { phoneNumberId: string; messageId: string; isTyping: boolean };

type Token = { isExpired: boolean; scopes: readonly string[] };

export type MetaState = {
  now: () => Date;
  random: () => number;
  appId: string;
  appSecret: string;
  wabaId: string;
  tokens: Map<string, Token>;
  numbers: BusinessNumber[];
  sent: Accepted[];
  read: MarkedRead[];
  received: Set<string>;
  windows: Windows;
  isSubscribed: boolean;
  /** Random digits, the same for the same seed. */
  digits(length: number): string;
  wamid(): string;
};

/** A generator of numbers from 0 to 1 (mulberry32), repeatable by its seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const DAY_MS = 24 * 60 * 60_000;

export type Windows = {
  set(phone: string, isOpen: boolean): void;
  isOpen(phone: string): boolean;
};

/** The periods in which customers accept messages without a template. */
function openWindows(now: () => Date, isOpenAtFirst: boolean): Windows {
  const ends = new Map<string, number>();
  return {
    set: (phone, isOpen) => ends.set(phone, isOpen ? now().getTime() + DAY_MS : 0),
    isOpen: (phone) => {
      const end = ends.get(phone);
      return end === undefined ? isOpenAtFirst : end > now().getTime();
    },
  };
}

export type StateOptions = {
  /** The same seed gives the same ids and the same disorder. */
  seed?: number;
  now?: () => Date;
  token?: string;
  appSecret?: string;
  numbers?: readonly Partial<BusinessNumber>[];
  /** Whether customers who never wrote accept messages: at Meta they do not. */
  areWindowsOpen?: boolean;
};

export function openState(options: StateOptions): MetaState {
  const { now = () => new Date(), numbers = [{}] } = options;
  const random = options.seed === undefined ? Math.random : seeded(options.seed);
  const digit = () => String(Math.floor(random() * 10));
  const digits = (length: number) =>
    Array.from({ length }, (_, at) => (at === 0 ? '1' : digit())).join('');
  const wabaId = digits(15);
  const token = options.token ?? `EAAfake${digits(24)}`;
  return {
    now,
    random,
    appId: digits(15),
    appSecret: options.appSecret ?? (options.seed === undefined ? randomUUID() : digits(32)),
    wabaId,
    tokens: new Map([[token, { isExpired: false, scopes: allScopes }]]),
    numbers: numbers.map((one, at) => ({
      id: digits(15),
      wabaId,
      phone: `62815${String(at).padStart(2, '0')}000000`,
      verifiedName: 'Toko Contoh',
      qualityRating: 'GREEN',
      isRegistered: true,
      profile: {},
      ...one,
    })),
    sent: [],
    read: [],
    received: new Set(),
    windows: openWindows(now, options.areWindowsOpen ?? false),
    isSubscribed: true,
    digits,
    wamid: () => `wamid.${Buffer.from(`HBgN${digits(20)}`).toString('base64')}`,
  };
}

/** Permissions of an access token that was created as Meta documents it. */
export const allScopes: readonly string[] = [
  'whatsapp_business_management',
  'whatsapp_business_messaging',
];
