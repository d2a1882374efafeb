import type { BaileysEventMap, ConnectionState, WAMessage, WASocket } from 'baileys';
import type { EngineEvent, EngineReceipt } from '#server/domains/channels/web/engine/engine.ts';
import { at } from '#server/infra/net/json-values.ts';
import { lidIn, phoneIn, wireIdIn } from './addresses.ts';
import { receivedFrom } from './received.ts';
import { instantIn } from './received-lines.ts';

/** Of the many frames of a busy connection, one a second is enough to know that it lives. */
const HEARD_EVERY_MS = 1_000;
/** A closed connection without a code is one that the network ended. */
const CLOSED = 428;

/**
 * Tells of a socket's events in our words, in their order.
 *
 * @param report takes bugs of ours.
 */
export function forwardEvents(
  sock: WASocket,
  onEvent: (event: EngineEvent) => void,
  report: (error: unknown) => void,
): void {
  forwardConnection(sock, onEvent);
  forwardPasskeys(sock, onEvent);
  const inOrder = ordered(report);
  const phoneOf = async (lid: string) =>
    phoneIn(await sock.signalRepository.lidMapping.getPNForLID(lid));
  const forward = (messages: readonly WAMessage[], isLive: boolean) =>
    inOrder(async () => {
      const read = await Promise.all(
        messages.map((message) => receivedFrom(message, phoneOf, report)),
      );
      const known = read.flat();
      if (known.length > 0) onEvent({ kind: 'messages', isLive, messages: known });
    });
  sock.ev.on('messages.upsert', ({ messages, type }) => forward(messages, type === 'notify'));
  sock.ev.on('messaging-history.set', ({ messages, lidPnMappings = [] }) => {
    forwardNumbers(lidPnMappings, onEvent);
    forward(messages, false);
  });
  sock.ev.on('lid-mapping.update', (mapping) => forwardNumbers([mapping], onEvent));
  sock.ev.on('messages.update', (updates) => {
    const receipts = updates.flatMap(receiptFrom);
    if (receipts.length > 0) onEvent({ kind: 'receipts', receipts });
  });
  sock.ev.on('message-capping.update', ({ capping_status: status, cycle_end_timestamp: end }) => {
    const untilMs = Number(end) * 1_000;
    const isCapped = status === 'CAPPED';
    onEvent({ kind: 'capping', isCapped, ...(untilMs > 0 && { untilMs }) });
  });
}

function forwardConnection(sock: WASocket, onEvent: (event: EngineEvent) => void): void {
  let heardAt = 0;
  sock.ws.on('message', () => {
    const now = performance.now();
    if (now - heardAt < HEARD_EVERY_MS) return;
    heardAt = now;
    onEvent({ kind: 'heard' });
  });
  sock.ev.on('connection.update', ({ qr, isNewLogin, connection, ...more }) => {
    const phone = phoneIn(sock.authState.creds.me?.id) ?? '';
    if (qr !== undefined) onEvent({ kind: 'qr', text: qr });
    if (isNewLogin) onEvent({ kind: 'paired', phone });
    if (connection === 'open') onEvent({ kind: 'open', phone });
    if (more.reachoutTimeLock) onEvent(timeLock(more.reachoutTimeLock));
    if (connection === 'close') onEvent(closedBy(more.lastDisconnect?.error));
  });
}

/**
 * What the network asks for where an account must prove itself by a passkey; the library acknowledges it and
 * passes over it (Baileys issue 2672), so the link would only run out.
 */
const passkeyRequests = ['passkey_prologue_request', 'crsc_continuation'];

function forwardPasskeys(sock: Pick<WASocket, 'ws'>, onEvent: (event: EngineEvent) => void): void {
  for (const type of passkeyRequests) {
    sock.ws.on(`CB:notification,type:${type}`, () => onEvent({ kind: 'passkey' }));
  }
}

/** Runs work one after the other. */
function ordered(report: (error: unknown) => void): (work: () => Promise<void>) => void {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    last = last.then(work).catch(report);
  };
}

const timeLock = ({
  isActive = false,
  timeEnforcementEnds,
}: NonNullable<ConnectionState['reachoutTimeLock']>): EngineEvent => ({
  kind: 'time_lock',
  isActive,
  ...(timeEnforcementEnds && { untilMs: timeEnforcementEnds.getTime() }),
});

/** Reasons by which the network refuses a login because the phone has removed the session. */
const loggedOut: ReadonlySet<unknown> = new Set(['401', '406']);

/**
 * The end of a connection. A 401 alone does not say that the phone has removed the session: a proxy before the
 * network answers it, too. The network says it by a conflict (`device_removed`), or by refusing the login.
 */
export function closedBy(error: unknown): Extract<EngineEvent, { kind: 'closed' }> {
  const status = at(error, 'output', 'statusCode');
  const isRemoved = at(error, 'data', 'attrs', 'type') === 'device_removed';
  const isRefused =
    error instanceof Error &&
    error.message === 'Connection Failure' &&
    loggedOut.has(at(error, 'data', 'reason'));
  const code = typeof status === 'number' ? status : CLOSED;
  return { kind: 'closed', code, ...((isRemoved || isRefused) && { isLoggedOut: true }) };
}

function forwardNumbers(
  mappings: readonly { pn: string; lid: string }[],
  onEvent: (event: EngineEvent) => void,
): void {
  const numbers = mappings.flatMap(({ pn, lid: address }) => {
    const phone = phoneIn(pn);
    const lid = lidIn(address);
    return phone && lid ? [{ lid, phone }] : [];
  });
  if (numbers.length > 0) onEvent({ kind: 'numbers', numbers });
}

/** 0 failed, 3 delivered, 4 read, 5 played; 2, that the server has it, is known from its acknowledgement. */
const statusOf: Readonly<Record<number, EngineReceipt['status']>> = {
  0: 'failed',
  3: 'delivered',
  4: 'read',
  5: 'read',
};

function receiptFrom({ key, update }: BaileysEventMap['messages.update'][number]): EngineReceipt[] {
  const status = typeof update.status === 'number' ? statusOf[update.status] : undefined;
  if (!key.id || key.fromMe !== true || !status) return [];
  const atMs = instantIn(update.messageTimestamp) ?? Date.now();
  const parameters: unknown = update.messageStubParameters;
  const first: unknown = Array.isArray(parameters) ? parameters[0] : undefined;
  const code = status === 'failed' ? Number.parseInt(String(first), 10) || 0 : undefined;
  return [{ wireId: wireIdIn(key.id), status, ...(code !== undefined && { code }), atMs }];
}
