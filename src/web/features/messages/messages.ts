// The parts of this feature that other features may import.
export { DisconnectedNumber } from '#web/features/messages/DisconnectedNumber.tsx';
export { MessagesHead, useHeadLabel } from '#web/features/messages/MessagesHead.tsx';
export { NoticeCard } from '#web/features/messages/incoming/NotificationCard.tsx';
export { PeerName } from '#web/features/messages/PeerName.tsx';
export { ScheduledFor } from '#web/features/messages/ScheduledFor.tsx';
export { StatusMark } from '#web/features/messages/StatusMark.tsx';
export { conversationsQuery } from '#web/features/messages/conversations/queries.ts';
export { timelineEntries } from '#web/features/messages/details/timeline.ts';
export { excerptOf, hasCost, statusSegments } from '#web/features/messages/labels.ts';
export { canSend } from '#web/features/messages/queries.ts';
export { SendRefusal } from '#web/features/messages/send/SendRefusal.tsx';
export { MessagePrice } from '#web/features/messages/send/MessagePrice.tsx';
export { useMessagePrice } from '#web/features/messages/send/useMessagePrice.ts';
