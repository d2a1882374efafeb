import {
  type Failure,
  type MessageRow,
  type MessageStatus,
  messageTypeLabel,
  mayResend,
} from '#contract/messages.ts';
import { formatPeer } from '#contract/messages/peer.ts';
import type { Mark } from '#web/ui/chat/Ticks.tsx';
import type { Series } from '#web/ui/chart/SmallBars.tsx';

export function markOf(status: MessageStatus): Mark | undefined {
  if (status === 'received') return undefined;
  return status === 'accepted' || status === 'queued' ? 'waiting' : status;
}

export const canCancel = ({
  direction,
  status,
}: Pick<MessageRow, 'direction' | 'status'>): boolean =>
  direction === 'out' && (status === 'scheduled' || status === 'accepted' || status === 'queued');

/** Failures that an immediate retry only repeats: their sentences name another remedy. */
const inVain: ReadonlySet<Failure | null> = new Set([
  'network_declined',
  'opted_out',
  'window_closed',
]);

export const canResend = (
  message: Pick<MessageRow, 'direction' | 'status' | 'type' | 'failure'>,
): boolean => mayResend(message) && !(message.status === 'failed' && inVain.has(message.failure));

type ManyAction = 'resend' | 'cancel' | 'export';

export function manyActions(
  messages: readonly Pick<MessageRow, 'direction' | 'status' | 'type' | 'failure'>[],
): readonly ManyAction[] {
  return [
    ...(messages.some(canResend) ? (['resend'] as const) : []),
    ...(messages.some(canCancel) ? (['cancel'] as const) : []),
    'export',
  ];
}

type Peer = { peer: string; peer_name: string | null };

export const nameOf = ({ peer, peer_name }: Peer): string => peer_name ?? formatPeer(peer);

export const excerptOf = ({ excerpt, type }: Pick<MessageRow, 'excerpt' | 'type'>): string =>
  excerpt === '' ? messageTypeLabel[type] : excerpt;

/** The segments of a stacked bar of outbound messages, each message in one of them (`segmentsOf` of the contract). */
export const statusSegments = [
  { key: 'read', label: 'Dibaca', color: 'primary' },
  { key: 'delivered', label: 'Sampai, belum dibaca', color: 'info' },
  { key: 'sent', label: 'Terkirim, belum sampai', color: 'success' },
  { key: 'waiting', label: 'Antre', color: 'warning' },
  { key: 'failed', label: 'Gagal', color: 'danger' },
] as const satisfies readonly Series[];

/** Within the quota there is no cost to show; 0 tells that an undelivered message costs nothing. */
export const hasCost = (
  message: Pick<MessageRow, 'direction' | 'type' | 'status' | 'price'>,
): boolean => message.direction === 'out' && (message.price > 0 || mayResend(message));
