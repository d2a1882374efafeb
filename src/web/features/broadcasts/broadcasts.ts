// What other features may know of this one.
export { BroadcastNotice } from '#web/features/broadcasts/BroadcastNotice.tsx';
