// The parts of this feature that other features may import.
export { MessageTabs } from '#web/features/messages/MessageTabs.tsx';
export { NoticeCard } from '#web/features/messages/incoming/NotificationCard.tsx';
export { PeerName } from '#web/features/messages/PeerName.tsx';
export { ScheduledFor } from '#web/features/messages/ScheduledFor.tsx';
export { StatusMark } from '#web/features/messages/StatusMark.tsx';
export { conversationsQuery } from '#web/features/messages/conversations/queries.ts';
export { timelineEntries } from '#web/features/messages/details/timeline.ts';
export { excerptOf } from '#web/features/messages/labels.ts';
