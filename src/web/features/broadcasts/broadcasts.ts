// The parts of this feature that other features may import.
export { BroadcastNotice } from '#web/features/broadcasts/BroadcastNotice.tsx';
