// The parts of this feature that other features may import.
export { WebhookPart } from '#web/features/webhooks/WebhookPart.tsx';
