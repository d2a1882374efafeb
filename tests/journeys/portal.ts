import { randomUUID } from 'node:crypto';
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { captchaChallenge, loginUser, registerUser, verifyOtp } from '#contract/accounts.ts';
import type { Act, InputFor, OutputOf } from '#contract/act.ts';
import { toPairs } from '#contract/form.ts';
import { createTopup } from '#contract/saldo.ts';
import {
  simulatedPhone,
  simulatedReply,
  simulatedScan,
  simulatedTransfer,
} from '#contract/simulator.ts';
import { consentScan, createToken, getScan, getToken, linkToken } from '#contract/tokens.ts';

/**
 * Asks for an act over HTTP, as the browser does.
 *
 * @param session the token of who is signed in; '' for nobody.
 * @throws Error with the refusal's sentence.
 */
export async function ask<A extends Act>(
  address: string,
  act: A,
  input: InputFor<A>,
  session = '',
): Promise<OutputOf<A>> {
  const fields = { act: act.name, token: session, fcm: '', ...(input as object) };
  const key = act.changes ? { key: randomUUID() } : {};
  const response = await fetch(`${address}/api`, {
    method: 'POST',
    headers: { origin: address },
    body: new URLSearchParams(toPairs({ ...fields, ...key })),
  });
  const body = (await response.json()) as { code: number; msg?: string; data?: unknown };
  if (body.code !== 1) throw new Error(`${act.name}: ${response.status} ${body.msg}`);
  return act.output.parse(body.data) as OutputOf<A>;
}

/** Looks again until there is something: for what the server does in its own time. */
export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + 15_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`it never came: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function captchaFor(address: string, act: 'user_login' | 'user_register'): Promise<string> {
  const { challenge } = await ask(address, captchaChallenge, { for: act });
  // The contract passes it on unread; ALTCHA alone knows its shape.
  const solution = await solveChallenge({
    challenge: challenge as unknown as Challenge,
    deriveKey,
  });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

/** The newest one-time code in a simulated phone. */
async function codeIn(address: string, phone: string): Promise<string | undefined> {
  const { lines } = await ask(address, simulatedPhone, { phone });
  return lines
    .map(({ content }) => /Kode verifikasi Kabari: (\d{6})/.exec(content.caption)?.[1])
    .findLast((code) => code !== undefined);
}

export const PASSWORD = 'sepeda biru tujuh belas';

/** A customer who registered, and the token of their session. */
export type Customer = { name: string; phone: string; password: string; session: string };

/** Registers: the captcha solved, the code read in the simulated phone. */
export async function signUp(
  address: string,
  who: { name: string; phone: string },
): Promise<Customer> {
  const captcha = await captchaFor(address, 'user_register');
  const asked = { ...who, password: PASSWORD, agree: '1', captcha } as const;
  const { challenge } = await ask(address, registerUser, asked);
  const code = await until(() => codeIn(address, who.phone));
  const { token } = await ask(address, verifyOtp, { challenge, code });
  return { ...who, password: PASSWORD, session: token };
}

/** Signs in. @returns the session's token. */
export async function signIn(
  address: string,
  who: { phone: string; password: string },
): Promise<string> {
  const captcha = await captchaFor(address, 'user_login');
  return (await ask(address, loginUser, { ...who, captcha })).token;
}

/** Makes a top-up and pays it in the simulated bank. */
export async function topUp(address: string, who: Customer, amount: number): Promise<void> {
  const { total } = await ask(address, createTopup, { amount }, who.session);
  await ask(address, simulatedTransfer, { amount: total, sender: who.name });
}

export type Sender = { id: string; key: string; phone: string };

/** Makes a token and links it to a simulated phone by its scan link, as the phone's owner would. */
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
  await until(isLinked);
  return { id: made.token.id, key: made.key, phone };
}

type Text = { to: string; text: string };

/** Sends texts through the public API, as a customer's own system does. @throws unless it took them. */
export async function sendTexts(
  address: string,
  { key }: Sender,
  texts: readonly Text[],
): Promise<void> {
  const messages = texts.map(({ to, text }) => ({ to, text: { body: text } }));
  const response = await fetch(`${address}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages }),
  });
  if (response.status === 202) return;
  throw new Error(`/v1/messages: ${response.status} ${await response.text()}`);
}

/** Sends one text and waits until it is in the phone it was sent to. */
export async function deliverText(address: string, sender: Sender, one: Text): Promise<void> {
  await sendTexts(address, sender, [one]);
  const inPhone = async () => {
    const { lines } = await ask(address, simulatedPhone, { phone: one.to });
    return lines.some(({ content }) => content.caption === one.text);
  };
  await until(inPhone);
}

/** The owner of a simulated phone writes to a number. */
async function replyFrom(
  address: string,
  phone: string,
  { to, text }: { to: string; text: string },
): Promise<void> {
  await ask(address, simulatedReply, { phone, to, text });
}

/** The owner of a simulated phone answers, and the answer has arrived. */
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
  await until(arrived);
}
