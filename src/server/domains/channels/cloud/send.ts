import type { Outgoing, SendResult, MessageBody } from '#server/domains/channels/channels.ts';
import {
  type PresenceDeps,
  restrictNumber,
  type HealthRecorder,
} from '#server/domains/channels/health.ts';
import { uuidOf, publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Failure } from '#contract/messages.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import { beginIn } from '#server/infra/postgres/distribution/scope.ts';
import { StoreAway } from '#server/infra/file-store/file-store.ts';
import { OutboundError } from '#server/infra/net/outbound.ts';
import { networkIdOf } from '#server/domains/channels/inbound-card.ts';
import { at, textAt, given, listAt } from '#server/infra/net/json-values.ts';
import { timeOfId } from '#server/infra/ids.ts';
import { type CodeMeaning, type GraphError, laterMs, meaningOf } from './codes.ts';
import { type GraphAnswer, wordAt } from './graph.ts';
import { type MediaDeps, forgetMedia, uploadFile } from './media.ts';
import type { CloudNumber } from './numbers.ts';
import type { Pace } from './pace.ts';
import type { CloudPauses } from './pauses.ts';
import type { Refs } from './refs.ts';
import type { Rests } from './rests.ts';
import { isHiddenPeer } from '#contract/messages/peer.ts';
import { Choices } from '#contract/messages/captions.ts';
import type { MediaKind } from '#contract/media.ts';

export type SendDeps = MediaDeps &
  PresenceDeps & {
    refs: Refs;
    health: HealthRecorder;
    numberOf: (token: { accountId: string; tokenId: string }) => Promise<CloudNumber | undefined>;
    pace: { number: Pace; pair: Pace };
    pauses: CloudPauses;
    rests: Rests;
    config: { CLOUD_TIMEOUT_MS: number };
    report: (error: unknown) => void;
  };

/** Delay after an upload failed: nothing was sent. */
const UNREACHED_MS = 15_000;
/** For a number that no longer exists: its lane no longer runs by then. */
const DISCONNECTED_MS = 2_000;
const REST_MS = 15 * 60_000;
/** Messages wait this long for that, then fail, unless Meta pauses their template by itself. */
const RESTED_MS_MAX = 24 * 3_600_000;
const TEMPLATE_PAUSED = 132015;

/** A restriction from a refusal holds for a day, unless Meta repeats it. */
const RESTRICTED_MS = 24 * 3_600_000;

type Refused = Exclude<GraphAnswer, { ok: true }>;

/**
 * Tries once to send a message by the Cloud API.
 *
 * @throws if the outcome is unknown: a connection that broke, or an answer that is not Meta's. `StoreAway`, before
 *   anything has left, if the message's file cannot be read now
 */
export async function sendByCloud(
  deps: SendDeps,
  message: Outgoing,
  signal: AbortSignal,
): Promise<SendResult> {
  const number = await deps.numberOf(message);
  if (!number) return { outcome: 'later', afterMs: DISCONNECTED_MS, failure: 'not_linked' };
  const rest = deps.rests.of(message);
  if (rest) return { outcome: 'held', ...rest, stops: false };
  try {
    const media = await mediaFor(deps, number, { message, signal });
    if (media && 'outcome' in media) return media;
    const wamid = await wamidFor(deps, message);
    const payload = payloadOf(message, { mediaId: media?.mediaId, wamid });
    if (!payload) return { outcome: 'failed', failure: 'rejected' };
    const wait = { waitMsMax: deps.config.CLOUD_TIMEOUT_MS / 2, signal };
    const waitMs =
      (await deps.pace.pair.turn(`${message.tokenId} ${message.to}`, wait)) ||
      (await deps.pace.number.turn(message.tokenId, wait));
    // Our own pace: no try of the message, so its tries never run out.
    if (waitMs > 0)
      return { outcome: 'held', afterMs: waitMs, failure: 'rate_limited', stops: false };
    const { accessToken, phoneNumberId } = number;
    const path = `${phoneNumberId}/messages`;
    const answer = await deps.graph.ask({
      accessToken,
      method: 'POST',
      path,
      body: payload,
      signal,
    });
    if (!answer.ok) {
      if (media) await forgetRefusedMedia(deps, number, { answer, mediaId: media.mediaId });
      return resultOfRefusal(deps, message, answer);
    }
    const sentAs = wordAt(answer, 'messages', '0', 'id');
    if (sentAs === undefined) {
      throw new OutboundError('unreachable', 'a yes that names no message is not of Meta');
    }
    // The message has left, whether or not its id is stored.
    await deps.pauses.answered(message);
    const { accountId, messageId } = message;
    await deps.refs.add({ accountId, messageId, wamid: sentAs }).catch(deps.report);
    return { outcome: 'sent' };
  } catch (error) {
    if (!(error instanceof OutboundError) || error.reason !== 'refused') throw error;
    // No connection was made: nothing was sent, and no other message of this number would be.
    deps.health.answered({ ...message, channel: 'cloud', code: 'unreachable' });
    return held(await deps.pauses.pause(message, 'silent'), 'no_answer');
  }
}

const held = (afterMs: number, failure: Failure): SendResult => ({
  outcome: 'held',
  afterMs,
  failure,
  stops: true,
});

type Sending = { message: Outgoing; signal: AbortSignal };

async function mediaFor(
  deps: SendDeps,
  number: CloudNumber,
  { message, signal }: Sending,
): Promise<{ mediaId: string } | SendResult | undefined> {
  const fileId = textAt(message.body, 'file');
  if (fileId === undefined) return undefined;
  const uploaded = await uploadFile(deps, number, { fileId, type: message.type, signal }).catch(
    (error: unknown) => uploadFailure(deps, error),
  );
  if (!uploaded) return { outcome: 'failed', failure: 'media_unreachable' };
  if ('outcome' in uploaded || 'mediaId' in uploaded) return uploaded;
  const refused = await resultOfRefusal(deps, message, uploaded);
  const isOfFile = refused.outcome === 'failed' && refused.failure === 'rejected';
  return isOfFile ? { outcome: 'failed', failure: 'media_refused' } : refused;
}

/** Uploading a file sends no message: after any failure, the message has not left. */
function uploadFailure({ report }: SendDeps, error: unknown): SendResult {
  if (error instanceof StoreAway) throw error;
  if (error instanceof OutboundError && error.reason === 'ended') throw error;
  const isOfFile = error instanceof Refusal && error.code !== 'busy';
  if (isOfFile) return { outcome: 'failed', failure: 'media_refused' };
  if (!(error instanceof OutboundError || error instanceof Refusal)) report(error);
  return { outcome: 'later', afterMs: UNREACHED_MS, failure: 'no_answer' };
}

async function forgetRefusedMedia(
  deps: SendDeps,
  number: CloudNumber,
  { answer, mediaId }: { answer: Refused; mediaId: string },
): Promise<void> {
  if ([100, 131009, 131052, 131053].includes(answer.error.code)) {
    await forgetMedia(deps, number, mediaId);
  }
}

/** Meta's id of the message that this one answers or reacts to; stored with an inbound one. */
async function wamidFor(
  { refs }: SendDeps,
  { accountId, type, body }: Outgoing,
): Promise<string | undefined> {
  const named = textAt(body, type === 'reaction' ? 'message_id' : 'reply_to');
  if (named === undefined) return undefined;
  const provider = textAt(at(body, 'quoted'), 'provider_id');
  if (provider !== undefined) return networkIdOf(provider);
  const messageId = uuidOf('message', named);
  return messageId === undefined ? undefined : refs.wamidOf(accountId, messageId);
}

async function resultOfRefusal(
  deps: SendDeps,
  message: Outgoing,
  { status, error, retryAfterMs }: Refused,
): Promise<SendResult> {
  const { accountId, tokenId, attempt } = message;
  const ref = { accountId, tokenId, channel: 'cloud' } as const;
  const { pauses } = deps;
  const meaning = meaningOf(error, status);
  deps.health.answered({ ...ref, code: String(error.code) });
  if (meaning.restrict) {
    const until = new Date(deps.now().getTime() + RESTRICTED_MS);
    await beginIn(deps.allAccountsSql, accountId, (tx) =>
      restrictNumber(tx, deps, ref, { kind: meaning.restrict, until }),
    ).catch(deps.report);
  }
  const { failure } = meaning;
  switch (meaning.does) {
    case 'fail':
      await pauses.answered(ref);
      return { outcome: 'failed', failure };
    case 'later': {
      // Meta reports that it is broken: many of these in a row pause the number.
      const isBroken = failure === 'no_answer';
      const stillMs = isBroken ? await pauses.silent(ref, false) : 0;
      if (stillMs > 0) return held(stillMs, failure);
      if (!isBroken) await pauses.answered(ref);
      return {
        outcome: 'later',
        afterMs: laterMs(meaning.afterMs, attempt, retryAfterMs),
        failure,
      };
    }
    case 'rest':
      await pauses.answered(ref);
      return restAfter(deps, message, { ...error, failure });
    default:
      return held(await pauseAfter(pauses, ref, meaning).catch(unstored(deps)), failure);
  }
}

function pauseAfter(
  pauses: CloudPauses,
  ref: TokenRef,
  meaning: Extract<CodeMeaning, { does: 'verify' | 'part' | 'pause' }>,
): Promise<number> {
  switch (meaning.does) {
    case 'verify':
      return pauses.verify(ref);
    case 'part':
      return pauses.part(ref, meaning.parting);
    case 'pause':
      return pauses.pause(ref, meaning.pause);
  }
}

/** A pause that could not be stored: the number pauses in this process, for a moment. */
const unstored =
  ({ report }: SendDeps) =>
  (error: unknown): number => {
    report(error);
    return UNREACHED_MS;
  };

/** Meta refuses the message's template or its country: defers all messages that need the same. */
function restAfter(
  { rests, now }: SendDeps,
  message: Outgoing,
  { code, failure }: GraphError & { failure: Failure },
): SendResult {
  // Without a template, the refusal does not concern the templates of other messages.
  if (failure === 'template_refused' && message.type !== 'template')
    return { outcome: 'failed', failure };
  const ageMs = now().getTime() - timeOfId(message.messageId).getTime();
  if (code !== TEMPLATE_PAUSED && ageMs > RESTED_MS_MAX) return { outcome: 'failed', failure };
  const rest = { afterMs: REST_MS, failure };
  rests.begin(message, rest);
  return { outcome: 'held', ...rest, stops: false };
}

type Named = {
  mediaId?: string | undefined;
  wamid?: string | undefined;
};

/**
 * A message as `POST /{phone-number-id}/messages` accepts it (docs/channels.md#cloud). Our id is sent as
 * `biz_opaque_callback_data`: every status echoes it, even one that comes before the answer, or instead of it.
 *
 * @returns undefined for a reaction to a message that Meta does not know
 */
function payloadOf(message: Outgoing, named: Named): object | undefined {
  const { to, messageId, type } = message;
  const content = cloudPayloadOf(message, named);
  if (!content) return undefined;
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(isHiddenPeer(to) ? { recipient: to } : { to }),
    ...content,
    ...(named.wamid !== undefined &&
      type !== 'reaction' && { context: { message_id: named.wamid } }),
    biz_opaque_callback_data: publicId('message', messageId),
  };
}

function cloudPayloadOf(message: Outgoing, { mediaId, wamid }: Named): object | undefined {
  const { type, body, text = textAt(body, 'text') ?? '' } = message;
  switch (type) {
    case 'text':
      return interactiveOf(body, undefined) ?? textContent(text);
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return (
        interactiveOf(body, headerOf(type, body, mediaId)) ?? {
          type,
          [type]: mediaOf(type, body, mediaId),
        }
      );
    case 'location':
      return {
        type,
        location: given({
          latitude: body['latitude'],
          longitude: body['longitude'],
          name: body['name'],
          address: body['address'],
        }),
      };
    case 'contact':
      return { type: 'contacts', contacts: [contactOf(body)] };
    case 'reaction':
      return wamid === undefined
        ? undefined
        : { type, reaction: { message_id: wamid, emoji: body['emoji'] ?? '' } };
    case 'template':
      return { type, template: templateOf(body, { code: message.text, mediaId }) };
    case 'other':
      return undefined;
  }
}

const textContent = (text: string) => ({
  type: 'text',
  text: { body: text, preview_url: /\bhttps?:\/\//.test(text) },
});

function mediaOf(type: MediaKind, body: MessageBody, mediaId: string | undefined): object {
  const source = mediaId === undefined ? { link: body['link'] } : { id: mediaId };
  return given({
    ...source,
    ...(type !== 'audio' && type !== 'sticker' && { caption: textAt(body, 'caption') }),
    ...(type === 'document' && { filename: textAt(body, 'filename') }),
    ...(type === 'audio' && body['voice'] === true && { voice: true }),
  });
}

function headerOf(type: MediaKind, body: MessageBody, mediaId: string | undefined) {
  if (type !== 'image' && type !== 'video' && type !== 'document') return undefined;
  const { caption: _, ...source } = mediaOf(type, body, mediaId) as Record<string, unknown>;
  return { type, [type]: source };
}

function interactiveOf(body: MessageBody, media: object | undefined): object | undefined {
  const choices = Choices().safeParse(body['choices']);
  const shown = at(body, 'interactive');
  const text = textAt(shown, 'body');
  if (!choices.success || choices.data.type === 'template' || text === undefined) return undefined;
  const header = textAt(shown, 'header');
  const footer = textAt(shown, 'footer');
  return {
    type: 'interactive',
    interactive: {
      type: choices.data.type,
      ...(media
        ? { header: media }
        : header !== undefined && { header: { type: 'text', text: header } }),
      body: { text },
      ...(footer !== undefined && { footer: { text: footer } }),
      action:
        choices.data.type === 'button' ? buttonsOf(choices.data) : listOf(choices.data, shown),
    },
  };
}

const buttonsOf = ({ options }: Choices) => ({
  buttons: options.map(({ id, title }) => ({ type: 'reply', reply: { id, title } })),
});

function listOf({ options }: Choices, shown: unknown): object {
  const sections = listAt(shown, 'sections');
  let from = 0;
  const parts = sections.map((section) => {
    const rows = at(section, 'rows');
    const own = options.slice(from, from + (typeof rows === 'number' ? rows : 0));
    from += own.length;
    return given({ title: textAt(section, 'title'), rows: own.map(rowOf) });
  });
  const rest = options.slice(from).map(rowOf);
  return {
    button: textAt(shown, 'button') ?? 'Pilih',
    sections: [...parts, ...(rest.length > 0 ? [{ rows: rest }] : [])],
  };
}

const rowOf = ({ id, title, description }: Choices['options'][number]) =>
  given({ id, title, description });

/** A contact card. WhatsApp requires one more part of the name beside the full name. */
function contactOf(body: MessageBody): object {
  const name = textAt(body, 'name') ?? '';
  const phones = listAt(body, 'phones').map(String);
  const all = phones.length > 0 ? phones : [textAt(body, 'phone') ?? ''];
  const company = textAt(body, 'organization');
  const email = textAt(body, 'email');
  return {
    name: { formatted_name: name, first_name: name },
    ...(company !== undefined && { org: { company } }),
    ...(email !== undefined && { emails: [{ email, type: 'WORK' }] }),
    phones: all.map((phone) => ({ phone: `+${phone}`, type: 'CELL', wa_id: phone })),
  };
}

type Fills = { code: string | undefined; mediaId: string | undefined };

/** Values of the template's variables; Meta has its text. A secret code is not in its body. */
function templateOf(body: MessageBody, { code, mediaId }: Fills): object {
  const known = code === undefined ? listAt(body, 'parameters') : [{ name: '1', text: code }];
  const parameters = known.map(textParameter);
  const header = templateHeader(body, mediaId);
  const copies = body['code_button'] === true ? [codeButton(parameters[0]?.text)] : [];
  const components = [
    ...(header ? [{ type: 'header', parameters: [header] }] : []),
    ...(parameters.length > 0 ? [{ type: 'body', parameters }] : []),
    ...repliesOf(body),
    ...listAt(body, 'button_values').map(filledButton),
    ...copies,
  ];
  return {
    name: body['template'],
    language: { code: body['language'] },
    ...(components.length > 0 && { components }),
  };
}

function textParameter(parameter: unknown) {
  const name = textAt(parameter, 'name') ?? '';
  const isNamed = !/^\d+$/.test(name);
  return {
    type: 'text',
    text: textAt(parameter, 'text') ?? '',
    ...(isNamed && { parameter_name: name }),
  };
}

function templateHeader(body: MessageBody, mediaId: string | undefined): object | undefined {
  const file = textAt(body, 'header_file');
  if (file !== undefined) return headerOf(file as MediaKind, body, mediaId);
  const parameter = at(body, 'header_parameter');
  return parameter === undefined ? undefined : textParameter(parameter);
}

function repliesOf(body: MessageBody): object[] {
  const places = listAt(body, 'reply_places').map(Number);
  return listAt(body, 'choices', 'options').map((option, index) => ({
    type: 'button',
    sub_type: 'quick_reply',
    index: String(places[index] ?? index),
    parameters: [{ type: 'payload', payload: textAt(option, 'id') ?? '' }],
  }));
}

function filledButton(value: unknown): object {
  const text = textAt(value, 'text') ?? '';
  const isUrl = textAt(value, 'takes') === 'url';
  return {
    type: 'button',
    sub_type: isUrl ? 'url' : 'copy_code',
    index: String(at(value, 'index')),
    parameters: [isUrl ? { type: 'text', text } : { type: 'coupon_code', coupon_code: text }],
  };
}

const codeButton = (code: string | undefined) => ({
  type: 'button',
  sub_type: 'url',
  index: '0',
  parameters: [{ type: 'text', text: code ?? '' }],
});
