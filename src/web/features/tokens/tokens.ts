// The parts of this feature that other features may import.
export { fullTokens } from '#web/features/tokens/AddToken.tsx';
export { AboutChannel } from '#web/features/tokens/channels/AboutChannel.tsx';
export { CloudForm } from '#web/features/tokens/channels/CloudForm.tsx';
export { CloudSetup, NewAccessButton } from '#web/features/tokens/channels/CloudSetup.tsx';
export { MoveToken } from '#web/features/tokens/channels/MoveToken.tsx';
export { channelsQuery } from '#web/features/tokens/channels/queries.ts';
export { UnverifiedNote } from '#web/features/tokens/channels/UnverifiedNote.tsx';
export { WindowNote } from '#web/features/tokens/channels/WindowNote.tsx';
export { uptimeWords } from '#web/features/tokens/channels/health.ts';
export { channelLabel, statusTone } from '#web/features/tokens/labels.ts';
export { LinkPart } from '#web/features/tokens/links/LinkPart.tsx';
export { useTokenChanged } from '#web/features/tokens/queries.ts';
export { FIRST_TEXT } from '#web/features/tokens/samples.ts';
export {
  categoryLabel as templateCategoryLabel,
  fileLabel as templateFileLabel,
  languageLabel as templateLanguageLabel,
} from '#web/features/tokens/templates/labels.ts';
