import { createHash, randomUUID } from 'node:crypto';
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { captchaChallenge, loginUser, registerUser, verifyOtp } from '#contract/accounts.ts';
import type { Act, InputFor, OutputOf } from '#contract/base/act.ts';
import { toPairs } from '#contract/base/form.ts';
import { createTopup } from '#contract/saldo.ts';
import {
  simulatedPhone,
  simulatedReply,
  simulatedScan,
  simulatedTransfer,
} from '#contract/simulator.ts';
import { createToken, getToken, linkToken } from '#contract/tokens.ts';
import { consentScan, getScan } from '#contract/scan.ts';
import { UPLOAD_FIELD, UPLOAD_PATH, type UploadPurpose } from '#contract/uploads.ts';
import { waitFor } from '#tests/support/wait-for.ts';

/** The browser in which each session of these helpers began. */
const devices = new Map<string, string>();

/** The cookie of a session's browser; some other browser's for an unknown session. */
export const deviceOf = (session: string): string => devices.get(session) ?? deviceNamed(session);

/** A browser's cookie, the same for the same name. */
export const deviceNamed = (name: string): string =>
  createHash('sha256').update(`browser of ${name}`).digest('base64url');

/**
 * Calls an act over HTTP, as the browser does.
 * @param from a session's token, or the browser of a signed-out caller.
 * @throws Error with the refusal's sentence.
 */
export async function ask<A extends Act>(
  address: string,
  act: A,
  input: InputFor<A>,
  from: string | { device: string } = '',
): Promise<OutputOf<A>> {
  return act.output.parse((await answerOf(address, act, input, from)).data) as OutputOf<A>;
}

/** Calls a list and returns its page's rows. @throws Error with the refusal's sentence. */
export async function askRows<A extends Act>(
  address: string,
  act: A,
  input: InputFor<A>,
  from: string,
): Promise<OutputOf<A>[]> {
  const { result, data } = await answerOf(address, act, input, from);
  const rows = (act.list === 'manual' ? data : result?.data) as readonly unknown[];
  return rows.map((row) => act.output.parse(row) as OutputOf<A>);
}

type Answer = { code: number; msg?: string; data?: unknown; result?: { data: unknown[] } };

async function answerOf<A extends Act>(
  address: string,
  act: A,
  input: InputFor<A>,
  from: string | { device: string },
): Promise<Answer> {
  const session = typeof from === 'string' ? from : '';
  const device = typeof from === 'string' ? deviceOf(from) : from.device;
  const fields = { act: act.name, token: session, fcm: '', ...(input as object) };
  const key = act.changes ? { key: randomUUID() } : {};
  const response = await fetch(`${address}/api`, {
    method: 'POST',
    headers: { origin: address, cookie: `kabari-device=${device}` },
    body: new URLSearchParams(toPairs({ ...fields, ...key })),
  });
  const body = (await response.json()) as Answer;
  if (body.code !== 1) throw new Error(`${act.name}: ${response.status} ${body.msg}`);
  return body;
}

async function captchaFor(address: string, act: 'user_login' | 'user_register'): Promise<string> {
  const { challenge } = await ask(address, captchaChallenge, { for: act });
  // The contract passes it through; only ALTCHA knows its shape.
  const solution = await solveChallenge({
    challenge: challenge as unknown as Challenge,
    deriveKey,
  });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

export async function textsIn(address: string, phone: string): Promise<string[]> {
  const { lines } = await ask(address, simulatedPhone, { phone });
  return lines.map(({ content }) => content.caption);
}

export const forNewBrowser = ' untuk masuk dari browser baru';
export const forNewPassword = ' untuk mengganti kata sandi';

/** Waits for the newest one-time code to a simulated phone for a purpose. */
export const codeFor = (address: string, phone: string, purpose = ''): Promise<string> =>
  waitFor(async () => {
    const texts = await textsIn(address, phone);
    const codes = texts.map(
      (text) => new RegExp(`Kode verifikasi Kabari: (\\d{6})${purpose}`).exec(text)?.[1],
    );
    return codes.findLast((code) => code !== undefined) ?? false;
  });

export const PASSWORD = 'sepeda biru tujuh belas';

export type Customer = { name: string; phone: string; password: string; session: string };

export async function signUp(
  address: string,
  who: { name: string; phone: string },
): Promise<Customer> {
  const captcha = await captchaFor(address, 'user_register');
  const registration = { ...who, password: PASSWORD, agree: '1', captcha } as const;
  const { challenge } = await ask(address, registerUser, registration);
  const code = await codeFor(address, who.phone);
  const device = deviceNamed(who.phone);
  const token = tokenIn(await ask(address, verifyOtp, { challenge, code }, { device }));
  devices.set(token, device);
  return { ...who, password: PASSWORD, session: token };
}

/**
 * Signs in: in the browser of the registration, or in a new one with the code from the simulated phone.
 * @returns the session's token.
 */
export async function signIn(
  address: string,
  who: { phone: string; password: string },
  device = deviceNamed(who.phone),
): Promise<string> {
  const captcha = await captchaFor(address, 'user_login');
  const answer = await ask(address, loginUser, { ...who, captcha }, { device });
  const token =
    'challenge' in answer ? await enterCode(answer.challenge.challenge) : tokenIn(answer);
  devices.set(token, device);
  return token;

  async function enterCode(challenge: string): Promise<string> {
    const code = await codeFor(address, who.phone, forNewBrowser);
    return tokenIn(await ask(address, verifyOtp, { challenge, code }, { device }));
  }
}

function tokenIn(answer: { token: string } | object): string {
  if (!('token' in answer)) throw new Error('a second factor is asked for');
  return answer.token;
}

export async function topUp(address: string, who: Customer, amount: number): Promise<void> {
  const { total } = await ask(address, createTopup, { amount }, who.session);
  await ask(address, simulatedTransfer, { amount: total, sender: who.name });
}

export type Sender = { id: string; key: string; phone: string };

/** Creates a token and links it to a simulated phone by its scan link, as its owner would. */
export async function newSender(
  address: string,
  { session }: Customer,
  { name, phone }: { name: string; phone: string },
): Promise<Sender> {
  const made = await ask(address, createToken, { name, channel: 'simulator' }, session);
  const which = { token_id: made.token.id };
  const { path } = await ask(address, linkToken, which, session);
  const data = path.slice('/scan/'.length);
  const { nonce } = await ask(address, consentScan, { data });
  const { qr } = await ask(address, getScan, { data, nonce });
  await ask(address, simulatedScan, { phone, text: qr?.text ?? '' });
  const isLinked = async () => (await ask(address, getToken, which, session)).status === 'linked';
  await waitFor(isLinked);
  return { id: made.token.id, key: made.key, phone };
}

type Text = { to: string; text: string };

/** Sends texts through the public API, as a customer's system does. @throws if it refuses them. */
export const sendTexts = (address: string, sender: Sender, texts: readonly Text[]): Promise<void> =>
  sendMessages(
    address,
    sender,
    texts.map(({ to, text }) => ({ to, text: { body: text } })),
  );

export async function sendMessages(
  address: string,
  { key }: Sender,
  messages: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const response = await fetch(`${address}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages }),
  });
  if (response.status === 202) return;
  throw new Error(`/v1/messages: ${response.status} ${await response.text()}`);
}

export async function deliverText(address: string, sender: Sender, one: Text): Promise<void> {
  await sendTexts(address, sender, [one]);
  const inPhone = async () => {
    const { lines } = await ask(address, simulatedPhone, { phone: one.to });
    return lines.some(({ content }) => content.caption === one.text);
  };
  await waitFor(inPhone);
}

async function replyFrom(
  address: string,
  phone: string,
  { to, text }: { to: string; text: string },
): Promise<void> {
  await ask(address, simulatedReply, { phone, to, text });
}

export async function answerFrom(
  address: string,
  phone: string,
  { sender, text }: { sender: Sender; text: string },
): Promise<void> {
  await replyFrom(address, phone, { to: sender.phone, text });
  const arrived = async () => {
    const response = await fetch(`${address}/v1/messages?direction=in&limit=5&peer=${phone}`, {
      headers: { authorization: `Bearer ${sender.key}` },
    });
    return (await response.text()).includes(JSON.stringify(text));
  };
  await waitFor(arrived);
}

type Uploaded = { purpose: UploadPurpose; name: string; type: string; bytes: Buffer };

/** Uploads a file as the screens do. @returns the upload's id. @throws Error if it is refused. */
export async function uploadAs(
  address: string,
  session: string,
  { purpose, name, type, bytes }: Uploaded,
): Promise<string> {
  const form = new FormData();
  form.append(UPLOAD_FIELD, JSON.stringify({ purpose }));
  form.append(UPLOAD_FIELD, new Blob([new Uint8Array(bytes)], { type }), name);
  const answer = await fetch(address + UPLOAD_PATH, {
    method: 'POST',
    headers: {
      origin: address,
      authorization: `Bearer ${session}`,
      cookie: `kabari-device=${deviceOf(session)}`,
    },
    body: form,
  });
  if (!answer.ok) throw new Error(`${UPLOAD_PATH}: ${answer.status}`);
  return answer.text();
}

/** Uploads a transfer slip. @returns its id. @throws Error if it is refused. */
export const uploadSlip = (address: string, session: string, bytes: Buffer): Promise<string> =>
  uploadAs(address, session, {
    purpose: 'proof',
    name: 'bukti-transfer.jpg',
    type: 'image/jpeg',
    bytes,
  });
