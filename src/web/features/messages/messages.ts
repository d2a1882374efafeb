// The parts of this feature that other features may import.
export { MessagesHead, useHeadLabel } from '#web/features/messages/MessagesHead.tsx';
export { NoticeCard } from '#web/features/messages/incoming/NotificationCard.tsx';
export { ScheduledFor } from '#web/features/messages/ScheduledFor.tsx';
export { StatusMark } from '#web/features/messages/StatusMark.tsx';
export { timelineEntries } from '#web/features/messages/details/timeline.ts';
export { excerptOf, nameOf } from '#web/features/messages/labels.ts';
