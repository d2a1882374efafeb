// What other features may know of this one.
export { curlSample, useSending } from '#web/features/tokens/samples.ts';
