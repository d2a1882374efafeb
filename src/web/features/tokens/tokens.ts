// What other features may know of this one.
export { channelLabel, statusTone } from '#web/features/tokens/labels.ts';
export { curlSample, useSending } from '#web/features/tokens/samples.ts';
